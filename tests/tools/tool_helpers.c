/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_helpers.h"

#include "dnnl_cache/store_types.h"
#include "forge.h"
#include "src/blob/writer.h"
#include "test.h"
#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/commands/tool_run.h"

#include <dnnl_cache.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

const char *text_of(const char *format, ...)
{
    static char text[16384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- Blobs --------------------------------------------------------------- */

static void put_device(struct id_builder *b, enum blob_kind kind,
        const char *device, const char *driver)
{
    id_builder_init(b, kind);
    id_put_string(b, id_library_version, "0.1.0");
    id_put_string(b, id_device_name, device);
    id_put_u32(b, id_address_bits, 64);
    id_put_string(b, id_driver_version, driver);
    id_put_string(b, id_driver_environment, "A=1");
}

static struct made finish(
        struct id_builder *id, const struct blob_contents *contents)
{
    struct made m = {.kind = (dnnl_cache_blob_kind_t)contents->kind,
            .id_size = contents->id_size};
    EXPECT_OK(id_builder_status(id));
    EXPECT_OK(blob_write(contents, NULL, 0, &m.size));
    m.blob = malloc(m.size);
    EXPECT_OK(blob_write(contents, m.blob, m.size, &m.size));
    m.id = malloc(m.id_size);
    memcpy(m.id, contents->id, m.id_size);
    entry_name(m.name, m.id_size, m.id);
    snprintf(
            m.brief, sizeof m.brief, "%.*s", (int)catalog_short_digits, m.name);
    id_builder_fini(id);
    return m;
}

/* Of the next program, with semicolons between. */
static const char *kernel_names = "copy";

enum { most_kernels = 40, most_name = 32 };

static uint32_t read_kernels(struct blob_kernel kernels[most_kernels],
        char names[most_kernels][most_name])
{
    uint32_t count = 0;
    for (const char *at = kernel_names; *at != '\0' && count < most_kernels;) {
        const size_t size = strcspn(at, ";");
        snprintf(names[count], most_name, "%.*s", (int)size, at);
        kernels[count] = (struct blob_kernel){
                0, names[count], strlen(names[count]), NULL, 0};
        count++;
        at += size + (at[size] == ';');
    }
    return count;
}

static struct made make(const char *device, const char *driver,
        const char *source, const char *options, const char *log,
        const void *binary, size_t binary_size)
{
    struct id_builder id;
    put_device(&id, blob_kind_program, device, driver);
    id_put_digest(&id, id_source, source, strlen(source));
    id_put_string(&id, id_build_options, options);
    const struct blob_program program = {.id = id.bytes.data,
            .id_size = id.bytes.size,
            .binary = binary,
            .binary_size = binary_size,
            .raw_size = binary_size,
            .codec = blob_codec_none,
            .backend = blob_backend_opencl,
            .log = log,
            .log_size = log != NULL ? strlen(log) : 0};
    struct blob_kernel kernels[most_kernels];
    char names[most_kernels][most_name];
    const struct blob_contents contents = {.kind = blob_kind_program,
            .id = id.bytes.data,
            .id_size = id.bytes.size,
            .programs = &program,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = read_kernels(kernels, names)};
    return finish(&id, &contents);
}

struct made make_program(const char *device, const char *driver,
        const char *source, const char *options, const char *log)
{
    return make(device, driver, source, options, log, "thirteen byte", 13);
}

struct made make_kernel_program(const char *source, const char *kernels)
{
    kernel_names = kernels;
    struct made m = make_program("Sample GPU", "1.0", source, "-O2", NULL);
    kernel_names = "copy";
    return m;
}

struct made make_large_program(
        const char *device, const char *source, size_t binary_size)
{
    uint8_t *binary = malloc(binary_size);
    memset(binary, 'x', binary_size);
    struct made m = make(device, "1.0", source, "", NULL, binary, binary_size);
    free(binary);
    return m;
}

struct made make_program_with(const char *device, const char *vector)
{
    char path[path_size];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/binaries/%s.bin", DNNL_CACHE_TEST_DATA_DIR,
            vector);
    uint8_t *binary = read_whole(path, &size);
    struct made m = make(device, "1.0", "", "", NULL, binary, size);
    free(binary);
    return m;
}

struct made make_engine(const char *device, const char *driver)
{
    static const uint8_t facts[] = "twenty-four bytes, facts";
    struct id_builder id;
    put_device(&id, blob_kind_engine, device, driver);
    const struct blob_contents contents = {.kind = blob_kind_engine,
            .id = id.bytes.data,
            .id_size = id.bytes.size,
            .engine_facts = facts,
            .engine_facts_size = 24};
    return finish(&id, &contents);
}

struct made read_blob(const char *name)
{
    char path[path_size];
    struct made m = {0};
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    snprintf(path, sizeof path, "%s/blobs/%s.blob", DNNL_CACHE_TEST_DATA_DIR,
            name);
    m.blob = read_whole(path, &m.size);
    if (dnnl_cache_blob_inspect(m.size, m.blob, &info) == dnnl_success) {
        m.kind = info.kind;
        m.id_size = info.id_size;
        m.id = malloc(m.id_size);
        memcpy(m.id, info.id, m.id_size);
        entry_name(m.name, m.id_size, m.id);
        snprintf(m.brief, sizeof m.brief, "%.*s", (int)catalog_short_digits,
                m.name);
    }
    return m;
}

void made_fini(struct made *made)
{
    free(made->id);
    free(made->blob);
    *made = (struct made){0};
}

/* ---- Stores -------------------------------------------------------------- */

static uint64_t clock_ns = TEST_EPOCH_NS;

/* In place of the stores' clock; see CMakeLists.txt. */
uint64_t __wrap_clock_epoch_ns(void);
uint64_t __wrap_clock_epoch_ns(void)
{
    return clock_ns;
}

void set_clock(uint64_t ns)
{
    clock_ns = ns;
}

static void print_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    printf("[   LOG    ] %d %s\n", (int)level, text);
}

dnnl_cache_store_handle_t *open_test_store(const char *name)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = in_test(name);
    options.log = print_message;
    const struct dnnl_cache_store_type *type = dnnl_cache_store_find_type_at(
            options.path, dnnl_cache_store_find_type("bucket"));
    EXPECT_OK(dnnl_cache_store_open(&store, type->name, &options));
    return store;
}

void put_under(dnnl_cache_store_handle_t *store, const struct made *key,
        const struct made *value, uint64_t compile_ns)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = value->kind;
    metadata.compile_ns = compile_ns;
    EXPECT_OK(s->put(s->user, key->id_size, key->id, value->size, value->blob,
            &metadata));
    clock_ns += UINT64_C(60) * 1000000000u;
}

void put_made(dnnl_cache_store_handle_t *store, const struct made *made,
        uint64_t compile_ns)
{
    put_under(store, made, made, compile_ns);
}

dnnl_status_t get_made(
        dnnl_cache_store_handle_t *store, const struct made *made)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob;
    size_t size;
    const dnnl_status_t st =
            s->get(s->user, made->id_size, made->id, &size, &blob);
    if (st != dnnl_success) return st;
    EXPECT_BYTES_EQ(made->blob, made->size, blob, size);
    s->release(s->user, size, blob);
    return st;
}

static bool count_item(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)item;
    ++*(size_t *)user;
    return true;
}

size_t count_entries(const char *store_name)
{
    size_t count = 0;
    dnnl_cache_store_handle_t *store = open_test_store(store_name);
    EXPECT_OK(dnnl_cache_store_iterate(store, count_item, &count));
    dnnl_cache_store_close(store);
    return count;
}

const char *blob_file(const char *store_name, const struct made *made)
{
    char name[path_size];
    snprintf(name, sizeof name, "%s/%" PRIu64 "/0/kernel.bin", store_name,
            (uint64_t)XXH3_64bits(made->id, made->id_size));
    return in_test(name);
}

void sample_store_make(struct sample_store *sample)
{
    set_clock(TEST_EPOCH_NS);
    setenv("TZ", "UTC", 1);
    sample->made[0] = make_engine("Sample GPU", "1.0");
    sample->made[1] = make_program("Sample GPU", "1.0", "copy", "-O2",
            "warning: a sample\nsecond \033[1mline\n");
    sample->made[2] = make_program("Sample GPU", "2.0", "copy", "-O2", NULL);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    for (int i = 0; i < sample_entries; i++)
        put_made(store, &sample->made[i], (uint64_t)(i + 1) * 1000000);
    dnnl_cache_store_close(store);
}

void sample_store_fini(struct sample_store *sample)
{
    for (int i = 0; i < sample_entries; i++)
        made_fini(&sample->made[i]);
}

/* ---- Files --------------------------------------------------------------- */

uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    *size = 0;
    if (f == NULL) {
        test_fail(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
        return calloc(1, 1);
    }
    fseek(f, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = calloc(1, bytes + 1);
    *size = fread(data, 1, bytes, f);
    fclose(f);
    return data;
}

void write_whole(const char *path, const void *data, size_t size)
{
    /* Anew: some file systems wait for the disk when old bytes are replaced. */
    (void)remove(path);
    FILE *f = fopen(path, "wb");
    if (f == NULL || (size > 0 && fwrite(data, 1, size, f) != size))
        test_fail(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
    if (f != NULL) fclose(f);
}

void flip_byte(const char *path, size_t at)
{
    size_t size;
    uint8_t *data = read_whole(path, &size);
    EXPECT_LT(at, size);
    data[at] ^= 0xff;
    write_whole(path, data, size);
    free(data);
}

bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* ---- Runs ---------------------------------------------------------------- */

static const struct run *run(int argc, char **argv)
{
    static struct run last;
    size_t err_size;
    bool json = false;
    free(last.out);
    free(last.err);
    last = (struct run){0};
    FILE *out = open_memstream(&last.out, &last.out_size);
    FILE *err = open_memstream(&last.err, &err_size);
    last.code = tool_run(argc, argv, out, err);
    fclose(out);
    fclose(err);
    for (int i = 1; i < argc; i++)
        json = json || strcmp(argv[i], "--json") == 0;
    if (json && last.code <= exit_found && last.out_size > 0
            && !json_is_valid(last.out, last.out_size))
        test_fail(__FILE__, __LINE__, "no JSON: %.900s", last.out);
    if (json && last.code > exit_found && last.out_size > 0)
        test_fail(__FILE__, __LINE__, "output without a result: %.900s",
                last.out);
    return &last;
}

enum { max_arguments = 24 };

static char *writable(const char *text)
{
    return (char *)(uintptr_t)text; /* as main() gets them */
}

const struct run *run_tool(const char *first, ...)
{
    char *argv[max_arguments] = {writable("dnnl-cache"), writable("--store"),
            writable(in_test("store"))};
    int argc = 3;
    va_list arguments;
    va_start(arguments, first);
    for (const char *a = first; a != NULL && argc < max_arguments - 1;
            a = va_arg(arguments, const char *))
        argv[argc++] = writable(a);
    va_end(arguments);
    return run(argc, argv);
}

const struct run *run_bare(const char *first, ...)
{
    char *argv[max_arguments] = {writable("dnnl-cache")};
    int argc = 1;
    va_list arguments;
    va_start(arguments, first);
    for (const char *a = first; a != NULL && argc < max_arguments - 1;
            a = va_arg(arguments, const char *))
        argv[argc++] = writable(a);
    va_end(arguments);
    return run(argc, argv);
}
