/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for what sources and build options include.
 */
#include "dnnl_cache.h"
#include "dnnl_cache/sys/layer.h"
#include "src/includes/build_options.h"
#include "src/includes/include_scan.h"

static dnnl_cache_include_form_t form_of(enum include_form form)
{
    switch (form) {
    case include_quoted:
        return dnnl_cache_include_quoted;
    case include_bracket:
        return dnnl_cache_include_bracket;
    case include_macro:
        break;
    }
    return dnnl_cache_include_unknown;
}

dnnl_status_t dnnl_cache_find_includes(size_t size, const char *source,
        dnnl_cache_include_callback_t callback, void *user)
{
    if ((source == NULL && size > 0) || callback == NULL)
        return dnnl_invalid_arguments;
    struct include_scan scan;
    struct include_directive found;
    dnnl_status_t st = dnnl_success;
    include_scan_init(&scan, source, size);
    while (st == dnnl_success && include_scan_next(&scan, &found)) {
        const dnnl_cache_include_t include = {.struct_size = sizeof include,
                .form = form_of(found.form),
                .name_size = found.name_size,
                .name = found.name};
        st = callback(&include, user);
    }
    return st;
}

dnnl_status_t dnnl_cache_options_read_files(
        const char *options, int *reads_files)
{
    if (reads_files == NULL) return dnnl_invalid_arguments;
    *reads_files = 0;
    if (options != NULL && options_include_files(options))
        *reads_files = 1;
    else if (options != NULL && options_make_strings(options))
        *reads_files = 2;
    return dnnl_success;
}
