/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h: what of a text fits into a column of a terminal. Texts are UTF-8, and
 * printable; widths are characters. */
#ifndef DNNL_CACHE_TOOLS_BASE_CUT_H
#define DNNL_CACHE_TOOLS_BASE_CUT_H

#include <stddef.h>

/* The text, or its beginning and "...": at most so wide. The caller frees it;
 * NULL: no memory. */
char *cut_text(const char *text, size_t width);

/* The same of "a, b, c": "3 kernels: a, b, ...", where the noun is "kernels".
 * One name is a text. */
char *cut_list(const char *list, const char *noun, size_t width);

#endif /* DNNL_CACHE_TOOLS_BASE_CUT_H */
