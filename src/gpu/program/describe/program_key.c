/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/program_key.h"

#include "src/blob/id.h"
#include "src/common/hash.h"

#include <string.h>

void program_key_start(
        struct program_key *key, cl_device_id device, const char *moved)
{
    struct digest256 folders = {{0}};
    if (moved != NULL) {
        struct digest256_state state;
        digest256_init(&state);
        digest256_update(&state, moved, strlen(moved));
        folders = digest256_final(&state);
    }
    buffer_init(&key->bytes);
    buffer_append_u64(&key->bytes, (uint64_t)(uintptr_t)device);
    buffer_append(&key->bytes, folders.bytes, sizeof folders.bytes);
}

dnnl_status_t program_key_finish(struct program_key *key)
{
    dnnl_status_t st = buffer_status(&key->bytes);
    if (st == dnnl_success)
        key->hash = hash64(key->bytes.data, key->bytes.size);
    else
        program_key_fini(key);
    return st;
}

void program_key_fini(struct program_key *key)
{
    buffer_fini(&key->bytes);
}

struct program_id program_key_id(const struct program_key *key)
{
    struct program_id id = {NULL, 0};
    if (key->bytes.size > 0) {
        id.data = key->bytes.data + PROGRAM_PLACE_SIZE;
        id.size = key->bytes.size - PROGRAM_PLACE_SIZE;
    }
    return id;
}

struct cache_key program_key_of_cache(const struct program_key *key)
{
    struct cache_key k = {key->bytes.data, key->bytes.size, key->hash};
    return k;
}

dnnl_status_t program_key_build(cl_device_id device,
        const struct buffer *device_fields, const struct program_text *text,
        const struct buffer *extra, struct program_key *out)
{
    struct program_key key;
    if (device_fields->size == 0) return dnnl_success;
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    id_put_fields(&id, device_fields->data, device_fields->size);
    program_text_put_id(text, &id);
    if (extra != NULL && extra->size > 0)
        id_put_fields(&id, extra->data, extra->size);
    dnnl_status_t st = id_builder_status(&id);
    if (st != dnnl_success) {
        id_builder_fini(&id);
        return st;
    }
    program_key_start(
            &key, device, text->named_options != NULL ? text->options : NULL);
    buffer_append(&key.bytes, id.bytes.data, id.bytes.size);
    id_builder_fini(&id);
    st = program_key_finish(&key);
    if (st == dnnl_success) *out = key;
    return st;
}
