/* SPDX-License-Identifier: Apache-2.0 */
/* What is read and is no text: files of stores, binaries, models. */
#include "growth.h"

#include "dnnl_cache/record.h"
#include "src/binaries/binary_form.h"
#include "src/binaries/describe.h"
#include "src/binaries/elf_pack.h"
#include "src/binaries/intel_binary.h"
#include "src/binaries/pocl_finalise.h"
#include "src/binaries/pocl_layout.h"
#include "src/blob/blob.h"
#include "src/blob/id.h"
#include "src/blob/reader.h"
#include "src/blob/writer.h"
#include "src/gpu/device/loaded_objects.h"
#include "src/gpu/device/nvidia_cubin.h"
#include "stores/digests/file_digest_list.h"
#include "stores/journal/journal_format.h"
#include "stores/remote/remote_entry.h"
#include "stores/working_set/working_set_list.h"
#include "tools/common/id/facts.h"
#include "tools/common/state/crashes.h"
#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/archive/archive.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static void must(bool is_so)
{
    if (!is_so) abort();
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "w");
    must(file != NULL && fwrite(data, 1, size, file) == size
            && fclose(file) == 0);
}

static const uint8_t *bytes_of(const char *text)
{
    return (const uint8_t *)text;
}

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

static struct dnnl_cache_store_handle *open_record(
        const char *path, bool read_only)
{
    struct dnnl_cache_store_handle *record = NULL;
    const struct dnnl_cache_store_record_options options = {
            .path = path, .read_only = read_only};
    must(dnnl_cache_store_record_open(&record, &options) == dnnl_success);
    return record;
}

/* Its notes as a list, and how many there are. */
static void read_journal(char *text, size_t size)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    struct dnnl_cache_store_journal_statistics statistics;
    write_file("record", text, size);
    struct dnnl_cache_store_handle *record = open_record("record", true);
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
    struct dnnl_cache_store_handle *record = open_record("record", true);
    struct dnnl_cache_store_handle *copy = open_record("copy", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    for (size_t i = 0; i < list->count; i++)
        must(dnnl_cache_store_record_copy(copy, &list->items[i])
                == dnnl_success);
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
    struct dnnl_cache_store_handle *record = open_record("record", true);
    struct dnnl_cache_store_handle *added = open_record("added", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    for (size_t i = 0; i < list->count; i++)
        (void)dnnl_cache_store_record_add(added, &list->items[i].note);
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
    struct dnnl_cache_store_handle *record = open_record("record", false);
    must(dnnl_cache_store_journal_load(&list, record) == dnnl_success);
    uint64_t *keys = calloc(list->count + 1, sizeof *keys);
    must(keys != NULL);
    for (size_t i = 0; i < list->count; i += 2)
        keys[count++] = list->items[i].key;
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
            dnnl_cache_store_working_set_options_default();
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

static void make_entry(struct out *out, size_t wanted)
{
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    const struct remote_key_files files = {.insecure = true};
    uint8_t *blob = calloc(1, wanted);
    uint8_t *bytes = NULL;
    size_t size = 0;
    const struct remote_entry entry = {
            .item = {.id_size = 8,
                    .id = (const uint8_t *)"eight by",
                    .blob_size = wanted},
            .blob = blob};
    must(blob != NULL && remote_keys_open(&keys, &files, why) == 0
            && remote_entry_encode(&bytes, &size, &entry, keys) == 0);
    put(out, bytes, size);
    remote_keys_close(keys);
    free(bytes);
    free(blob);
}

static void read_entry(char *text, size_t size)
{
    char why[remote_why_size];
    struct remote_keys *keys;
    struct remote_entry entry;
    const struct remote_key_files files = {.insecure = true};
    must(remote_keys_open(&keys, &files, why) == 0);
    must(remote_entry_decode(&entry, size, bytes_of(text), keys)
            == remote_intact);
    remote_keys_close(keys);
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

/* ---- IDs and blobs ------------------------------------------------------- */

static void make_id(struct out *out, size_t wanted)
{
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    for (unsigned i = 0; id.bytes.size < wanted; i++)
        id_put_u64(&id, (enum id_tag)0x7001, i);
    put(out, id.bytes.data, id.bytes.size);
    id_builder_fini(&id);
}

static void read_id(char *text, size_t size)
{
    struct id_reader reader;
    struct id_field field;
    const char *names[4];
    char *other = malloc(size);
    must(other != NULL);
    memcpy(other, text, size);
    other[size - 1]++;
    must(id_reader_init(&reader, bytes_of(text), size) == dnnl_success);
    while (id_reader_next(&reader, &field))
        continue;
    must(id_diff(bytes_of(text), size, bytes_of(other), size, names, 4) > 0);
    free(other);
}

static void put_blob(struct out *out, const struct blob_contents *contents)
{
    size_t size = 0;
    must(blob_write(contents, NULL, 0, &size) == dnnl_success);
    uint8_t *blob = malloc(size);
    must(blob != NULL
            && blob_write(contents, blob, size, &size) == dnnl_success);
    put(out, blob, size);
    free(blob);
}

/* A binary, whose size is the blob's, and kernels, if each has so many bytes.
 */
static void make_blob_of(struct out *out, size_t wanted, size_t each)
{
    enum { most = 4096 };
    static struct blob_kernel kernels[most];
    static char names[most][16];
    struct id_builder id;
    uint8_t *binary = calloc(1, wanted);
    const size_t count = each == 0              ? 0
                         : wanted / each < most ? wanted / each
                                                : most;
    must(binary != NULL);
    id_builder_init(&id, blob_kind_program);
    id_put_u32(&id, id_backend, 1);
    for (size_t i = 0; i < count; i++)
        kernels[i] = (struct blob_kernel){.name = names[i],
                .name_size = (size_t)snprintf(
                        names[i], sizeof names[i], "kernel%zu", i)};
    const struct blob_program program = {.id = id.bytes.data,
            .id_size = id.bytes.size,
            .binary = binary,
            .binary_size = count > 0 ? 8 : wanted,
            .raw_size = count > 0 ? 8 : wanted,
            .backend = blob_backend_opencl};
    const struct blob_contents contents = {.kind = blob_kind_program,
            .id = id.bytes.data,
            .id_size = id.bytes.size,
            .programs = &program,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = (uint32_t)count};
    put_blob(out, &contents);
    id_builder_fini(&id);
    free(binary);
}

static void make_blob(struct out *out, size_t wanted)
{
    make_blob_of(out, wanted, 0);
}

static void make_blob_of_kernels(struct out *out, size_t wanted)
{
    make_blob_of(out, wanted, 56);
}

static dnnl_status_t see_part(const dnnl_cache_blob_part_t *part, void *user)
{
    (void)part;
    (void)user;
    return dnnl_success;
}

static void read_blob(char *text, size_t size)
{
    struct blob_view view;
    struct blob_reason reason;
    must(blob_read(&view, bytes_of(text), size, &reason) == dnnl_success);
    must(blob_describe(&view, see_part, NULL) == dnnl_success);
}

/* ---- Facts --------------------------------------------------------------- */

static void put_facts(struct out *out, struct kernel_facts *kernels,
        size_t count, const char *log)
{
    struct bytes bytes;
    const struct facts facts = {.options = "",
            .log = log,
            .log_size = strlen(log),
            .kernel_names = "",
            .has_classes = true,
            .kernel_count = (uint32_t)count,
            .kernels = kernels};
    must(facts_encode(&facts, &bytes));
    put(out, bytes.data, bytes.size);
    free(bytes.data);
}

static const struct arg_facts no_arg = {.type_name = "", .name = ""};

static void make_facts_of_kernels(struct out *out, size_t wanted)
{
    enum { most = 4096 };
    static struct kernel_facts kernels[most];
    static char names[most][16];
    const size_t count = wanted / 128 < most ? wanted / 128 : most;
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "kernel%zu", i);
        kernels[i] = (struct kernel_facts){.name = names[i],
                .attributes = "",
                .args = (struct arg_facts *)(uintptr_t)&no_arg};
    }
    put_facts(out, kernels, count, "");
}

static void make_facts_of_classes(struct out *out, size_t wanted)
{
    struct kernel_facts kernel = {.name = "k",
            .attributes = "",
            .args = (struct arg_facts *)(uintptr_t)&no_arg,
            .class_count = (uint32_t)(wanted / 40)};
    if (kernel.class_count > 4096) kernel.class_count = 4096;
    kernel.classes = calloc(kernel.class_count, sizeof *kernel.classes);
    must(kernel.classes != NULL);
    for (uint32_t i = 0; i < kernel.class_count; i++)
        kernel.classes[i].size[0] = i + 1;
    put_facts(out, &kernel, 1, "");
    free(kernel.classes);
}

/* What a compiler said. */
static void make_facts_of_log(struct out *out, size_t wanted)
{
    struct out log = {NULL, 0, 0};
    while (log.size < wanted)
        put_text(&log, "program.cl:1:1: warning: a warning\n");
    put(&log, "", 1);
    put_facts(out, NULL, 0, (const char *)log.data);
    free(log.data);
}

static void read_facts(char *text, size_t size)
{
    struct facts facts;
    must(facts_decode(&facts, bytes_of(text), size));
    facts_free_lists(&facts);
}

/* ---- Binaries ------------------------------------------------------------ */

static void read_binary(char *text, size_t size)
{
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct buffer packed = {NULL, 0, 0, false};
    binary_form_of_bytes(bytes_of(text), size, form);
    elf_pack(bytes_of(text), size, &packed);
    buffer_fini(&packed);
}

/* Without what copies it. */
static void read_form(char *text, size_t size)
{
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    binary_form_of_bytes(bytes_of(text), size, form);
}

static void make_ptx(struct out *out, size_t wanted)
{
    while (out->size < wanted)
        put_text(out, "// a comment\n.versio\n");
}

static void put_elf(struct out *out, unsigned type, unsigned machine,
        size_t sections, size_t segments)
{
    const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                     ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
            .e_type = (Elf64_Half)type,
            .e_machine = (Elf64_Half)machine,
            .e_version = 1,
            .e_flags = 90,
            .e_shoff = sections > 0 ? sizeof head : 0,
            .e_phoff = segments > 0 ? sizeof head : 0,
            .e_ehsize = sizeof head,
            .e_phentsize = sizeof(Elf64_Phdr),
            .e_phnum = (Elf64_Half)segments,
            .e_shentsize = sizeof(Elf64_Shdr),
            .e_shnum = (Elf64_Half)sections};
    put(out, &head, sizeof head);
}

static void put_notes(struct out *out, size_t size)
{
    while (size >= 24) {
        put_u32(out, 8);
        put_u32(out, 4);
        put_u32(out, 7);
        put(out, "IntelGT", 8);
        put_u32(out, 1);
        size -= 24;
    }
    put_none(out, size);
}

/* One section of notes. */
static void make_notes(struct out *out, size_t wanted)
{
    const Elf64_Shdr section = {.sh_type = SHT_NOTE,
            .sh_offset = sizeof(Elf64_Ehdr) + sizeof section,
            .sh_size = wanted - sizeof(Elf64_Ehdr) - sizeof section};
    put_elf(out, 0xff12, 205, 1, 0);
    put(out, &section, sizeof section);
    put_notes(out, section.sh_size);
}

/* Half of it are sections, each of which says to be the other half. */
static void make_same_notes(struct out *out, size_t wanted)
{
    const size_t count = wanted / 2 / sizeof(Elf64_Shdr);
    const Elf64_Shdr section = {.sh_type = SHT_NOTE,
            .sh_offset = sizeof(Elf64_Ehdr) + count * sizeof section,
            .sh_size = wanted / 2};
    put_elf(out, 0xff12, 205, count, 0);
    for (size_t i = 0; i < count; i++)
        put(out, &section, sizeof section);
    put_notes(out, section.sh_size);
}

/* A segment that is moved down by a byte each time that it does not fit. */
static void make_segments(struct out *out, size_t wanted)
{
    enum { count = 32 };
    put_elf(out, ET_DYN, EM_X86_64, 0, count);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr segment = {.p_type = PT_LOAD,
                .p_offset = i == 0 ? 0 : wanted - count + i - 1,
                .p_vaddr = i == 0 ? 0 : wanted - count + i - 1,
                .p_filesz = i == 0 ? wanted - count : 1,
                .p_align = 1};
        put(out, &segment, sizeof segment);
    }
    put_none(out, wanted - out->size);
}

static void read_build_id(char *text, size_t size)
{
    unsigned char id[LOADED_BUILD_ID_MAX];
    must(loaded_build_id_of_notes((const unsigned char *)text, size, id) == 0);
}

static void make_only_notes(struct out *out, size_t wanted)
{
    put_notes(out, wanted);
}

/* Kernels, and a section for each; the names of sections first. */
static void make_cubin_of(struct out *out, size_t wanted, bool share)
{
    const size_t each = sizeof(Elf64_Shdr) + (share ? 6 : 16);
    const size_t count = wanted / each;
    const size_t names_at =
            sizeof(Elf64_Ehdr) + (count + 1) * sizeof(Elf64_Shdr);
    const size_t name_size = share ? 6 : 16;
    put_elf(out, ET_EXEC, 190, count + 1, 0);
    const Elf64_Shdr names = {.sh_type = SHT_STRTAB,
            .sh_offset = names_at,
            .sh_size = count * name_size + 1};
    put(out, &names, sizeof names);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Shdr section = {.sh_type = SHT_PROGBITS,
                .sh_name = (Elf64_Word)(i * name_size),
                .sh_offset = names_at,
                .sh_size = 1};
        put(out, &section, sizeof section);
    }
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, share ? ".text." : ".text.%09zu", i);
        put(out, name, name_size);
    }
    put(out, "", 1);
}

static void make_cubin(struct out *out, size_t wanted)
{
    make_cubin_of(out, wanted, false);
}

/* One name is the end of the one before. */
static void make_cubin_of_ends(struct out *out, size_t wanted)
{
    make_cubin_of(out, wanted, true);
}

static void read_cubin(char *text, size_t size)
{
    static char kernels[1 << 20];
    struct blob_reason reason;
    Elf64_Ehdr head;
    Elf64_Shdr names;
    uint32_t count = 0;
    size_t used = 0;
    memcpy(&head, text, sizeof head);
    memcpy(&names, text + head.e_shoff, sizeof names);
    for (size_t at = names.sh_size / (head.e_shnum - 1U);
            count + 1U < head.e_shnum; count++) {
        const char *name = text + names.sh_offset + count * at + 6;
        const size_t length = strlen(name) < 10 ? strlen(name) : 9;
        memcpy(kernels + used, name, length);
        used += length;
        kernels[used++] = '\0';
    }
    (void)nvidia_cubin_check(bytes_of(text), size, 90, kernels, count, &reason);
}

static void put_pocl_head(struct out *out, size_t kernels)
{
    put(out, "poclbin", 8);
    put_u64(out, 1);
    put_u32(out, 9);
    put_u32(out, (uint32_t)kernels);
    put_u64(out, UINT64_C(4) << 32);
    put_u32(out, 1);
    put_none(out, 41);
    put_u64(out, 14);
    put_u32(out, 6);
    put_text(out, "/final");
    put_u32(out, 0);
}

static void put_pocl_file(struct out *out, const char *name)
{
    put_u32(out, (uint32_t)strlen(name));
    put_text(out, name);
    put_u32(out, 1);
    put_text(out, "x");
}

/* Ends a kernel's record that begins at `at` and whose files begin at `files`.
 */
static void end_kernel(struct out *out, size_t at, size_t files)
{
    const uint64_t sizes[2] = {out->size - at, out->size - files};
    memcpy(out->data + at, sizes, sizeof sizes);
}

static void put_pocl_kernel(struct out *out, size_t number, size_t classes)
{
    char name[64];
    const size_t at = out->size;
    put_none(out, 20);
    put_u32(out, 6);
    snprintf(name, sizeof name, "k%05zu", number);
    put_text(out, name);
    const size_t files = out->size;
    snprintf(name, sizeof name, "/k%05zu/0-0-0/k%05zu.so", number, number);
    put_pocl_file(out, name);
    for (size_t i = 0; i < classes; i++) {
        snprintf(name, sizeof name, "/k%05zu/%zu-1-1/k%05zu.so", number, i + 1,
                number);
        put_pocl_file(out, name);
    }
    end_kernel(out, at, files);
}

static void make_pocl_kernels(struct out *out, size_t wanted)
{
    const size_t count = wanted / 96;
    put_pocl_head(out, count);
    for (size_t i = 0; i < count; i++)
        put_pocl_kernel(out, i, 1);
}

static void make_pocl_classes(struct out *out, size_t wanted)
{
    put_pocl_head(out, 1);
    put_pocl_kernel(out, 0, wanted / 40);
}

static void read_pocl(char *text, size_t size)
{
    static char kernels[1 << 20];
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct blob_reason reason;
    struct buffer out = {NULL, 0, 0, false};
    uint32_t count;
    memcpy(&count, text + 20, 4);
    for (uint32_t i = 0; i < count; i++)
        snprintf(kernels + 7 * i, 8, "k%05u", i % 100000);
    binary_form_of_bytes(bytes_of(text), size, form);
    (void)pocl_finalise(bytes_of(text), size, &out, &reason);
    must(pocl_finalise_check(bytes_of(text), size, kernels, count, &reason));
    buffer_fini(&out);
}

/* ---- All of them --------------------------------------------------------- */

#define BYTES(name, read, make)            \
    {                                      \
        name, read, NULL, NULL, NULL, make \
    }

const struct shape binary_shapes[] = {
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
        BYTES("archive", read_archive, make_archive),
        BYTES("id", read_id, make_id),
        BYTES("blob", read_blob, make_blob),
        BYTES("blob-kernels", read_blob, make_blob_of_kernels),
        BYTES("facts-kernels", read_facts, make_facts_of_kernels),
        BYTES("facts-classes", read_facts, make_facts_of_classes),
        BYTES("facts-log", read_facts, make_facts_of_log),
        BYTES("ptx", read_form, make_ptx),
        BYTES("elf-notes", read_form, make_notes),
        BYTES("elf-same-notes", read_form, make_same_notes),
        BYTES("elf-segments", read_binary, make_segments),
        BYTES("elf-build-id", read_build_id, make_only_notes),
        BYTES("cubin", read_cubin, make_cubin),
        BYTES("cubin-ends", read_cubin, make_cubin_of_ends),
        BYTES("pocl-kernels", read_pocl, make_pocl_kernels),
        BYTES("pocl-classes", read_pocl, make_pocl_classes),
};

const size_t binary_shape_count = sizeof binary_shapes / sizeof *binary_shapes;
