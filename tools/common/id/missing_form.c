/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/missing_form.h"

#include "src/drivers/driver_binaries.h"
#include "tools/common/id/fields.h"

#include <dnnl_cache.h>

#include <stdlib.h>
#include <string.h>

/* The ID names none where finalisers are off. */
bool form_may_be_missing(size_t id_size, const uint8_t *id)
{
    char *name = fields_get_text(id_size, id, "finaliser");
    const bool has = name != NULL
                     && strncmp(name, DRIVER_PTX_FINALISER,
                                sizeof DRIVER_PTX_FINALISER - 1)
                                == 0;
    free(name);
    return has;
}

static dnnl_status_t look(const dnnl_cache_blob_part_t *part, void *user)
{
    bool *is_missing = user;
    if (part->kind == dnnl_cache_blob_part_program && part->finaliser_size == 0
            && part->bytes > driver_most_ptx)
        *is_missing = true;
    return dnnl_success;
}

bool form_is_missing(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob)
{
    bool is_missing = false;
    return form_may_be_missing(id_size, id)
           && dnnl_cache_blob_describe(size, blob, look, &is_missing)
                      == dnnl_success
           && is_missing;
}

struct programs {
    size_t count;
    size_t with_form;
};

static dnnl_status_t count(const dnnl_cache_blob_part_t *part, void *user)
{
    struct programs *programs = user;
    if (part->kind != dnnl_cache_blob_part_program) return dnnl_success;
    programs->count++;
    programs->with_form += part->finaliser_size > 0;
    return dnnl_success;
}

bool form_is_there(size_t size, const uint8_t *blob)
{
    struct programs programs = {.count = 0};
    return dnnl_cache_blob_describe(size, blob, count, &programs)
                   == dnnl_success
           && programs.count > 0 && programs.with_form == programs.count;
}
