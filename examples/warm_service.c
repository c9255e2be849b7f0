/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warm_service.c: a service with a kernel of its own, which knows at its start
 * what it will need, and compiles nothing while it serves.
 *
 *     warm_service ~/.cache/service    prefetched 0 of 0 ..., compiled 1 ...
 *     warm_service ~/.cache/service    prefetched 1 of 1 ..., from the cache
 * ... WARM_SERVICE_MODEL=2 warm_service ~/.cache/service    compiled 1 ...
 *
 * The folder has the bucket store of stores/, and a list of the IDs that the
 * last run found or stored. When all of these are in memory, the engine is set
 * to cached-only mode: a missing program is then reported at once, without a
 * pause. What a service does in that case is its own choice; this one compiles
 * the program.
 */
#include "example.h"
#include <dnnl_cache/store.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4096, group = 64, max_ids = 64, name_size = 16 };

/* ---- The program, with headers that are in no file ----------------------- */

static const char *const source =
        "#include \"scramble.h\"\n"
        "__kernel void numbers(__global uint *out, uint count)\n"
        "{\n"
        "    uint i = get_global_id(0);\n"
        "    if (i < count) out[i] = scramble(i);\n"
        "}\n";
static const char *const scramble_h = "#include \"rounds.h\"\n"
                                      "uint scramble(uint n)\n"
                                      "{\n"
                                      "    for (int r = 0; r < ROUNDS; r++)\n"
                                      "        n = n * 5u + 3u;\n"
                                      "    return n;\n"
                                      "}\n";
static const char *const rounds_h = "#define ROUNDS 7\n";

static dnnl_status_t describe(
        dnnl_cache_program_desc_t *desc, dnnl_engine_t engine)
{
    /* What else selects the program: a part of the ID. */
    const char *model = getenv("WARM_SERVICE_MODEL");
    dnnl_status_t st = dnnl_cache_program_desc_create(
            desc, engine, 1, &source, NULL, "-cl-std=CL1.2");
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_add_header(
                *desc, "scramble.h", 0, scramble_h);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_add_header(*desc, "rounds.h", 0, rounds_h);
    if (st == dnnl_success && model != NULL && model[0] != '\0')
        st = dnnl_cache_program_desc_add_key(*desc, strlen(model), model);
    return st;
}

static bool check(const cl_uint *result)
{
    bool right = true;
    double sum = 0.0;
    for (cl_uint i = 0; i < count; i++) {
        cl_uint n = i;
        for (int r = 0; r < 7; r++)
            n = n * 5u + 3u;
        if (result[i] != n) right = false;
        sum += (double)result[i];
    }
    example_print_result(sum, right);
    return right;
}

/* ---- A store around the store, which notes IDs --------------------------- */

/* For each ID the list has its size, 8 bytes in this machine's byte order, and
 * its bytes. */
struct recorder {
    const dnnl_cache_store_t *inner;
    pthread_mutex_t lock; /* guards the rest; not held while inner is called */
    size_t size;
    uint8_t list[1 << 16];
};

static void note(struct recorder *r, size_t id_size, const uint8_t *id)
{
    const uint64_t head = id_size;
    pthread_mutex_lock(&r->lock);
    const size_t room = sizeof r->list - r->size;
    if (room > sizeof head && room - sizeof head >= id_size
            && memmem(r->list, r->size, id, id_size) == NULL) {
        memcpy(r->list + r->size, &head, sizeof head);
        memcpy(r->list + r->size + sizeof head, id, id_size);
        r->size += sizeof head + id_size;
    }
    pthread_mutex_unlock(&r->lock);
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct recorder *r = user;
    dnnl_status_t st = r->inner->get(r->inner->user, id_size, id, size, blob);
    if (st == dnnl_success) note(r, id_size, id);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    const struct recorder *r = user;
    r->inner->release(r->inner->user, size, blob);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct recorder *r = user;
    dnnl_status_t st =
            r->inner->put(r->inner->user, id_size, id, size, blob, metadata);
    if (st == dnnl_success) note(r, id_size, id);
    return st;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    const struct recorder *r = user;
    return r->inner->remove(r->inner->user, id_size, id);
}

/* ---- The service --------------------------------------------------------- */

/* Loads the programs of the list into memory; true if all of them are there.
 * The list may contain anything: the library accepts only a blob with exactly
 * the right ID. */
static bool prefetch(dnnl_engine_t engine, const char *path)
{
    const uint8_t *ids[max_ids];
    size_t sizes[max_ids], n = 0, found = 0, left = 0;
    uint64_t size;
    uint8_t *bytes = files_read(path, &left), *at = bytes;
    while (n < max_ids && left > sizeof size) {
        memcpy(&size, at, sizeof size);
        at += sizeof size;
        left -= sizeof size;
        if (size == 0 || size > left) break;
        ids[n] = at;
        sizes[n++] = (size_t)size;
        at += size;
        left -= (size_t)size;
    }
    if (n > 0) dnnl_cache_engine_prefetch(engine, n, sizes, ids, &found);
    free(bytes);
    printf("prefetched %zu of %zu program%s\n", found, n, n == 1 ? "" : "s");
    return n > 0 && found == n;
}

static dnnl_status_t serve(dnnl_engine_t engine, const struct device *device,
        bool *warm, cl_uint *result)
{
    dnnl_cache_program_desc_t desc = NULL;
    dnnl_cache_program_t program = NULL;
    cl_kernel kernel = NULL;
    if (*warm)
        dnnl_cache_engine_set_compile_mode(
                engine, dnnl_cache_compile_mode_cached_only);
    dnnl_status_t st = describe(&desc, engine);
    if (st == dnnl_success) st = dnnl_cache_program_create(&program, desc);
    if (st == dnnl_cache_miss) { /* a model that the last run did not have */
        *warm = false;
        dnnl_cache_engine_set_compile_mode(
                engine, dnnl_cache_compile_mode_normal);
        st = dnnl_cache_program_create(&program, desc);
    }
    if (st == dnnl_success)
        st = dnnl_cache_program_get_kernel(program, "numbers", &kernel);
    if (st == dnnl_success
            && !example_run(device, kernel, count, group, result))
        st = dnnl_runtime_error;
    /* After the first launch the binary is complete, so give it to the store
     * now. Without this call the store would get it when the program leaves
     * memory. */
    if (st == dnnl_success) dnnl_cache_program_capture(program);
    if (kernel != NULL) clReleaseKernel(kernel);
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
    return st;
}

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    static cl_uint result[count];
    static char store_path[files_path_size], list_path[files_path_size];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    static struct recorder recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const dnnl_cache_store_t callbacks = {.struct_size = sizeof callbacks,
            .user = &recorder,
            .get = get,
            .release = release,
            .put = put,
            .remove = forget};
    dnnl_cache_store_handle_t *store = NULL;
    dnnl_engine_t engine = NULL;
    if (strlen(folder) >= files_path_size - name_size)
        return dnnl_invalid_arguments;
    snprintf(store_path, sizeof store_path, "%s/store", folder);
    snprintf(list_path, sizeof list_path, "%s/ids", folder);
    const double began = clock_ms();
    dnnl_status_t st = dnnl_ocl_interop_engine_create(
            &engine, device->id, device->context);
    if (st != dnnl_success) return st;
    options.path = store_path;
    options.capacity = dnnl_cache_store_megabytes(64);
    options.log = example_log;
    if (dnnl_cache_store_open(&store, "bucket", &options) == dnnl_success) {
        recorder.inner = dnnl_cache_store_get_callbacks(store);
        dnnl_cache_engine_set_store(engine, &callbacks);
    }
    bool warm = prefetch(engine, list_path);
    st = serve(engine, device, &warm, result);
    if (st == dnnl_success) {
        example_print_library_time(clock_ms() - began);
        *right = check(result);
    }
    dnnl_cache_engine_set_store(engine, NULL);
    dnnl_engine_destroy(engine);
    dnnl_cache_store_close(store);
    if (!warm && recorder.size > 0)
        files_write(list_path, recorder.size, recorder.list);
    return st;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FOLDER",
            "A program of OpenCL C with headers. What the last run needed is\n"
            "brought into memory at the start; nothing is compiled then.\n",
            run};
    return example_main(&example, argc, argv);
}
