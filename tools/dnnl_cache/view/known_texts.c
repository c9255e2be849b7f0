/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/known_texts.h"

#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "tools/dnnl_cache/base/place.h"

#include <dnnl_cache/recording.h>

#include <stdlib.h>
#include <string.h>

/* ---- Loading ------------------------------------------------------------- */

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    char *complaint = user;
    (void)level;
    (void)snprintf(complaint, tool_reason_size, "%s", text);
}

/* NULL: none. */
static dnnl_cache_store_handle_t *open_record(
        const char *record, char *complaint)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = record,
            .read_only = true,
            .log = hear,
            .log_user = complaint};
    dnnl_cache_store_handle_t *handle = NULL;
    complaint[0] = '\0';
    return record != NULL
                           && dnnl_cache_recording_open(&handle, &options)
                                      == dnnl_success
                   ? handle
                   : NULL;
}

bool known_texts_is_record(const char *record, char *complaint)
{
    dnnl_cache_store_handle_t *handle = open_record(record, complaint);
    dnnl_cache_store_close(handle);
    return handle != NULL;
}

void known_texts_load(struct known_texts *known, const struct tool *tool,
        const char *record, char *complaint)
{
    dnnl_cache_store_handle_t *handle = open_record(record, complaint);
    *known = (struct known_texts){NULL, NULL};
    if (handle != NULL)
        (void)dnnl_cache_store_journal_load(&known->record, handle);
    dnnl_cache_store_close(handle);
    if (tool->store != NULL && !place_is_remote(tool->options))
        (void)dnnl_cache_store_journal_load(&known->journal, tool->store);
}

void known_texts_fini(struct known_texts *known)
{
    dnnl_cache_store_journal_free(known->record);
    dnnl_cache_store_journal_free(known->journal);
    *known = (struct known_texts){NULL, NULL};
}

/* ---- Looking them up ----------------------------------------------------- */

/* As an ID has it: each source after its length. */
static struct digest256 digest_of(const dnnl_cache_note_t *note)
{
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < note->source_count; i++) {
        uint8_t size[8];
        store_le64(size, note->source_sizes[i]);
        digest256_update(&state, size, sizeof size);
        digest256_update(&state, note->sources[i], note->source_sizes[i]);
    }
    return digest256_final(&state);
}

/* False: no memory. */
static bool join(struct text_piece *out, const dnnl_cache_note_t *note)
{
    size_t size = 0;
    for (size_t i = 0; i < note->source_count; i++)
        size += note->source_sizes[i];
    char *text = malloc(size + 1);
    if (text == NULL) return false;
    *out = (struct text_piece){text, size};
    for (size_t i = 0; i < note->source_count; i++) {
        memcpy(text, note->sources[i], note->source_sizes[i]);
        text += note->source_sizes[i];
    }
    return true;
}

static bool is_of(
        const struct digest256 *digest, size_t size, const uint8_t *wanted)
{
    return size > 0 && size <= sizeof digest->bytes
           && memcmp(digest->bytes, wanted, size) == 0;
}

static bool find_source(struct text_piece *source,
        const struct dnnl_cache_store_journal_list *list, size_t size,
        const uint8_t *wanted)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        if (note->kind != dnnl_cache_note_build || note->source_count == 0)
            continue;
        const struct digest256 digest = digest_of(note);
        if (is_of(&digest, size, wanted)) return join(source, note);
    }
    return false;
}

bool known_texts_source(struct text_piece *source,
        const struct known_texts *known, size_t digest_size,
        const uint8_t *digest)
{
    return find_source(source, known->record, digest_size, digest)
           || find_source(source, known->journal, digest_size, digest);
}

static bool find_header(struct text_piece *file, size_t count,
        const dnnl_cache_note_header_t *headers, size_t size,
        const uint8_t *wanted)
{
    for (size_t i = 0; i < count; i++) {
        const struct digest256 digest =
                digest256_of(headers[i].text, headers[i].size);
        if (!is_of(&digest, size, wanted)) continue;
        *file = (struct text_piece){headers[i].text, headers[i].size};
        return true;
    }
    return false;
}

static bool find_file(struct text_piece *file,
        const struct dnnl_cache_store_journal_list *list, size_t size,
        const uint8_t *wanted)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        if (find_header(file, note->header_count, note->headers, size, wanted))
            return true;
    }
    return false;
}

bool known_texts_file(struct text_piece *file, const struct known_texts *known,
        size_t digest_size, const uint8_t *digest)
{
    return find_file(file, known->record, digest_size, digest)
           || find_file(file, known->journal, digest_size, digest);
}
