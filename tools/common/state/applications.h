/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applications.h: which applications the layer serves.
 *
 * A list has names with ":" between them. A name without a "/" is compared with
 * the base name of the executable, one with a "/" with its whole path; both may
 * be patterns of the shell's (*, ?, [a-z]), and "*" stands for "/", too.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_APPLICATIONS_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_APPLICATIONS_H

#include <stdbool.h>

#define APPLICATIONS_ALLOW "DNNL_CACHE_APPLICATIONS_ALLOW"
#define APPLICATIONS_DENY "DNNL_CACHE_APPLICATIONS_DENY"

/* True if a list (NULL: an empty one) names the executable at this path. */
bool applications_name(const char *list, const char *path);

/* True if an executable is allowed, or nothing says who is, and it is not
 * denied. NULL or "": no list. */
bool applications_admit(const char *allow, const char *deny, const char *path);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_APPLICATIONS_H */
