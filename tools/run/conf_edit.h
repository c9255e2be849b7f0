/* SPDX-License-Identifier: Apache-2.0 */
/* conf_edit.h: the text of a configuration file (configuration.h) with settings
 * changed; comments and other lines stay. */
#ifndef DNNL_CACHE_TOOLS_RUN_CONF_EDIT_H
#define DNNL_CACHE_TOOLS_RUN_CONF_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* The text of a new file, which the caller frees; NULL: no memory. */
char *conf_edit_new(void);

/* False: why says what keeps the text, of that size, from being read. */
bool conf_edit_is_good(
        const char *text, size_t size, char why[], size_t why_capacity);

/* The text with a line for the setting, and no other one of that name; an empty
 * value: with none. The caller frees it; NULL: no memory. */
char *conf_edit_set(const char *text, const char *name, const char *value);

/* The value that a good text gives the setting, which the caller frees; NULL:
 * none, or no memory. */
char *conf_edit_get(const char *text, const char *name);

/* False: why says what keeps a value from being one line of a file. */
bool conf_edit_check(const char *value, const char **why);

/* A list (applications.h) with an entry, once, or without it. The caller frees
 * it; NULL: no memory. list may be NULL. */
char *conf_edit_list_with(const char *list, const char *entry);
char *conf_edit_list_without(const char *list, const char *entry);

#endif /* DNNL_CACHE_TOOLS_RUN_CONF_EDIT_H */
