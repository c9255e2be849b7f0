/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/format_tag.h"

#include "dnnl_cache.h"

#include <string.h>

/* A tag's name says all: the order of dimensions, the blocked ones in capital
 * letters, then the blocks. */
static const char *const names[] = {
#define TAG(name) [dnnl_##name] = #name
        TAG(format_tag_undef), TAG(format_tag_any), TAG(a), TAG(ab), TAG(abc),
        TAG(abcd), TAG(abcde), TAG(abcdef), TAG(abcdefg), TAG(abcdefgh),
        TAG(abcdefghi), TAG(abcdefghij), TAG(abcdefghijk), TAG(abcdefghijkl),
        TAG(ba), TAG(acb), TAG(bac), TAG(bca), TAG(cab), TAG(cba), TAG(abdc),
        TAG(acbd), TAG(acdb), TAG(adbc), TAG(adcb), TAG(bacd), TAG(bcda),
        TAG(cdab), TAG(cdba), TAG(dcab), TAG(abced), TAG(abdec), TAG(acbde),
        TAG(acdeb), TAG(adecb), TAG(bacde), TAG(bcdea), TAG(cdeab), TAG(cdeba),
        TAG(decab), TAG(abcdfe), TAG(abdefc), TAG(abdfce), TAG(acbdef),
        TAG(adefcb), TAG(defcab), TAG(abcdegf), TAG(abcdefhg), TAG(abcdefgih),
        TAG(abcdefghji), TAG(abcdefghikj), TAG(abcdefghijlk), TAG(Ab16a),
        TAG(AB16a16b), TAG(AB16b16a), TAG(Ab32a), TAG(Ab4a), TAG(Ab8a),
        TAG(AB8b4a), TAG(BA16a16b), TAG(BA16b16a), TAG(BA4b4a), TAG(BA8b4a),
        TAG(Abc16a), TAG(ABc16a16b), TAG(aBc16b), TAG(ABc16b16a),
        TAG(ABc2b8a4b), TAG(ABc32a16b), TAG(ABc32a32b), TAG(aBc32b), TAG(aBc4b),
        TAG(ABc4b16a4b), TAG(Abc8a), TAG(ABc8a4b), TAG(ABc8a8b), TAG(aBc8b),
        TAG(ABc8b16a2b), TAG(ABc8b8a), TAG(Acb16a), TAG(AcB16a4b),
        TAG(AcB16b16a), TAG(Acb4a), TAG(Acb8a), TAG(AcB8b16a2b), TAG(BAc16b16a),
        TAG(Abcd16a), TAG(ABcd16a16b), TAG(ABcd16a16b2a), TAG(aBcd16b),
        TAG(ABcd16b16a), TAG(ABcd16b16a2b), TAG(ABcd16b16a4b), TAG(aBCd16b16c),
        TAG(aBCd16c16b), TAG(aBCd2b4c2b), TAG(ABcd2b8a4b), TAG(aBCd2c4b2c),
        TAG(aBCd2c8b4c), TAG(ABcd32a16b), TAG(ABcd32a32b), TAG(aBcd32b),
        TAG(Abcd4a), TAG(aBcd4b), TAG(ABcd4b16a4b), TAG(aBCd4b8c2b),
        TAG(aBCd4c16b4c), TAG(aBCd4c8b2c), TAG(Abcd8a), TAG(ABcd8a16b2a),
        TAG(ABcd8a4b), TAG(ABcd8a8b), TAG(aBcd8b), TAG(ABcd8b16a2b),
        TAG(aBCd8b4c), TAG(ABcd8b8a), TAG(aBCd8b8c), TAG(aBCd8c16b2c),
        TAG(aBCd8c8b), TAG(aBdc16b), TAG(aBdC16b4c), TAG(aBdc8b),
        TAG(aCBd16c16b), TAG(Acdb16a), TAG(AcdB16a4b), TAG(AcdB16b16a),
        TAG(AcdB16b16a2b), TAG(AcdB16b16a4b), TAG(AcdB16b32a), TAG(AcdB16b48a),
        TAG(AcdB16b64a), TAG(Acdb32a), TAG(Acdb4a), TAG(AcdB4b16a4b),
        TAG(Acdb8a), TAG(AcdB8b16a2b), TAG(AcdB8b8a), TAG(BAcd16a16b),
        TAG(BAcd16b16a), TAG(Abcde16a), TAG(ABcde16a16b), TAG(aBcde16b),
        TAG(ABcde16b16a), TAG(ABcde16b16a2b), TAG(ABcde16b16a4b),
        TAG(aBCde16b16c), TAG(aBCde16b16c2b), TAG(aBCde16c16b),
        TAG(aBCde16c16b2c), TAG(aBCde16c16b4c), TAG(aBCde2b4c2b),
        TAG(aBCde2c4b2c), TAG(aBCde2c8b4c), TAG(ABcde32a16b), TAG(ABcde32a32b),
        TAG(aBcde32b), TAG(Abcde4a), TAG(aBcde4b), TAG(ABcde4b16a4b),
        TAG(aBCde4b4c), TAG(aBCde4b8c2b), TAG(aBCde4c16b4c), TAG(aBCde4c8b2c),
        TAG(Abcde8a), TAG(ABcde8a4b), TAG(ABcde8a8b), TAG(aBcde8b),
        TAG(ABcde8b16a2b), TAG(aBCde8b4c), TAG(ABcde8b8a), TAG(aBCde8b8c),
        TAG(aBCde8c16b2c), TAG(aBCde8c8b), TAG(aBdec16b), TAG(aBdeC16b4c),
        TAG(aBdec8b), TAG(aCBde16b16c), TAG(aCBde16c16b), TAG(Acdeb16a),
        TAG(AcdeB16a4b), TAG(AcdeB16b16a), TAG(AcdeB16b16a2b),
        TAG(AcdeB16b16a4b), TAG(Acdeb4a), TAG(Acdeb8a), TAG(AcdeB8b8a),
        TAG(BAcde16a16b), TAG(decbA16a), TAG(decbA8a), TAG(Abcdef16a),
        TAG(aBcdef16b), TAG(aBCdef16b16c), TAG(aBCdef16c16b),
        TAG(aBCdef16c16b2c), TAG(aBCdef16c16b4c), TAG(aBCdef2b4c2b),
        TAG(aBCdef2c4b2c), TAG(aBCdef2c8b4c), TAG(aBcdef32b), TAG(aBcdef4b),
        TAG(aBCdef4b4c), TAG(aBCdef4b8c2b), TAG(aBCdef4c16b4c),
        TAG(aBCdef4c8b2c), TAG(Abcdef8a), TAG(aBcdef8b), TAG(aBCdef8b4c),
        TAG(aBCdef8b8c), TAG(aBCdef8c16b2c), TAG(aBCdef8c8b), TAG(aBdefc16b),
        TAG(aBdefC16b4c), TAG(aBdefc8b), TAG(aCBdef16b16c), TAG(aCBdef16c16b)
#undef TAG
};

const char *format_tag_name(dnnl_format_tag_t tag)
{
    size_t count = sizeof names / sizeof names[0];
    return (int)tag >= 0 && (size_t)tag < count ? names[tag] : NULL;
}

static int small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Reads "16b4a" and so on. */
static void read_blocks(const char *at, struct format_tag_layout *layout)
{
    while (*at != '\0') {
        int block = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            block = 10 * block + (*at - '0');
        layout->inner_blks[layout->inner_nblks] = block;
        layout->inner_idxs[layout->inner_nblks] = *at++ - 'a';
        layout->inner_nblks++;
    }
}

bool format_tag_read(dnnl_format_tag_t tag, struct format_tag_layout *layout)
{
    const char *name = format_tag_name(tag);
    if (name == NULL) return false;
    memset(layout, 0, sizeof *layout);
    for (; *name > '9'; name++)
        layout->order[layout->ndims++] = small_letter(*name) - 'a';
    read_blocks(name, layout);
    return true;
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t tag)
{
    if (tag == dnnl_format_tag_undef) return "undef";
    if (tag == dnnl_format_tag_any) return "any";
    const char *name = format_tag_name(tag);
    return name != NULL ? name : "unknown fmt_tag";
}
