/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_setting.h: what DNNL_CACHE_STORE says, for all who ask: the layer,
 * dnnl-cache-run and dnnl-cache read it here, and complain in the same words.
 *
 * It is the type of a new store. A store that is already there is used as what
 * it is (dnnl_cache_store_find_type_at()).
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_STORE_SETTING_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_STORE_SETTING_H

#include "tools/common/state/configuration.h"

#define STORE_SETTING_VARIABLE "DNNL_CACHE_STORE"

struct store_setting {
    const char *type; /* a name of DNNL_CACHE_STORE_TYPE_NAMES; static */
    /* "", or that the value names no type, and which one is used. */
    char complaint[configuration_path_size + 512];
};

/* Of a value: NULL and "" are unset. file: which has it, NULL: the environment,
 * or the caller says so. */
void store_setting_read(
        struct store_setting *setting, const char *value, const char *file);

/* Of the process's environment or else of these files. */
void store_setting_find(struct store_setting *setting,
        const struct configuration *configuration);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_STORE_SETTING_H */
