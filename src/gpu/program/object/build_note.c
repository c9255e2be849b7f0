/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/build_note.h"

#include <stdlib.h>
#include <string.h>

/* Room for all copies, measured first (bytes NULL), then filled. */
struct room {
    uint8_t *bytes;
    size_t size;
};

static void *take(struct room *room, const void *data, size_t size)
{
    void *at = NULL;
    if (room->bytes != NULL) at = room->bytes + room->size;
    if (at != NULL && data != NULL) memcpy(at, data, size);
    /* Arrays of anything may follow. */
    room->size += (size + 15) / 16 * 16;
    return at;
}

/* With a NUL behind it. */
static char *take_text(struct room *room, const char *text, size_t size)
{
    char *copy = take(room, NULL, size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void take_sources(struct room *room, const struct program_text *text,
        dnnl_cache_note_t *note)
{
    const size_t count = text->source_count;
    size_t *sizes = take(room, NULL, count * sizeof *sizes);
    const char **sources = take(room, NULL, count * sizeof *sources);
    for (size_t i = 0; i < count; i++) {
        const size_t size = text->lengths != NULL && text->lengths[i] > 0
                                    ? text->lengths[i]
                                    : strlen(text->sources[i]);
        char *copy = take_text(room, text->sources[i], size);
        if (copy == NULL) continue;
        sizes[i] = size;
        sources[i] = copy;
    }
    note->source_count = count;
    note->source_sizes = sizes;
    note->sources = sources;
}

static void take_headers(struct room *room, const struct header_set *set,
        dnnl_cache_note_t *note)
{
    dnnl_cache_note_header_t *headers =
            take(room, NULL, set->count * sizeof *headers);
    for (size_t i = 0; i < set->count; i++) {
        const struct header *header = &set->list[i];
        char *name = take_text(room, header->name, strlen(header->name));
        char *copy = take_text(room, header->text, header->size);
        if (headers != NULL)
            headers[i] = (dnnl_cache_note_header_t){name, header->size, copy};
    }
    note->header_count = set->count;
    note->headers = headers;
}

static void take_constants(struct room *room, const struct program_text *text,
        dnnl_cache_note_t *note)
{
    dnnl_cache_note_constant_t *constants =
            take(room, NULL, text->constant_count * sizeof *constants);
    for (size_t i = 0; constants != NULL && i < text->constant_count; i++) {
        constants[i].id = text->constants[i].id;
        constants[i].size = text->constants[i].size;
        memcpy(constants[i].value, text->constants[i].value,
                sizeof constants[i].value);
    }
    note->constant_count = text->constant_count;
    note->constants = constants;
}

static void take_all(struct room *room, const struct program_id *id,
        const struct program_text *text, dnnl_cache_note_t *note)
{
    note->id_size = id->size;
    note->id = take(room, id->data, id->size);
    if (text->il != NULL) {
        note->il_size = text->il_size;
        note->il = take(room, text->il, text->il_size);
    }
    note->options = take_text(room, text->options, strlen(text->options));
    take_sources(room, text, note);
    if (text->headers != NULL) take_headers(room, text->headers, note);
    take_constants(room, text, note);
}

struct build_note *build_note_create(dnnl_cache_note_origin_t origin,
        const struct program_id *id, const struct program_text *text,
        uint64_t compile_ns)
{
    struct room room = {NULL, 0};
    struct build_note *made = malloc(sizeof *made);
    if (made == NULL) return NULL;
    made->note = (dnnl_cache_note_t){.struct_size = sizeof made->note,
            .kind = dnnl_cache_note_build,
            .origin = origin,
            .type = dnnl_cache_note_executable,
            .compile_ns = compile_ns};
    take_all(&room, id, text, &made->note);
    made->bytes = malloc(room.size);
    if (made->bytes == NULL) {
        free(made);
        return NULL;
    }
    room = (struct room){made->bytes, 0};
    take_all(&room, id, text, &made->note);
    return made;
}

void build_note_destroy(struct build_note *note)
{
    if (note == NULL) return;
    free(note->bytes);
    free(note);
}
