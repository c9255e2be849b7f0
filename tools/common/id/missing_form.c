/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/missing_form.h"

#include "src/binaries/pocl_finalise.h"
#include "src/drivers/driver_binaries.h"
#include "tools/common/id/fields.h"

#include <dnnl_cache.h>

#include <stdlib.h>
#include <string.h>

/* The ID names none where finalisers are off. */
static bool has_finaliser(size_t id_size, const uint8_t *id, const char *wanted)
{
    char *name = fields_get_text(id_size, id, "finaliser");
    const bool has = name != NULL && strncmp(name, wanted, strlen(wanted)) == 0;
    free(name);
    return has;
}

bool form_may_be_missing(size_t id_size, const uint8_t *id)
{
    return has_finaliser(id_size, id, DRIVER_PTX_FINALISER);
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

/* ---- PoCL ---------------------------------------------------------------- */

bool form_is_of_pocl(size_t id_size, const uint8_t *id)
{
    return has_finaliser(id_size, id, DRIVER_POCL_FINALISER);
}

static dnnl_status_t look_for_form(
        const dnnl_cache_blob_part_t *part, void *user)
{
    bool *has_form = user;
    if (part->kind == dnnl_cache_blob_part_program && part->finaliser_size > 0)
        *has_form = true;
    return dnnl_success;
}

static enum pocl_code_kind look_at_code(size_t size, const uint8_t *blob)
{
    size_t binary_size = 0;
    if (dnnl_cache_blob_get_program_binary(size, blob, 0, &binary_size, NULL)
            != dnnl_success)
        return pocl_code_other;
    enum pocl_code_kind code = pocl_code_other;
    uint8_t *binary = malloc(binary_size + 1);
    if (binary != NULL
            && dnnl_cache_blob_get_program_binary(
                       size, blob, 0, &binary_size, binary)
                       == dnnl_success)
        code = pocl_finalise_look(binary, binary_size);
    free(binary);
    return code;
}

/* Of a program without the form. */
static bool has_code(size_t id_size, const uint8_t *id, size_t size,
        const uint8_t *blob, enum pocl_code_kind kind)
{
    bool has_form = false;
    return form_is_of_pocl(id_size, id)
           && dnnl_cache_blob_describe(size, blob, look_for_form, &has_form)
                      == dnnl_success
           && !has_form && look_at_code(size, blob) == kind;
}

bool form_awaits_all_launches(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob)
{
    return has_code(id_size, id, size, blob, pocl_code_of_launches);
}

bool form_is_for_queries(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob)
{
    return has_code(id_size, id, size, blob, pocl_code_for_all);
}

/* ---- Any ----------------------------------------------------------------- */

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
