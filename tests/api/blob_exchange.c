/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs that go from one kind of machine to another: what they are does not
 * depend on the byte order, on sizes and alignment of who wrote them.
 *
 *     blob_exchange write|same|stale DIRECTORY
 *
 * On the fake driver. write: makes an engine and a program and writes their
 * blobs to the directory. same: blobs that another machine wrote with the same
 * driver are byte for byte those that are made here, and objects are made of
 * them. stale: blobs that another machine wrote with another driver are intact
 * here, and objects are made of none of them, as they are of another driver;
 * with one byte changed they are corrupt. Exits with 0 if all is so.
 */
#include "dnnl_cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *directory;

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "blob_exchange: %s\n", what);
    exit(1);
}

static void must_be(
        dnnl_status_t expected, dnnl_status_t status, const char *what)
{
    if (status != expected)
        fprintf(stderr, "%s, not %s\n", dnnl_status2str(status),
                dnnl_status2str(expected));
    must(status == expected, what);
}

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes allocate(size_t size)
{
    struct bytes b = {malloc(size > 0 ? size : 1), size};
    must(b.data != NULL && size > 0, "no bytes");
    return b;
}

static FILE *open_file(const char *name, char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.blob", directory, name);
    FILE *file = fopen(path, mode);
    must(file != NULL, path);
    return file;
}

static void save(const char *name, struct bytes b)
{
    FILE *file = open_file(name, "wb");
    must(fwrite(b.data, 1, b.size, file) == b.size, name);
    must(fclose(file) == 0, name);
}

static struct bytes load(const char *name)
{
    FILE *file = open_file(name, "rb");
    must(fseek(file, 0, SEEK_END) == 0, name);
    struct bytes b = allocate((size_t)ftell(file));
    rewind(file);
    must(fread(b.data, 1, b.size, file) == b.size, name);
    fclose(file);
    return b;
}

/* ---- Objects ------------------------------------------------------------- */

static cl_device_id device;
static cl_context context;
static dnnl_engine_t engine;
static dnnl_cache_program_desc_t desc;

static void open_device(void)
{
    cl_platform_id platform;
    cl_int error;
    must(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "no platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                    == CL_SUCCESS,
            "no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error == CL_SUCCESS, "no context");
    must_be(dnnl_success,
            dnnl_ocl_interop_engine_create(&engine, device, context),
            "an engine");
    static const char *const source =
            "__kernel void scale(__global float *x, float a)\n"
            "{ x[get_global_id(0)] *= a; }\n";
    must_be(dnnl_success,
            dnnl_cache_program_desc_create(
                    &desc, engine, 1, &source, NULL, "-DN=1"),
            "describing a program");
}

static void close_device(void)
{
    dnnl_cache_program_desc_destroy(desc);
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
}

static struct bytes engine_blob(void)
{
    size_t size = 0;
    must_be(dnnl_success,
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL),
            "the engine's blob");
    struct bytes b = allocate(size);
    must_be(dnnl_success,
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, b.data),
            "the engine's blob");
    return b;
}

static struct bytes program_blob(void)
{
    dnnl_cache_program_t program;
    size_t size = 0;
    must_be(dnnl_success, dnnl_cache_program_create(&program, desc),
            "a program");
    must_be(dnnl_success,
            dnnl_cache_program_get_cache_blob(program, &size, NULL),
            "the program's blob");
    struct bytes b = allocate(size);
    must_be(dnnl_success,
            dnnl_cache_program_get_cache_blob(program, &size, b.data),
            "the program's blob");
    dnnl_cache_program_destroy(program);
    return b;
}

static dnnl_status_t engine_of(struct bytes b)
{
    dnnl_engine_t made = NULL;
    const dnnl_status_t status = dnnl_ocl_interop_engine_create_from_cache_blob(
            &made, device, context, b.size, b.data);
    dnnl_engine_destroy(made);
    return status;
}

static dnnl_status_t program_of(struct bytes b)
{
    dnnl_cache_program_t made = NULL;
    const dnnl_status_t status = dnnl_cache_program_create_from_cache_blob(
            &made, desc, b.size, b.data);
    dnnl_cache_program_destroy(made);
    return status;
}

static const struct object {
    const char *name;
    dnnl_cache_blob_kind_t kind;
    struct bytes (*blob)(void);
    dnnl_status_t (*make)(struct bytes blob);
} objects[] = {{"engine", dnnl_cache_blob_kind_engine, engine_blob, engine_of},
        {"program", dnnl_cache_blob_kind_program, program_blob, program_of}};

/* ---- What is tried with each --------------------------------------------- */

static void write_blob(const struct object *object)
{
    struct bytes made = object->blob();
    save(object->name, made);
    free(made.data);
}

static void expect_same(const struct object *object)
{
    struct bytes theirs = load(object->name);
    must_be(dnnl_success, object->make(theirs), object->name);
    struct bytes ours = object->blob();
    must(ours.size == theirs.size
                    && memcmp(ours.data, theirs.data, ours.size) == 0,
            "other bytes than are made here");
    free(ours.data);
    free(theirs.data);
}

static void expect_stale(const struct object *object)
{
    struct bytes theirs = load(object->name);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    must_be(dnnl_success,
            dnnl_cache_blob_inspect(theirs.size, theirs.data, &info),
            object->name);
    must(info.kind == object->kind, "of another kind");
    must(info.total_size == theirs.size, "of another size");
    must_be(dnnl_cache_blob_stale, object->make(theirs), object->name);
    theirs.data[theirs.size / 2] ^= 1;
    must_be(dnnl_cache_blob_corrupt, object->make(theirs), object->name);
    free(theirs.data);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*act)(const struct object *object);
    } acts[] = {{"write", write_blob}, {"same", expect_same},
            {"stale", expect_stale}};
    for (size_t i = 0; argc == 3 && i < sizeof acts / sizeof *acts; i++) {
        if (strcmp(argv[1], acts[i].word) != 0) continue;
        directory = argv[2];
        open_device();
        for (size_t o = 0; o < sizeof objects / sizeof *objects; o++)
            acts[i].act(&objects[o]);
        close_device();
        return 0;
    }
    fprintf(stderr, "usage: blob_exchange write|same|stale DIRECTORY\n");
    return 2;
}
