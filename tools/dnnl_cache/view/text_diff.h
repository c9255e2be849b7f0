/* SPDX-License-Identifier: Apache-2.0 */
/* text_diff.h: the lines in which two texts differ, as diff -u writes them. */
#ifndef DNNL_CACHE_TOOLS_VIEW_TEXT_DIFF_H
#define DNNL_CACHE_TOOLS_VIEW_TEXT_DIFF_H

#include <stdbool.h>
#include <stddef.h>

struct text_piece {
    const char *text; /* may have any bytes; NULL if size is 0 */
    size_t size;
};

/* Calls line for each line of the difference, with its end left out: sign is
 * '@' (text is "@@ -1,3 +1,4 @@"), ' ' for one of the two lines around what
 * differs, '-' for one that only `from` has, '+' for one that only `to` has.
 * Texts that differ in very many lines differ as a whole. False: memory ran
 * out; then line was not called. */
bool text_diff_each(const struct text_piece *from, const struct text_piece *to,
        void (*line)(void *user, char sign, const char *text, size_t size),
        void *user);

#endif /* DNNL_CACHE_TOOLS_VIEW_TEXT_DIFF_H */
