/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/store_setting.h"

#include <dnnl_cache/store_types.h>

#include <stdio.h>
#include <string.h>

/* The name of the table; NULL: not a type. */
static const char *find_type(const char *value)
{
    static const char *const names[] = {DNNL_CACHE_STORE_TYPE_NAMES};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) return names[i];
    return NULL;
}

void store_setting_read(
        struct store_setting *setting, const char *value, const char *file)
{
    const bool is_set = value != NULL && value[0] != '\0';
    const char *type = is_set ? find_type(value) : NULL;
    setting->type = type != NULL ? type : DNNL_CACHE_STORE_DEFAULT_TYPE_NAME;
    setting->complaint[0] = '\0';
    if (!is_set || type != NULL) return;
    (void)snprintf(setting->complaint, sizeof setting->complaint,
            STORE_SETTING_VARIABLE
            "=%.128s: expected " DNNL_CACHE_STORE_TYPE_TEXT "; using %s%s%s%s",
            value, setting->type, file != NULL ? " (in " : "",
            file != NULL ? file : "", file != NULL ? ")" : "");
}

void store_setting_find(struct store_setting *setting,
        const struct configuration *configuration)
{
    const char *file;
    const char *value =
            configuration_find(configuration, STORE_SETTING_VARIABLE, &file);
    store_setting_read(setting, value, file);
}
