/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any texts as build options, what stands behind an #include, and a program's
 * source: which macros the options define, what they make of the include's
 * name, and whether operators of the preprocessor may make inline assembly that
 * reads a file. A name that is made is between quotes that are not in it, a
 * text that defines a word of it is seen; what reaches assembly has a reason,
 * and still does with more text.
 */
#include "pieces.h"
#include "src/includes/assembly_reach.h"
#include "src/includes/include_macros.h"

static void expand(const char *options, const char *name, const char *source)
{
    struct include_macros macros;
    char define[512];
    if (include_macros_init(&macros, options)) {
        char *made = include_macros_expand(&macros, name, strlen(name));
        if (made != NULL) {
            REQUIRE(strpbrk(made, "\"\n\\") == NULL);
            (void)include_macros_may_be_defined(
                    &macros, source, strlen(source));
        }
        free(made);
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                      "abcdefghijklmnopqrstuvwxyz0123456789";
        const size_t blanks = strspn(name, " \t");
        const size_t size = strspn(name + blanks, letters);
        const bool is_number = strspn(name + blanks, "0123456789") > 0;
        if (made != NULL && size > 0 && size < 400 && !is_number) {
            (void)snprintf(define, sizeof define, "\n#define %.*s 1\n",
                    (int)size, name + blanks);
            REQUIRE(include_macros_may_be_defined(
                    &macros, define, strlen(define)));
        }
    }
    include_macros_fini(&macros);
}

static bool reaches(
        const char *options, const char *source, size_t size, size_t times)
{
    struct assembly_texts texts = {.names = NULL};
    char reason[assembly_reason_size] = "";
    assembly_texts_add_options(&texts, options);
    for (size_t i = 0; i < times; i++)
        assembly_texts_add(&texts, source, size);
    for (size_t i = 0; i < texts.chunk_count; i++)
        REQUIRE(texts.chunks[i].range.first + texts.chunks[i].range.count
                <= texts.rest.count);
    for (size_t i = 0; i < texts.macro_count; i++)
        REQUIRE(texts.macros[i].body.first + texts.macros[i].body.count
                <= texts.bodies.count);
    const bool is = assembly_is_reached(&texts, reason);
    REQUIRE(memchr(reason, '\0', sizeof reason) != NULL);
    REQUIRE(!is || reason[0] != '\0');
    assembly_texts_fini(&texts);
    return is;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    char *options = pieces_text(&pieces);
    char *name = pieces_text(&pieces);
    struct piece source = pieces_rest(&pieces);
    pieces = (struct pieces){source.data, source.size};
    char *text = pieces_text(&pieces);
    expand(options, name, text);
    if (reaches(options, (const char *)source.data, source.size, 1))
        REQUIRE(reaches(options, (const char *)source.data, source.size, 2));
    free(options);
    free(name);
    free(source.data);
    free(text);
    return 0;
}
