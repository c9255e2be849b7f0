/* SPDX-License-Identifier: Apache-2.0 */
/* Includes as the library follows them for a program's ID: what the tests of
 * src/includes ask for, through the public calls. */
#include "bytes.h"
#include "include_helpers.h"
#include "queries.h"
#include "rig.h"

#include "src/gpu/program/describe/program_desc.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The field of an ID; false: it has none. */
static bool find_field(
        const struct bytes *id, const char *name, dnnl_cache_id_field_t *field)
{
    for (size_t i = 0; dnnl_cache_id_get_field(id->size, id->data, i, field)
                       == dnnl_success;
            i++)
        if (strcmp(field->name, name) == 0) return true;
    return false;
}

/* What was found is in the ID, and nothing where nothing was. */
static void expect_in_id(const struct includes *found, const struct bytes *id)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    const bool is_there = find_field(id, "includes", &field);
    EXPECT_EQ(found->count > 0, is_there);
    if (is_there)
        EXPECT_BYTES_EQ(
                found->digest, sizeof found->digest, field.value, field.size);
}

bool follow_sources(struct includes *out, size_t count,
        const char *const *sources, const size_t *lengths, const char *options)
{
    dnnl_engine_t engine = NULL;
    dnnl_cache_program_desc_t desc = NULL;
    const char *reason = NULL;
    int is_cacheable = 0;
    EXPECT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_program_desc_create(
            &desc, engine, count, sources, lengths, options));
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    EXPECT_OK(
            dnnl_cache_program_desc_is_cacheable(desc, &is_cacheable, &reason));
    struct bytes id = program_id(desc);
    EXPECT_EQ(is_cacheable != 0, id.size > 0);
    if (is_cacheable != 0) {
        *out = desc->includes;
        expect_in_id(out, &id);
    } else {
        (void)snprintf(out->reason, sizeof out->reason, "%s", reason);
        /* Which of the two is the layer's matter. */
        out->is_options = strstr(reason, "option") != NULL;
    }
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
    return is_cacheable != 0;
}
