/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/record_id.h"

#include "dnnl_cache/recording.h"
#include "src/common/byte_order.h"

#include <dnnl_cache.h>
#include <string.h>
#include <xxhash.h>

enum { magic_size = 8, hash_size = 16, key_head_size = 4 };

static const char magic[magic_size + 1] = "dnnlprog";

/* ---- What a program is made of ------------------------------------------- */

static void add(XXH3_state_t *state, const void *data, size_t size)
{
    uint8_t head[8];
    store_le64(head, size);
    (void)XXH3_128bits_update(state, head, sizeof head);
    if (size > 0) (void)XXH3_128bits_update(state, data, size);
}

static void add_number(XXH3_state_t *state, uint64_t number)
{
    uint8_t data[8];
    store_le64(data, number);
    (void)XXH3_128bits_update(state, data, sizeof data);
}

static void add_text(XXH3_state_t *state, const char *text)
{
    add(state, text, text != NULL ? strlen(text) : 0);
}

static void add_headers(XXH3_state_t *state, size_t count,
        const dnnl_cache_note_header_t *headers)
{
    add_number(state, count);
    for (size_t i = 0; i < count; i++) {
        add_text(state, headers[i].name);
        add(state, headers[i].text, headers[i].size);
    }
}

/* Each list after its length: no two programs have the same bytes. The last
 * list is left out if it is empty, and the folder if there is none, so that
 * programs keep the names that they had before there was one: keys follow, and
 * where it has something, which the layer's programs alone have, these have 0
 * bytes. */
static void add_program(XXH3_state_t *state, const dnnl_cache_note_t *note)
{
    add_number(state, (uint64_t)note->origin);
    add_number(state, (uint64_t)note->type);
    add_number(state, (uint64_t)note->reads_files);
    add_text(state, note->options);
    add_number(state, note->source_count);
    for (size_t i = 0; i < note->source_count; i++)
        add(state, note->sources[i], note->source_sizes[i]);
    add(state, note->il, note->il_size);
    add_headers(state, note->header_count, note->headers);
    add_number(state, note->constant_count);
    for (size_t i = 0; i < note->constant_count; i++) {
        add_number(state, note->constants[i].id);
        add(state, note->constants[i].value, note->constants[i].size);
    }
    add_number(state, note->input_count);
    for (size_t i = 0; i < note->input_count; i++)
        add(state, note->input_ids[i], note->input_id_sizes[i]);
    if (note->header_program_count > 0)
        add_headers(state, note->header_program_count, note->header_programs);
    if (note->directory != NULL) {
        add_text(state, "directory");
        add_text(state, note->directory);
    }
}

/* ---- Keys ---------------------------------------------------------------- */

/* The layer's own keys are made anew where the record is replayed. */
static void put_keys(struct journal_bytes *bytes, size_t size,
        const uint8_t *id, dnnl_cache_note_origin_t origin)
{
    const dnnl_cache_id_field_t none = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t field = none;
    size_t position = 0;
    if (origin == dnnl_cache_note_layer) return;
    for (; dnnl_cache_id_next_field(size, id, &position, &field)
            == dnnl_success;
            field = none) {
        uint8_t head[key_head_size];
        if (strcmp(field.name, "application_key") != 0) continue;
        store_le32(head, (uint32_t)field.size);
        journal_put_bytes(bytes, sizeof head, head);
        journal_put_bytes(bytes, field.size, field.value);
    }
}

const uint8_t *dnnl_cache_recording_next_key(
        size_t *size, size_t *at, size_t id_size, const uint8_t *id)
{
    const size_t begin = magic_size + hash_size;
    if (id_size < begin || memcmp(id, magic, magic_size) != 0) return NULL;
    if (*at == 0) *at = begin;
    if (*at > id_size || id_size - *at < key_head_size) return NULL;
    *size = load_le32(id + *at);
    const uint8_t *key = id + *at + key_head_size;
    if (*size == 0 || *size > id_size - *at - key_head_size) return NULL;
    *at += key_head_size + *size;
    return key;
}

/* ---- The ID -------------------------------------------------------------- */

void record_id_put(struct journal_bytes *bytes, const dnnl_cache_note_t *note,
        size_t keys_of_size, const uint8_t *keys_of)
{
    XXH128_canonical_t hash = {{0}};
    const size_t begin = bytes->size;
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) {
        bytes->failed = true;
        return;
    }
    journal_put_bytes(bytes, magic_size, magic);
    journal_put_bytes(bytes, sizeof hash, &hash);
    put_keys(bytes, keys_of_size, keys_of, note->origin);
    if (!bytes->failed) {
        const size_t keys = begin + magic_size + hash_size;
        (void)XXH3_128bits_reset(state);
        add_program(state, note);
        add(state, bytes->data + keys, bytes->size - keys);
        XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
        memcpy(bytes->data + begin + magic_size, &hash, sizeof hash);
    }
    XXH3_freeState(state);
}
