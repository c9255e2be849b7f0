/* SPDX-License-Identifier: Apache-2.0 */
/* What is read and is no text: files of stores and of the user's cache. */
#include "growth.h"

#include "dnnl_cache/recording.h"
#include "stores/digests/file_digest_list.h"
#include "stores/journal/journal_note.h"
#include "stores/remote/remote_entry.h"
#include "stores/working_set/working_set_list.h"
#include "tools/common/state/crashes.h"
#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/archive/archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- Journals and records ------------------------------------------------ */

static const struct journal_writer writer = {"application", ""};

static void put_bytes(struct out *out, struct journal_bytes *bytes)
{
    must(!bytes->failed);
    put(out, bytes->data, bytes->size);
    free(bytes->data);
}

static uint64_t put_source(struct journal_bytes *bytes, const char *text)
{
    const uint64_t key = journal_text_key(strlen(text), text);
    journal_put_text(bytes, key, strlen(text), text);
    return key;
}

static void note_init(dnnl_cache_note_t *note, char id[32], unsigned number)
{
    const dnnl_cache_note_t empty = DNNL_CACHE_NOTE_INIT;
    *note = empty;
    note->origin = dnnl_cache_note_library;
    note->id = (const uint8_t *)id;
    note->id_size = (size_t)snprintf(id, 32, "program %u", number);
}

/* A build of one source. */
static void put_build(struct journal_bytes *bytes, unsigned number)
{
    char id[32];
    char source[64];
    const char *sources[1] = {source};
    dnnl_cache_note_t note;
    note_init(&note, id, number);
    snprintf(source, sizeof source, "kernel void k%u() {}", number);
    const size_t sizes[1] = {strlen(source)};
    (void)put_source(bytes, source);
    note.kind = dnnl_cache_note_build;
    note.type = dnnl_cache_note_executable;
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = sizes;
    journal_put_note(bytes, &note, &writer);
}

static void make_builds(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_put_head(&bytes);
    for (unsigned i = 0; bytes.size < wanted; i++)
        put_build(&bytes, i);
    put_bytes(out, &bytes);
}

/* Of one build. */
static void make_launches(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    char id[32];
    dnnl_cache_note_t note;
    journal_put_head(&bytes);
    put_build(&bytes, 0);
    note_init(&note, id, 0);
    note.kind = dnnl_cache_note_launch;
    note.kernel = "k";
    note.work_dim = 3;
    for (unsigned i = 0; bytes.size < wanted; i++) {
        note.local_size[0] = i + 1;
        journal_put_note(&bytes, &note, &writer);
    }
    put_bytes(out, &bytes);
}

static void make_kernels(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    char id[32];
    char name[32];
    dnnl_cache_note_t note;
    journal_put_head(&bytes);
    put_build(&bytes, 0);
    note_init(&note, id, 0);
    note.kind = dnnl_cache_note_kernel;
    note.kernel = name;
    note.arguments = "ggv";
    for (unsigned i = 0; bytes.size < wanted; i++) {
        snprintf(name, sizeof name, "k%u", i);
        journal_put_note(&bytes, &note, &writer);
    }
    put_bytes(out, &bytes);
}

static void make_uses(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_put_head(&bytes);
    put_build(&bytes, 0);
    for (unsigned i = 0; bytes.size < wanted; i++)
        journal_put_use(
                &bytes, journal_use_key(i / 4 + 1, i), i / 4 + 1, 1000 * i);
    put_bytes(out, &bytes);
}

static void make_failures(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_put_head(&bytes);
    put_build(&bytes, 0);
    for (unsigned i = 0; bytes.size < wanted; i++)
        journal_put_failure(&bytes, i / 4 + 1);
    put_bytes(out, &bytes);
}

/* The same note again and again. */
static void make_same_builds(struct out *out, size_t wanted)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_put_head(&bytes);
    while (bytes.size < wanted)
        put_build(&bytes, 0);
    put_bytes(out, &bytes);
}

enum list { of_sources, of_headers, of_constants, of_inputs, of_files };

/* One build with a long list. */
static void make_list(struct out *out, size_t wanted, enum list list)
{
    enum { most = 1 << 14 };
    struct journal_bytes bytes = {NULL, 0, 0, false};
    static const char *sources[most];
    static size_t sizes[most];
    static const uint8_t *ids[most];
    static dnnl_cache_note_header_t headers[most];
    static dnnl_cache_note_constant_t constants[most];
    static dnnl_cache_note_file_t files[most];
    static char names[most][16];
    char id[32];
    dnnl_cache_note_t note;
    const size_t each = list == of_files ? 56 : list == of_headers ? 24 : 16;
    const size_t count = wanted / each < most ? wanted / each : most;
    note_init(&note, id, 0);
    journal_put_head(&bytes);
    (void)put_source(&bytes, "a text");
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "h%zu", i);
        sources[i] = "a text";
        sizes[i] = 6;
        ids[i] = (const uint8_t *)"an ID!";
        headers[i] = (dnnl_cache_note_header_t){names[i], 6, "a text"};
        constants[i] = (dnnl_cache_note_constant_t){(uint32_t)i, 4, {1}};
        files[i] = (dnnl_cache_note_file_t){names[i], {1}};
    }
    note.kind = dnnl_cache_note_build;
    note.type = list == of_inputs ? dnnl_cache_note_linked
                                  : dnnl_cache_note_executable;
    note.sources = sources;
    note.source_sizes = sizes;
    note.source_count = list == of_inputs ? 0 : list == of_sources ? count : 1;
    note.input_ids = ids;
    note.input_id_sizes = sizes;
    note.input_count = list == of_inputs ? count : 0;
    note.headers = headers;
    note.header_count = list == of_headers ? count : 0;
    note.constants = constants;
    note.constant_count = list == of_constants ? count : 0;
    note.files = files;
    note.file_count = list == of_files ? count : 0;
    journal_put_note(&bytes, &note, &writer);
    put_bytes(out, &bytes);
}

static void make_sources(struct out *out, size_t wanted)
{
    make_list(out, wanted, of_sources);
}

static void make_headers(struct out *out, size_t wanted)
{
    make_list(out, wanted, of_headers);
}

static void make_constants(struct out *out, size_t wanted)
{
    make_list(out, wanted, of_constants);
}

static void make_inputs(struct out *out, size_t wanted)
{
    make_list(out, wanted, of_inputs);
}

static void make_note_files(struct out *out, size_t wanted)
{
    make_list(out, wanted, of_files);
}

static dnnl_cache_store_handle_t *open_record(const char *path, bool read_only)
{
    dnnl_cache_store_handle_t *record = NULL;
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = path,
            .read_only = read_only};
    must(dnnl_cache_recording_open(&record, &options) == dnnl_success);
    return record;
}

/* Its notes as a list, and how many there are. */
static void read_journal(char *text, size_t size)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    struct dnnl_cache_store_journal_statistics statistics =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    write_file("record", text, size);
    dnnl_cache_store_handle_t *record = open_record("record", true);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success
            && list->count > 0);
    dnnl_cache_store_journal_free(list);
    must(dnnl_cache_store_journal_get_statistics(record, &statistics)
            == dnnl_success);
    dnnl_cache_store_close(record);
}

/* As record merge does. */
static void copy_record(char *text, size_t size)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    write_file("record", text, size);
    (void)unlink("copy");
    dnnl_cache_store_handle_t *record = open_record("record", true);
    dnnl_cache_store_handle_t *copy = open_record("copy", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    for (size_t i = 0; i < list->count; i++)
        must(dnnl_cache_recording_copy(copy, list->items[i]) == dnnl_success);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(copy);
    dnnl_cache_store_close(record);
}

/* What a process adds to a record, one note after the other. */
static void add_to_record(char *text, size_t size)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    write_file("record", text, size);
    (void)unlink("added");
    dnnl_cache_store_handle_t *record = open_record("record", true);
    dnnl_cache_store_handle_t *added = open_record("added", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    for (size_t i = 0; i < list->count; i++)
        (void)dnnl_cache_recording_add(added, list->items[i]->note);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(added);
    dnnl_cache_store_close(record);
}

/* Every other note is dropped, at once. */
static void drop_from_journal(char *text, size_t size)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    size_t count = 0;
    write_file("record", text, size);
    must(chmod("record", 0600) == 0);
    dnnl_cache_store_handle_t *record = open_record("record", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    uint64_t *keys = calloc(list->count + 1, sizeof *keys);
    must(keys != NULL);
    for (size_t i = 0; i < list->count; i += 2)
        keys[count++] = list->items[i]->key;
    must(dnnl_cache_store_journal_drop(record, count, keys) == dnnl_success);
    free(keys);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

/* ---- Working sets -------------------------------------------------------- */

static void put_set_of(
        struct out *out, size_t count, struct working_set_id *ids)
{
    size_t size;
    uint8_t *list = working_set_list_write(&size, count, ids);
    must(list != NULL);
    put(out, list, size);
    free(list);
}

/* IDs of so many bytes each. */
static void make_set(struct out *out, size_t wanted)
{
    enum { most = 4096, id_size = 24 };
    static char texts[most][id_size];
    static struct working_set_id ids[most];
    size_t count = wanted / 20 < most ? wanted / 20 : most;
    for (size_t i = 0; i < count; i++) {
        /* The first bytes differ. */
        snprintf(texts[i], id_size, "%04zx and some bytes", i);
        ids[i] = (struct working_set_id){
                strlen(texts[i]), (const uint8_t *)texts[i]};
    }
    put_set_of(out, count, ids);
}

/* A store that has the list and, for each ID, a blob. */
struct set_store {
    const uint8_t *list;
    size_t size;
};

static dnnl_status_t set_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    static const uint8_t one[] = "a blob";
    const struct set_store *store = user;
    const bool is_list = dnnl_cache_store_working_set_is_list(id_size, id);
    *blob = is_list ? store->list : one;
    *size = is_list ? store->size : sizeof one;
    return dnnl_success;
}

static void set_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

struct asking {
    struct dnnl_cache_store_working_set *set;
    const dnnl_cache_store_t *store;
};

static void ask(void *user, size_t id_size, const uint8_t *id)
{
    const struct asking *asking = user;
    const uint8_t *blob;
    size_t size;
    if (asking->store->get(asking->store->user, id_size, id, &size, &blob)
            == dnnl_success)
        asking->store->release(asking->store->user, size, blob);
}

/* Brings the list and what it names, and asks for each of them. */
static void read_set(char *text, size_t size)
{
    struct set_store inner = {bytes_of(text), size};
    const dnnl_cache_store_t store = {.struct_size = sizeof store,
            .user = &inner,
            .get = set_get,
            .release = set_release};
    struct dnnl_cache_store_working_set_options options =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    struct asking asking = {NULL, NULL};
    options.store = &store;
    options.application = "growth";
    options.device_id = (const uint8_t *)"device";
    options.device_id_size = 6;
    must(dnnl_cache_store_working_set_open(&asking.set, &options)
            == dnnl_success);
    asking.store = dnnl_cache_store_working_set_callbacks(asking.set);
    must(dnnl_cache_store_working_set_read_list(
                 size, bytes_of(text), ask, &asking)
            == dnnl_success);
    dnnl_cache_store_working_set_close(asking.set);
}

/* ---- Digests of files, crashes ------------------------------------------- */

static void make_digests(struct out *out, size_t wanted)
{
    struct file_digest_list list = {.items = NULL};
    const uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE] = {1};
    char key[64];
    size_t size;
    const size_t count =
            wanted / 60 < file_digest_most ? wanted / 60 : file_digest_most;
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "boot /lib/%06zu", i);
        must(file_digest_list_put(
                &list, strlen(key), (const uint8_t *)key, digest));
    }
    uint8_t *bytes = file_digest_list_write(&list, &size);
    must(bytes != NULL);
    put(out, bytes, size);
    free(bytes);
    file_digest_list_fini(&list);
}

static void read_digests(char *text, size_t size)
{
    struct file_digest_list list;
    must(file_digest_list_read(&list, size, bytes_of(text)));
    file_digest_list_fini(&list);
}

static void make_crashes(struct out *out, size_t wanted)
{
    char line[state_line_size];
    char text[128];
    for (unsigned i = 0; out->size < wanted; i++) {
        snprintf(text, sizeof text, "%016x%016x %s %llu", i % 64, i / 8,
                i % 5 == 4 ? "fine" : "crash",
                (unsigned long long)crashes_now_s());
        put(out, line, state_line_make(line, text));
    }
}

static void make_damaged_crashes(struct out *out, size_t wanted)
{
    while (out->size < wanted)
        put_text(out, "x\n");
}

static void read_crashes(char *text, size_t size)
{
    struct crashes crashes;
    write_file("crashes", text, size);
    const int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(folder >= 0);
    crashes_read(&crashes, folder, crashes_now_s());
    crashes_fini(&crashes);
    (void)close(folder);
}

/* ---- Remote entries and archives ----------------------------------------- */

static struct remote_keys *open_keys(bool encrypts)
{
    static const char key[] =
            "dnnl_cache-encryption-key 1 000102030405060708090a0b0c0d0e0f"
            "101112131415161718191a1b1c1d1e1f\n";
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    write_file("encryption.key", key, sizeof key - 1);
    must(chmod("encryption.key", 0600) == 0);
    const struct remote_key_files files = {.insecure = !encrypts,
            .encryption_key = encrypts ? "encryption.key" : NULL};
    must(remote_keys_open(&keys, &files, why) == 0);
    return keys;
}

static void make_entry_with(
        struct out *out, size_t wanted, struct remote_keys *keys)
{
    uint8_t *blob = calloc(1, wanted);
    uint8_t *bytes = NULL;
    size_t size = 0;
    const struct remote_entry entry = {
            .item = {.id_size = 8,
                    .id = (const uint8_t *)"eight by",
                    .blob_size = wanted},
            .blob = blob};
    must(blob != NULL && remote_entry_encode(&bytes, &size, &entry, keys) == 0);
    put(out, bytes, size);
    remote_keys_close(keys);
    free(bytes);
    free(blob);
}

static void make_entry(struct out *out, size_t wanted)
{
    make_entry_with(out, wanted, open_keys(false));
}

static void make_encrypted_entry(struct out *out, size_t wanted)
{
    make_entry_with(out, wanted, open_keys(true));
}

static void read_entry_with(
        uint8_t *bytes, size_t size, struct remote_keys *keys)
{
    char name[remote_name_size];
    size_t at = 0;
    struct remote_entry entry;
    remote_entry_name_with(name, keys, 0, 8, (const uint8_t *)"eight by");
    must(remote_entry_uncover(&at, &size, name, size, bytes, keys)
            == remote_intact);
    must(remote_entry_decode(&entry, size, bytes + at, keys) == remote_intact);
    remote_keys_close(keys);
}

static void read_entry(char *text, size_t size)
{
    read_entry_with((uint8_t *)text, size, open_keys(false));
}

static void read_encrypted_entry(char *text, size_t size)
{
    read_entry_with((uint8_t *)text, size, open_keys(true));
}

static void make_archive(struct out *out, size_t wanted)
{
    struct archive_writer *archive;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    must(stream != NULL && archive_writer_open_stream(&archive, stream) == 0);
    for (unsigned i = 0; i < wanted / 64; i++) {
        char id[16];
        snprintf(id, sizeof id, "%08u", i);
        const struct archive_entry entry = {
                .kind = dnnl_cache_blob_kind_program,
                .id_size = 8,
                .id = (const uint8_t *)id,
                .blob_size = 8,
                .blob = (const uint8_t *)"a blob..."};
        must(archive_writer_add(archive, &entry) == 0);
    }
    must(archive_writer_finish(archive) == 0);
    archive_writer_close(archive);
    must(fclose(stream) == 0);
    put(out, text, size);
    free(text);
}

static void read_archive(char *text, size_t size)
{
    struct archive_reader *archive;
    struct archive_entry entry;
    enum archive_status status;
    write_file("archive", text, size);
    must(archive_reader_open(&archive, "archive") == 0);
    while ((status = archive_reader_next(archive, &entry)) == archive_ok)
        continue;
    must(status == archive_end);
    archive_reader_close(archive);
}

/* ---- All of them --------------------------------------------------------- */

const struct shape store_shapes[] = {
        BYTES("journal-builds", read_journal, make_builds),
        BYTES("journal-same-builds", read_journal, make_same_builds),
        BYTES("journal-launches", read_journal, make_launches),
        BYTES("journal-kernels", read_journal, make_kernels),
        BYTES("journal-uses", read_journal, make_uses),
        BYTES("journal-failures", read_journal, make_failures),
        BYTES("journal-sources", read_journal, make_sources),
        BYTES("journal-headers", read_journal, make_headers),
        BYTES("journal-constants", read_journal, make_constants),
        BYTES("journal-inputs", read_journal, make_inputs),
        BYTES("journal-files", read_journal, make_note_files),
        BYTES("journal-drop-builds", drop_from_journal, make_builds),
        BYTES("journal-drop-launches", drop_from_journal, make_launches),
        BYTES("record-copy-builds", copy_record, make_builds),
        BYTES("record-copy-launches", copy_record, make_launches),
        BYTES("record-add-builds", add_to_record, make_builds),
        BYTES("record-add-files", add_to_record, make_note_files),
        BYTES("working-set", read_set, make_set),
        BYTES("file-digests", read_digests, make_digests),
        BYTES("crashes", read_crashes, make_crashes),
        BYTES("crashes-damaged", read_crashes, make_damaged_crashes),
        BYTES("remote-entry", read_entry, make_entry),
        BYTES("remote-entry-encrypted", read_encrypted_entry,
                make_encrypted_entry),
        BYTES("archive", read_archive, make_archive),
};

const size_t store_shape_count = sizeof store_shapes / sizeof *store_shapes;
