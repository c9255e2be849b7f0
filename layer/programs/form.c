/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/form.h"

#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "layer/driver/crash_markers.h"
#include "layer/settings/print.h"

#include <stdlib.h>
#include <string.h>

/* What markers of forms have behind the entry's ID. */
static const uint8_t suffix[] = "finalised";

/* The name of the form for crash markers, malloc'ed. */
static uint8_t *name_of(const struct built_device *d, size_t *size)
{
    *size = d->id_size + sizeof suffix;
    uint8_t *name = malloc(*size);
    if (name == NULL) return NULL;
    memcpy(name, d->id, d->id_size);
    memcpy(name + d->id_size, suffix, sizeof suffix);
    return name;
}

bool form_is_safe(const struct built_device *d)
{
    size_t size;
    uint8_t *name = name_of(d, &size);
    const bool is_safe =
            name != NULL && crash_markers_ask(size, name) == crash_state_load;
    free(name);
    return is_safe;
}

int form_mark_making(const struct built_device *d)
{
    size_t size;
    uint8_t *name = name_of(d, &size);
    const int slot = name != NULL ? crash_markers_begin(size, name) : -1;
    free(name);
    return slot;
}

void form_free(struct built_device *d)
{
    uint8_t *form = d->form;
    d->form = NULL; /* first: a child of fork() may begin between */
    d->form_size = 0;
    free(form);
}

void form_read(const struct storage_entry *entry, struct built_device *d)
{
    size_t size = 0;
    form_free(d);
    if (dnnl_cache_engine_get_finalised_binary(
                d->engine->engine, entry->size, entry->blob, 0, &size, NULL)
                    != dnnl_success
            || !form_is_safe(d))
        return;
    d->form = malloc(size);
    d->form_size = size;
    if (d->form != NULL
            && dnnl_cache_engine_get_finalised_binary(d->engine->engine,
                       entry->size, entry->blob, 0, &size, d->form)
                       != dnnl_success)
        form_free(d);
}

bool form_is_in(const struct build *build)
{
    bool is = false;
    for (size_t i = 0; i < build->count; i++)
        is = is || build->devices[i].form != NULL;
    return is;
}

bool form_is_entry(const dnnl_cache_blob_info_t *info)
{
    return info->finalised_count > 0 && info->finalised_bytes == 0;
}

bool form_is_alone(const struct build *build)
{
    bool is = false;
    for (size_t i = 0; i < build->count; i++)
        is = is || build->devices[i].is_form_alone;
    return is;
}

int form_mark(const struct built_device *d, bool with_form)
{
    return with_form && d->form != NULL
                   ? form_mark_making(d)
                   : crash_markers_begin(d->id_size, d->id);
}

void form_refuse(struct build *build, cl_int error)
{
    const bool is_theirs =
            error != CL_OUT_OF_HOST_MEMORY && error != CL_OUT_OF_RESOURCES;
    print_failure("load",
            error == CL_SUCCESS
                    ? "a finalised form lacks kernels (error %d)"
                    : "the driver rejected a finalised form: error %d",
            (int)error);
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        if (is_theirs && d->form != NULL)
            (void)dnnl_cache_engine_refuse_finalised_binary(
                    d->engine->engine, d->form_size, d->form);
        form_free(d);
    }
}
