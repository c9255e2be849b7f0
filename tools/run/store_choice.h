/* SPDX-License-Identifier: Apache-2.0 */
/* store_choice.h: does the setting of the store's type make sense? */
#ifndef DNNL_CACHE_TOOLS_RUN_STORE_CHOICE_H
#define DNNL_CACHE_TOOLS_RUN_STORE_CHOICE_H

#include <stddef.h>

#define STORE_CHOICE_VARIABLE "DNNL_CACHE_STORE"

/* NULL: it does. Else the type that is used instead, and why says what is wrong
 * in the words of the layer (store_setting.h). */
const char *store_choice_check(char why[], size_t why_capacity);

#endif /* DNNL_CACHE_TOOLS_RUN_STORE_CHOICE_H */
