/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process does once (it identifies its device, makes its primitive
 * cache), with every allocation of it failing, one after the other. Each time
 * is a first time in a process of its own: the test's own never calls the
 * library.
 */
#include "failing_allocations.h"
#include "operations.h"
#include "programs.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ALLOCATIONS = 1000 };

/* ---- Processes ----------------------------------------------------------- */

/* What the process in which nothing fails finds, for the others. */
struct right {
    size_t alive; /* allocations that live as long as a process */
    size_t size;
    uint8_t bytes[1 << 16];
};
static struct right *right;

enum ending { met_failure, met_none, went_wrong };

/* Lies in its directory beside a fake.icd; NULL: the usual driver. */
static const char *other_driver;

static enum ending play_child(
        const struct scene *scene, unsigned n, unsigned manner)
{
    if (other_driver != NULL) {
        setenv("OCL_ICD_VENDORS", test_directory(), 1);
        fake_opencl_control_open(other_driver);
    }
    struct fault fault = failing_allocations;
    fault.alive = NULL; /* what lives as long as the process is made now */
    bool met = play_once(scene, &fault, n, manner);
    if (n == 0) right->alive = allocations_alive();
    EXPECT_EQ(right->alive, allocations_alive());
    fflush(NULL);
    if (test_has_failed()) return went_wrong;
    return met ? met_failure : met_none;
}

static enum ending play_in_child(
        const struct scene *scene, unsigned n, unsigned manner)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit((int)play_child(scene, n, manner));
    EXPECT_TRUE(child > 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? (enum ending)WEXITSTATUS(status) : went_wrong;
}

/* allocates: the attempt does, once or more. */
static void play_first(const struct scene *scene, bool allocates)
{
    right = mmap(NULL, sizeof *right, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_TRUE(right != MAP_FAILED);
    EXPECT_EQ(met_none, play_in_child(scene, 0, 0));
    for (unsigned manner = 0;
            manner < failing_allocations.manners && !test_has_failed();
            manner++) {
        enum ending ending = met_failure;
        unsigned n = 1;
        while (n < MOST_ALLOCATIONS
                && (ending = play_in_child(scene, n, manner)) == met_failure)
            n++;
        EXPECT_EQ(met_none, ending);
        EXPECT_EQ(allocates, n > 1);
    }
    munmap(right, sizeof *right);
}

/* Notes what is right, or that this is not it. */
static void expect_right(const void *bytes, size_t size)
{
    EXPECT_GT(size, 0);
    if (right->size == 0) {
        ASSERT_TRUE(size <= sizeof right->bytes);
        memcpy(right->bytes, bytes, size);
        right->size = size;
    }
    EXPECT_BYTES_EQ(right->bytes, right->size, bytes, size);
}

/* ---- Scenes -------------------------------------------------------------- */

/* A device that has something to tell to every query there is. */
static void open_device(struct stage *s)
{
    (void)s;
    fake_opencl_set("DEVICE_UUID", "00112233445566778899aabbccddeeff");
    fake_opencl_set("DRIVER_UUID", "ffeeddccbbaa99887766554433221100");
    fake_opencl_set("INTEL_IP_VERSION", "1");
    fake_opencl_set("INTEL_DEVICE_ID", "2");
    fake_opencl_set("NV_CC", "9.0");
    fake_opencl_set("AMD_GFXIP", "9.4");
    fake_opencl_set("AMD_PCIE_ID", "3");
}

static void verify_bytes(struct stage *s)
{
    expect_right(s->bytes, s->size);
}

static void verify_nothing(struct stage *s)
{
    (void)s;
}

static dnnl_status_t attempt_engine_id(struct stage *s)
{
    return dnnl_ocl_interop_engine_get_cache_blob_id(
            s->rig.device, &s->size, s->bytes);
}

static dnnl_status_t attempt_engine_blob(struct stage *s)
{
    return dnnl_ocl_interop_engine_get_cache_blob(
            s->rig.engine, &s->size, s->bytes);
}

static dnnl_status_t attempt_engine_info(struct stage *s)
{
    const dnnl_cache_creation_info_t before = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_cache_creation_info_t info = before;
    dnnl_status_t st =
            dnnl_cache_engine_get_creation_info(s->rig.engine, &info);
    if (st == dnnl_success)
        EXPECT_STR_EQ("", info.not_cacheable_reason);
    else
        EXPECT_BYTES_EQ(&before, sizeof before, &info, sizeof info);
    return st;
}

static void open_program(struct stage *s)
{
    open_device(s);
    s->program_desc = describe(s->rig.engine, scale_source, NULL);
}

static void close_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
}

static dnnl_status_t attempt_program_id(struct stage *s)
{
    return dnnl_cache_program_desc_get_cache_blob_id(
            s->program_desc, &s->size, s->bytes);
}

static dnnl_status_t attempt_program(struct stage *s)
{
    return dnnl_cache_program_create(
            STAGE_OUT(s, dnnl_cache_program_t), s->program_desc);
}

static void verify_program(struct stage *s)
{
    struct bytes blob = program_blob(s->out);
    expect_right(blob.data, blob.size);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(s->out));
}

/* Facts come from a probe and need no identity. */
static void open_primitive(struct stage *s)
{
    open_device(s);
    operation_open(s);
    s->pd = operation_desc(s, s->rig.engine);
}

static void close_primitive(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    operation_close(s);
}

static dnnl_status_t attempt_primitive_id(struct stage *s)
{
    return dnnl_cache_primitive_desc_get_cache_blob_id(
            s->pd, &s->size, s->bytes);
}

static dnnl_status_t attempt_primitive(struct stage *s)
{
    return dnnl_primitive_create(STAGE_OUT(s, dnnl_primitive_t), s->pd);
}

static void verify_primitive(struct stage *s)
{
    struct bytes blob = primitive_blob(s->out);
    expect_right(blob.data, blob.size);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(s->out));
}

static dnnl_status_t attempt_capacity(struct stage *s)
{
    int capacity = -1;
    (void)s;
    dnnl_status_t st = dnnl_get_primitive_cache_capacity(&capacity);
    EXPECT_EQ(st == dnnl_success ? 1024 : -1, capacity);
    return st;
}

static dnnl_status_t attempt_new_capacity(struct stage *s)
{
    (void)s;
    return dnnl_set_primitive_cache_capacity(7);
}

static void verify_new_capacity(struct stage *s)
{
    int capacity = -1;
    (void)s;
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_EQ(7, capacity);
}

static dnnl_status_t attempt_statistics(struct stage *s)
{
    const dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t now = before;
    (void)s;
    dnnl_status_t st = dnnl_cache_get_statistics(&now);
    EXPECT_BYTES_EQ(&before, sizeof before, &now, sizeof now);
    return st;
}

#define FIRST_USE(test, ...)                      \
    TEST_C(FirstUse, test)                        \
    {                                             \
        const struct scene scene = {__VA_ARGS__}; \
        play_first(&scene, true);                 \
    }

FIRST_USE(OfEngineIds, .prepare = open_device, .attempt = attempt_engine_id,
        .verify = verify_bytes)
FIRST_USE(OfEngineBlobs, .prepare = open_device, .attempt = attempt_engine_blob,
        .verify = verify_bytes)
FIRST_USE(OfEngineInfo, .prepare = open_device, .attempt = attempt_engine_info,
        .verify = verify_nothing)
FIRST_USE(OfProgramIds, .prepare = open_program, .attempt = attempt_program_id,
        .verify = verify_bytes, .finish = close_program)
FIRST_USE(OfPrograms, .prepare = open_program, .attempt = attempt_program,
        .verify = verify_program, .finish = close_program)
FIRST_USE(OfPrimitiveIds, .prepare = open_primitive,
        .attempt = attempt_primitive_id, .verify = verify_bytes,
        .finish = close_primitive, .operation = operations)
FIRST_USE(OfPrimitives, .prepare = open_primitive, .attempt = attempt_primitive,
        .verify = verify_primitive, .finish = close_primitive,
        .operation = operations)
FIRST_USE(OfTheCapacity, .attempt = attempt_capacity, .verify = verify_nothing)
FIRST_USE(OfSettingTheCapacity, .attempt = attempt_new_capacity,
        .verify = verify_new_capacity)
/* They make nothing that is not there. */
TEST_C(FirstUse, OfStatistics)
{
    const struct scene scene = {
            .attempt = attempt_statistics, .verify = verify_nothing};
    play_first(&scene, false);
}

/* ---- Files beside the driver --------------------------------------------- */

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    FILE *file = fopen(path, "w");
    ASSERT_TRUE(file != NULL);
    EXPECT_TRUE(fputs(text, file) >= 0);
    EXPECT_EQ(0, fclose(file));
}

/* The fake driver by PoCL's name, with one of PoCL's plugins. */
static void make_other_driver(char *path, size_t size)
{
    char directory[512];
    snprintf(path, size, "%s/libpocl.so", test_directory());
    EXPECT_EQ(0, symlink(FAKE_DRIVER, path));
    write_file("fake.icd", path);
    snprintf(directory, sizeof directory, "%s/pocl", test_directory());
    EXPECT_EQ(0, mkdir(directory, 0777));
    write_file("pocl/libpocl-devices-fake.so", "a plugin");
}

/* A directory that cannot be listed for want of memory, and a file that cannot
 * be opened, must not be taken for what is not there. */
TEST_C(FirstUse, OfFilesBesideTheDriver)
{
    const struct scene scene = {.prepare = open_device,
            .attempt = attempt_engine_id,
            .verify = verify_bytes};
    char path[512];
    make_other_driver(path, sizeof path);
    if (test_has_failed()) return;
    other_driver = path;
    play_first(&scene, true);
    other_driver = NULL;
}
