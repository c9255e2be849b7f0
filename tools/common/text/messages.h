/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h: what a program tells on standard error. */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_MESSAGES_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_MESSAGES_H

#include "dnnl_cache/library.h"

/* "NAME: warning: PATH WHAT", to standard error. */
void message_warn(const char *path, const char *what);

/* A log callback that prints warnings and errors to standard error. */
void message_log(dnnl_cache_log_level_t level, const char *text, void *user);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_MESSAGES_H */
