/* SPDX-License-Identifier: Apache-2.0 */
/* admission.h: whether the lists of applications admit a command. */
#ifndef DNNL_CACHE_TOOLS_RUN_ADMISSION_H
#define DNNL_CACHE_TOOLS_RUN_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>

/* False: the layer would pass all calls of the command on; why says which list
 * of what place says so. Only of a command that is a program itself: what a
 * script runs is not known. */
bool admission_check(const char *command, char why[], size_t why_capacity);

#endif /* DNNL_CACHE_TOOLS_RUN_ADMISSION_H */
