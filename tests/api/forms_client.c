/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application that ends while the finalised form of an entry is missing.
 * Says on standard output, a line each, of how many programs the blobs have a
 * form that its store gets, and in which process.
 *
 *     forms_client WAY
 *
 * WAY: main (returns from main), inside (the same, while the form is made),
 * thread (another thread ends it), fork (a child ends before), kill. With
 * thread and kill another call lasts to the end: until then no form is made.
 */
#include "dnnl_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t *entry;
static size_t entry_size;

static _Thread_local bool stays; /* in the store, for ever */
static sem_t is_inside;

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    (void)user;
    if (stays) {
        (void)sem_post(&is_inside);
        for (;;)
            (void)pause();
    }
    if (entry == NULL
            || dnnl_cache_blob_inspect(entry_size, entry, &info) != dnnl_success
            || info.id_size != id_size || memcmp(info.id, id, id_size) != 0)
        return dnnl_cache_miss;
    *size = entry_size;
    *blob = entry;
    return dnnl_success;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    (void)id_size;
    (void)id;
    (void)metadata;
    if (dnnl_cache_blob_inspect(size, blob, &info) != dnnl_success) abort();
    if (info.kind != dnnl_cache_blob_kind_program) return dnnl_success;
    uint8_t *copy = malloc(size);
    if (copy == NULL) abort();
    memcpy(copy, blob, size);
    free(entry);
    entry = copy;
    entry_size = size;
    printf("%u%s\n", (unsigned)info.finalised_count,
            *(const pid_t *)user == getpid() ? "" : " in a child");
    fflush(stdout);
    return dnnl_success;
}

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("FAKE_PTX_GATE"), name);
    return path;
}

/* Waits until the assembler is at work, and lets it go on. */
static void pass_gate(void)
{
    char byte = 0;
    const int begun = open(in_folder("begun"), O_RDONLY | O_CLOEXEC);
    if (read(begun, &byte, 1) != 1) abort();
    const int go = open(in_folder("go"), O_RDWR | O_CLOEXEC);
    if (write(go, "", 1) != 1) abort();
}

static void *end_process(void *unused)
{
    (void)unused;
    exit(EXIT_SUCCESS);
}

static bool compile(dnnl_engine_t engine, const char *options)
{
    const char *const sources[] = {
            "kernel void one(global int *x) { x[0]=1; }"};
    dnnl_cache_program_desc_t desc = NULL;
    dnnl_cache_program_t program = NULL;
    return dnnl_cache_program_desc_create(
                   &desc, engine, 1, sources, NULL, options)
                   == dnnl_success
           && dnnl_cache_program_create(&program, desc) == dnnl_success
           && dnnl_cache_program_capture(program) == dnnl_success;
}

static void *stay(void *engine)
{
    stays = true;
    (void)compile(engine, "-DB");
    return NULL;
}

static bool stay_inside(dnnl_engine_t engine)
{
    pthread_t thread;
    return sem_init(&is_inside, 0, 0) == 0
           && pthread_create(&thread, NULL, stay, engine) == 0
           && sem_wait(&is_inside) == 0;
}

static int end_by(const char *way)
{
    pthread_t thread;
    if (strcmp(way, "kill") == 0) (void)raise(SIGKILL);
    if (strcmp(way, "inside") == 0) pass_gate();
    if (strcmp(way, "thread") == 0
            && pthread_create(&thread, NULL, end_process, NULL) == 0)
        (void)pthread_join(thread, NULL);
    if (strcmp(way, "fork") == 0) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) exit(EXIT_SUCCESS);
        if (waitpid(child, &status, 0) != child || status != 0)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static pid_t self;
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    dnnl_engine_t engine = NULL;
    dnnl_cache_store_t store = DNNL_CACHE_STORE_INIT;
    cl_int error = CL_SUCCESS;
    self = getpid();
    store.user = &self;
    store.get = get;
    store.release = release;
    store.put = put;
    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS
            || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                       != CL_SUCCESS
            || dnnl_cache_set_default_store(&store) != dnnl_success)
        return EXIT_FAILURE;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (context == NULL
            || dnnl_ocl_interop_engine_create(&engine, device, context)
                       != dnnl_success)
        return EXIT_FAILURE;
    const bool is_busy =
            strcmp(argv[1], "thread") == 0 || strcmp(argv[1], "kill") == 0;
    if ((is_busy && !stay_inside(engine)) || !compile(engine, "-DA"))
        return EXIT_FAILURE;
    return end_by(argv[1]);
}
