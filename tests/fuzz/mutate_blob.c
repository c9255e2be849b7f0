/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutates blobs so that most come out with a right size and checksum, without
 * which hardly any input would get past them: a section alone, with the layout
 * made anew around it, or the blob's bytes as they are.
 */
#include "forge.h"
#include "fuzz.h"
#include "src/blob/format.h"
#include "src/common/byte_order.h"

#include <string.h>

enum { room = 64 }; /* that a section may grow by at once */

/* Reads a table whose sections all lie in the blob; 0 if it is not like that.
 */
static uint32_t read_table(const uint8_t *blob, size_t size,
        struct forge_section sections[BLOB_MAX_SECTIONS])
{
    if (size < format_header_size) return 0;
    uint32_t count = load_le32(blob + format_at_section_count);
    if (count > BLOB_MAX_SECTIONS
            || count > (size - format_header_size) / format_section_size)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *e =
                blob + format_header_size + (size_t)format_section_size * i;
        uint64_t at = load_le64(e + format_section_at_offset);
        uint64_t length = load_le64(e + format_section_at_size);
        if (at > size || length > size - at) return 0;
        sections[i] =
                (struct forge_section){load_le32(e + format_section_at_tag),
                        load_le32(e + format_section_at_flags), blob + at,
                        (size_t)length};
    }
    return count;
}

/* Mutates one section of a blob; returns the size, 0 if nothing was done. */
static size_t mutate_section(
        uint8_t *data, size_t size, size_t max_size, unsigned choice)
{
    struct forge_section sections[BLOB_MAX_SECTIONS];
    uint32_t count = read_table(data, size, sections);
    if (count == 0) return 0;
    struct forge_section *section = &sections[choice % count];
    uint8_t *bytes = malloc(section->size + room);
    REQUIRE(bytes != NULL);
    if (section->size > 0) memcpy(bytes, section->data, section->size);
    section->size =
            LLVMFuzzerMutate(bytes, section->size, section->size + room);
    section->data = bytes;
    size_t made_size;
    uint8_t *made = forge_blob(
            load_le32(data + format_at_kind), sections, count, &made_size);
    if (made_size > max_size)
        made_size = 0;
    else
        memcpy(data, made, made_size);
    free(bytes);
    free(made);
    return made_size;
}

size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 2 == 0) {
        size_t made = mutate_section(data, size, max_size, seed / 2);
        if (made > 0) return made;
    }
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 != 1) forge_repair(data, size);
    return size;
}
