/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/record_names.h"

#include "dnnl_cache/recording.h"
#include "src/common/array.h"
#include "src/platform/file.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Programs ------------------------------------------------------------ */

static uint64_t hash_of(size_t size, const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, size);
    return hash != 0 ? hash : 1;
}

struct record_name *record_names_find(
        const struct record_names *names, size_t id_size, const uint8_t *id)
{
    const uint64_t *place =
            journal_keys_find(&names->places, hash_of(id_size, id));
    struct record_name *name = place != NULL ? &names->list[*place] : NULL;
    return name != NULL && name->machine_size == id_size
                           && memcmp(name->machine_id, id, id_size) == 0
                   ? name
                   : NULL;
}

bool record_names_add(struct record_names *names, size_t machine_size,
        const uint8_t *machine_id, size_t size, const uint8_t *id)
{
    if (!array_grow(&names->list, names->count, sizeof *names->list))
        return false;
    uint8_t *copy = malloc(machine_size + size);
    if (copy == NULL
            || !journal_keys_set(&names->places,
                    hash_of(machine_size, machine_id), names->count)) {
        free(copy);
        return false;
    }
    memcpy(copy, machine_id, machine_size);
    memcpy(copy + machine_size, id, size);
    names->list[names->count++] = (struct record_name){
            machine_size, copy, size, copy + machine_size, 0};
    return true;
}

void record_names_fini(struct record_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].machine_id);
    free(names->list);
    journal_keys_fini(&names->places);
    *names = (struct record_names){.count = 0};
}

/* ---- Headers ------------------------------------------------------------- */

enum { most_file = 1 << 24, most_name = 255 };

bool dnnl_cache_recording_is_header_name(const char *name)
{
    const size_t size = strlen(name);
    if (size == 0 || size > most_name || name[0] == '/'
            || name[size - 1] == '/')
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) return false;
    for (const char *part = name; *part != '\0';) {
        const size_t n = strcspn(part, "/");
        if (n == 2 && memcmp(part, "..", 2) == 0) return false;
        part += n + (part[n] == '/');
    }
    return true;
}

/* What the file holds, with a NUL behind it; NULL: not what was read. */
static char *read_file(const dnnl_cache_note_file_t *file, size_t *size)
{
    uint8_t digest[sizeof file->digest];
    uint8_t *text = NULL;
    int fd;
    if (file_open(
                &fd, file_here, file->path, file_for_reading | file_no_wait, 0)
            != 0)
        return NULL;
    const int error = file_read_open(&text, size, fd, most_file);
    (void)file_close(fd);
    if (error != 0) return NULL;
    if (crypto_generichash(digest, sizeof digest, text, *size, NULL, 0) == 0
            && memcmp(digest, file->digest, sizeof digest) == 0)
        return (char *)text;
    free(text);
    return NULL;
}

bool record_headers_init(
        struct record_headers *headers, dnnl_cache_note_t *note)
{
    size_t count = note->header_count;
    *headers = (struct record_headers){
            .list = calloc(note->header_count + note->file_count + 1,
                    sizeof *headers->list),
            .texts = calloc(note->file_count + 1, sizeof *headers->texts)};
    if (headers->list == NULL || headers->texts == NULL) return false;
    if (count > 0)
        memcpy(headers->list, note->headers, count * sizeof *headers->list);
    for (size_t i = 0; i < note->file_count; i++) {
        const dnnl_cache_note_file_t *file = &note->files[i];
        size_t size;
        char *text = dnnl_cache_recording_is_header_name(file->path)
                             ? read_file(file, &size)
                             : NULL;
        if (text == NULL) continue;
        headers->texts[headers->text_count++] = text;
        headers->list[count++] =
                (dnnl_cache_note_header_t){file->path, size, text};
    }
    note->header_count = count;
    note->headers = headers->list;
    return true;
}

void record_headers_fini(struct record_headers *headers)
{
    for (size_t i = 0; i < headers->text_count; i++)
        free(headers->texts[i]);
    free(headers->texts);
    free(headers->list);
}
