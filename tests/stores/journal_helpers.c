/* SPDX-License-Identifier: Apache-2.0 */
#include "journal_helpers.h"

#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

dnnl_cache_note_t note_of_build(const char *id, const char *source)
{
    static const char *sources[1];
    static size_t sizes[1];
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    sources[0] = source;
    sizes[0] = strlen(source);
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_library;
    note.id = (const uint8_t *)id;
    note.id_size = strlen(id);
    note.type = dnnl_cache_note_executable;
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = sizes;
    note.options = "-DA=1";
    return note;
}

dnnl_cache_note_t note_of_launch(
        const char *id, const char *kernel, size_t local_size)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_launch;
    note.origin = dnnl_cache_note_library;
    note.id = (const uint8_t *)id;
    note.id_size = strlen(id);
    note.kernel = kernel;
    note.work_dim = 1;
    note.local_size[0] = local_size;
    return note;
}

dnnl_cache_store_handle_t *open_type(
        const struct dnnl_cache_store_type *type, bool read_only)
{
    static char path[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path_in_test(path, type->name);
    options.read_only = read_only;
    EXPECT_STATUS(
            dnnl_success, dnnl_cache_store_open(&store, type->name, &options));
    return store;
}

const char *journal_path(const struct dnnl_cache_store_type *type)
{
    static char path[path_size];
    char name[64];
    snprintf(name, sizeof name, "%s%sjournal", type->name,
            type->is_file ? "." : "/");
    return path_in_test(path, name);
}

dnnl_status_t append_build(
        dnnl_cache_store_handle_t *store, const char *id, const char *text)
{
    const dnnl_cache_note_t note = note_of_build(id, text);
    return dnnl_cache_store_journal_append(store, &note);
}

dnnl_status_t append_launch(dnnl_cache_store_handle_t *store, const char *id,
        const char *kernel, size_t local_size)
{
    const dnnl_cache_note_t note = note_of_launch(id, kernel, local_size);
    return dnnl_cache_store_journal_append(store, &note);
}

size_t size_of_journal(const struct dnnl_cache_store_type *type)
{
    struct stat st;
    return stat(journal_path(type), &st) == 0 ? (size_t)st.st_size : 0;
}

struct text {
    char *at;
    size_t left;
};

static void add(struct text *text, const char *bytes, size_t size)
{
    if (size >= text->left) return;
    memcpy(text->at, bytes, size);
    text->at += size;
    text->left -= size;
    *text->at = '\0';
}

static bool write_line(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    struct text *text = user;
    const dnnl_cache_note_t *note = item->note;
    const bool is_build = note->kind == dnnl_cache_note_build;
    char number[64];
    add(text, is_build ? "build " : "launch ", is_build ? 6 : 7);
    add(text, (const char *)note->id, note->id_size);
    for (size_t i = 0; i < note->source_count; i++) {
        add(text, i == 0 ? " " : "|", 1);
        add(text, note->sources[i], note->source_sizes[i]);
    }
    snprintf(number, sizeof number, " %s %zu", is_build ? "" : note->kernel,
            note->local_size[0]);
    add(text, is_build ? " " : number, is_build ? 1 : strlen(number));
    if (is_build) add(text, note->options, strlen(note->options));
    add(text, "\n", 1);
    return true;
}

const char *journal_lines(dnnl_cache_store_handle_t *store)
{
    static char memory[1 << 16];
    struct text text = {memory, sizeof memory};
    memory[0] = '\0';
    const dnnl_status_t st =
            dnnl_cache_store_journal_read(store, write_line, &text);
    if (st != dnnl_success)
        snprintf(memory, sizeof memory, "status %d", (int)st);
    return memory;
}
