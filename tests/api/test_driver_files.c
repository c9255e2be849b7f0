/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver whose files change while a process uses it: what is compiled then
 * works, and is given to nobody. And digests of its files that others keep.
 * What the library has seen of a driver is a process's, so each case is a
 * process of its own: the test's never calls the library.
 */
#include "driver_copy.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_child(void (*step)(const void *user), const void *user)
{
    int status = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        step(user);
        (void)fflush(NULL);
        _exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    ASSERT_TRUE(child > 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

/* The copy is the only driver of this process. */
static void open_copy(struct rig *rig)
{
    static char vendors[driver_copy_path_size];
    char path[driver_copy_path_size];
    strcpy(vendors, driver_copy_vendors());
    EXPECT_EQ(0, putenv(vendors));
    fake_opencl_control_open(driver_copy_path(path, "lib/libpocl_fake.so"));
    rig_open(rig, 0);
}

/* ---- Changes ------------------------------------------------------------- */

/* What happens to the driver, in the place of an update. */
struct change {
    const char *what;
    const char *name; /* of the copy */
    void (*make)(const char *path);
    void (*prepare)(const char *path); /* before the driver is loaded */
    bool is_of_driver;                 /* counts as a change */
};

static void append_byte(const char *path)
{
    FILE *file = fopen(path, "ab");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ('x', fputc('x', file));
    EXPECT_EQ(0, fclose(file));
}

/* The size stays, and the time of the last modification is set back. */
static void overwrite(const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "r+b");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(0, stat(path, &st));
    EXPECT_EQ('!', fputc('!', file));
    EXPECT_EQ(0, fclose(file));
    const struct timespec times[] = {st.st_atim, st.st_mtim};
    EXPECT_EQ(0, utimensat(AT_FDCWD, path, times, 0));
}

/* As package managers do, with the same bytes. */
static void replace(const char *path)
{
    char command[3 * driver_copy_path_size];
    (void)snprintf(command, sizeof command,
            "cp -p '%s' '%s.new' && mv '%s.new' '%s'", path, path, path, path);
    EXPECT_EQ(0, system(command));
}

static void delete (const char *path)
{
    EXPECT_EQ(0, unlink(path));
}

static void create_file(const char *path)
{
    FILE *file = fopen(path, "wxb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(0, fclose(file));
}

static void create_folder(const char *path)
{
    EXPECT_EQ(0, mkdir(path, 0700));
}

static void remove_folder(const char *path)
{
    char command[2 * driver_copy_path_size];
    (void)snprintf(command, sizeof command, "rm -r '%s'", path);
    EXPECT_EQ(0, system(command));
}

static const struct change changes[] = {
        {"nothing", "", NULL, NULL, false},
        {"appended to a data file", "share/pocl/large.bc", append_byte, NULL,
                true},
        {"written into a data file", "share/pocl/small.bc", overwrite, NULL,
                true},
        {"replaced a data file", "share/pocl/small.bc", replace, NULL, true},
        {"removed a data file", "share/pocl/empty.bc", delete, NULL, true},
        {"added a header", "share/pocl/include/a.h", create_file, NULL, true},
        {"replaced a header", "share/pocl/include/x.h", replace, NULL, true},
        {"replaced the driver", "lib/libpocl_fake.so", replace, NULL, true},
        {"replaced a plugin", "lib/pocl/libpocl-devices-a.so", replace, NULL,
                true},
        {"added a plugin", "lib/pocl/libpocl-devices-c.so", create_file, NULL,
                true},
        {"a link leads somewhere", "share/pocl/nowhere", create_file, NULL,
                true},
        {"added a folder", "share/pocl/include", create_folder, remove_folder,
                true},
        {"added another library", "lib/pocl/libother.so", create_file, NULL,
                false},
};

/* A program, and whether its blob is given away. */
static void expect_blob(dnnl_cache_program_t program, bool is_given)
{
    size_t size = 1;
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    EXPECT_EQ(is_given, size > 0);
}

static void expect_changed_file(const struct change *change)
{
    const char *path = "";
    EXPECT_OK(dnnl_cache_find_changed_file(&path));
    if (change->is_of_driver)
        EXPECT_TRUE(path != NULL && strstr(path, test_directory()) != NULL);
    else
        EXPECT_TRUE(path == NULL);
}

static const char other_source[] =
        "__kernel void other(__global float *x) { x[0] = 1.0f; }\n";

static void update_driver(const void *user)
{
    const struct change *change = user;
    const bool is_given = !change->is_of_driver;
    char path[driver_copy_path_size];
    struct memory_store store;
    struct log_capture log;
    struct rig rig;
    size_t size = 0;
    log_capture_start(&log);
    open_copy(&rig);
    memory_store_open(&store);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &store.callbacks));
    dnnl_cache_program_t before = build(rig.engine, scale_source, NULL);
    expect_blob(before, true);
    EXPECT_EQ(1, store.puts);
    expect_changed_file(&changes[0]);
    dnnl_cache_program_t between =
            build(rig.engine, "__kernel void k() {}", NULL);

    if (change->make != NULL)
        change->make(driver_copy_path(path, change->name));

    dnnl_cache_program_t after = build(rig.engine, other_source, NULL);
    expect_kernel(after, "other");
    expect_blob(after, is_given);
    expect_blob(between, is_given); /* its binary is read now */
    expect_blob(before, true);      /* it was read before */
    EXPECT_EQ(is_given ? 3 : 1, store.puts);
    /* What the store has is still found. */
    expect_changed_file(change);
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(rig.engine, &size, NULL));
    EXPECT_EQ(is_given, size > 0);
    EXPECT_EQ(change->is_of_driver ? 1 : 0,
            log_capture_count(&log, dnnl_cache_log_warning));
    EXPECT_EQ(change->is_of_driver,
            log_capture_has(&log, dnnl_cache_log_warning, "has changed since"));
    EXPECT_OK(dnnl_cache_program_destroy(before));
    EXPECT_OK(dnnl_cache_program_destroy(between));
    EXPECT_OK(dnnl_cache_program_destroy(after));
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, NULL));
    rig_close(&rig);
    memory_store_close(&store);
    log_capture_stop(&log);
    if (test_has_failed()) printf("%s: %s", change->what, log.text);
}

TEST_C(DriverFiles, NothingIsPublishedOnceTheyHaveChanged)
{
    char command[2 * driver_copy_path_size];
    char path[driver_copy_path_size];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        driver_copy_make(DRIVER);
        if (changes[i].prepare != NULL)
            changes[i].prepare(driver_copy_path(path, changes[i].name));
        in_child(update_driver, &changes[i]);
        (void)snprintf(
                command, sizeof command, "rm -rf '%.500s'/*", test_directory());
        EXPECT_EQ(0, system(command));
    }
}

/* ---- Two drivers --------------------------------------------------------- */

static const char second_name[] = "second/libsecond.so";

/* The same bytes in a new file, as an update of the second driver writes them.
 */
static void install_second(void)
{
    char command[5 * driver_copy_path_size];
    char path[driver_copy_path_size];
    (void)driver_copy_path(path, second_name);
    (void)snprintf(command, sizeof command,
            "mkdir -p '%.300s/second' && cp '%s' '%s.new' && "
            "mv '%s.new' '%s'",
            test_directory(), DRIVER, path, path, path);
    EXPECT_EQ(0, system(command));
}

struct user_of_driver {
    cl_device_id device;
    cl_context context;
    dnnl_engine_t engine;
};

static void open_driver(struct user_of_driver *u, cl_platform_id platform,
        const struct memory_store *store)
{
    cl_int error = CL_SUCCESS;
    ASSERT_EQ(CL_SUCCESS,
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &u->device, NULL));
    u->context = clCreateContext(NULL, 1, &u->device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&u->engine, u->device, u->context));
    EXPECT_OK(dnnl_cache_engine_set_store(u->engine, &store->callbacks));
}

static void close_driver(struct user_of_driver *u)
{
    EXPECT_OK(dnnl_cache_engine_set_store(u->engine, NULL));
    EXPECT_OK(dnnl_engine_destroy(u->engine));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(u->context));
}

/* How many puts its program makes, and whether the driver has changed. */
static unsigned compile_on(const struct user_of_driver *u, const char *source,
        const struct memory_store *store, bool *is_changed)
{
    const char *path = "";
    const unsigned before = store->puts;
    dnnl_cache_program_t program = build(u->engine, source, NULL);
    EXPECT_OK(dnnl_cache_find_changed_file_of_device(&path, u->device));
    *is_changed = path != NULL;
    if (path != NULL) EXPECT_NOT_NULL(strstr(path, second_name));
    expect_blob(program, path == NULL);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    return store->puts - before;
}

static void update_one_of_two(const void *unused)
{
    static char vendors[driver_copy_path_size];
    cl_platform_id platforms[2] = {NULL, NULL};
    cl_uint count = 0;
    struct user_of_driver users[2];
    struct memory_store store;
    struct log_capture log;
    const char *path = "";
    unsigned changed = 0;
    (void)unused;
    strcpy(vendors, driver_copy_vendors());
    EXPECT_EQ(0, putenv(vendors));
    log_capture_start(&log);
    memory_store_open(&store);
    ASSERT_EQ(CL_SUCCESS, clGetPlatformIDs(2, platforms, &count));
    ASSERT_EQ(2, count);
    for (int i = 0; i < 2; i++) {
        bool is_changed = true;
        open_driver(&users[i], platforms[i], &store);
        EXPECT_EQ(1, compile_on(&users[i], scale_source, &store, &is_changed));
        EXPECT_FALSE(is_changed);
    }
    install_second();
    /* Each twice: what is known of one is not taken for the other's. */
    for (int i = 0; i < 4; i++) {
        bool is_changed = false;
        char source[64];
        (void)snprintf(source, sizeof source, "__kernel void k%d() {}", i);
        const unsigned puts =
                compile_on(&users[i % 2], source, &store, &is_changed);
        EXPECT_EQ(is_changed ? 0 : 1, puts);
        changed += is_changed;
    }
    EXPECT_EQ(2, changed);
    EXPECT_OK(dnnl_cache_find_changed_file(&path));
    EXPECT_TRUE(path != NULL && strstr(path, second_name) != NULL);
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_warning));
    for (int i = 0; i < 2; i++)
        close_driver(&users[i]);
    memory_store_close(&store);
    log_capture_stop(&log);
}

TEST_C(DriverFiles, OfOneDriverDoNotStopAnother)
{
    char path[driver_copy_path_size];
    driver_copy_make(DRIVER);
    install_second();
    (void)snprintf(
            path, sizeof path, "%.300s/%s\n", test_directory(), second_name);
    driver_copy_write("second.icd", path, strlen(path));
    in_child(update_one_of_two, NULL);
}

/* ---- Digests that others keep -------------------------------------------- */

enum { most_kept = 8 };

struct keeper {
    dnnl_cache_file_digests_t callbacks;
    unsigned gets, hits, puts, flushes;
    size_t count;
    char keys[most_kept][driver_copy_path_size + 300];
    uint8_t digests[most_kept][DNNL_CACHE_FILE_DIGEST_SIZE];
};

/* What else a driver of PoCL's name reads (libraries of linkers) is the
 * system's. */
static bool is_of_copy(size_t key_size, const uint8_t *key)
{
    char path[driver_copy_path_size];
    (void)driver_copy_path(path, "");
    return memmem(key, key_size, path, strlen(path)) != NULL;
}

static dnnl_status_t get_digest(void *user, size_t key_size, const uint8_t *key,
        uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE])
{
    struct keeper *k = user;
    if (!is_of_copy(key_size, key)) return dnnl_cache_miss;
    k->gets++;
    for (size_t i = 0; i < k->count; i++)
        if (strlen(k->keys[i]) == key_size
                && memcmp(k->keys[i], key, key_size) == 0) {
            memcpy(digest, k->digests[i], DNNL_CACHE_FILE_DIGEST_SIZE);
            k->hits++;
            return dnnl_success;
        }
    return dnnl_cache_miss;
}

static dnnl_status_t put_digest(void *user, size_t key_size, const uint8_t *key,
        const uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE])
{
    struct keeper *k = user;
    if (!is_of_copy(key_size, key)) return dnnl_success;
    k->puts++;
    if (k->count == most_kept || key_size >= sizeof k->keys[0])
        return dnnl_runtime_error;
    memcpy(k->keys[k->count], key, key_size);
    k->keys[k->count][key_size] = '\0';
    memcpy(k->digests[k->count++], digest, DNNL_CACHE_FILE_DIGEST_SIZE);
    return dnnl_success;
}

static void flush_digests(void *user)
{
    struct keeper *k = user;
    k->flushes++;
}

static void keeper_attach(struct keeper *k)
{
    *k = (struct keeper){.callbacks = {sizeof k->callbacks, k, get_digest,
                                 put_digest, flush_digests}};
    EXPECT_OK(dnnl_cache_set_file_digests(&k->callbacks));
}

/* Whether the test's folder is on a file system of which digests are kept. */
static bool is_reliable(void)
{
    struct statfs fs;
    if (statfs(test_directory(), &fs) != 0) return false;
    const unsigned long type = (unsigned long)fs.f_type;
    return type == EXT4_SUPER_MAGIC || type == TMPFS_MAGIC
           || type == BTRFS_SUPER_MAGIC || type == 0x58465342
           || type == F2FS_SUPER_MAGIC;
}

static void read_id(struct rig *rig, struct bytes *id)
{
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob_id(
            rig->device, &id->size, NULL));
    id->data = calloc(1, id->size + 1);
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob_id(
            rig->device, &id->size, id->data));
}

/* Writes the engine's ID to a file of the test. */
static void write_id(const char *name)
{
    struct rig rig;
    struct bytes id;
    open_copy(&rig);
    read_id(&rig, &id);
    EXPECT_GT(id.size, 0);
    driver_copy_write(name, id.data, id.size);
    free(id.data);
    rig_close(&rig);
}

/* Of which it is asked: three data files, a header, and a plugin without a
 * build-id. */
enum { kept_count = 5 };

/* The number of a file's digest. */
static size_t find_kept(const struct keeper *k, const char *name)
{
    char path[driver_copy_path_size];
    struct stat st, of_key;
    EXPECT_EQ(0, stat(driver_copy_path(path, name), &st));
    for (size_t i = 0; i < k->count; i++) {
        const char *in_key = strchr(k->keys[i], '/');
        if (in_key != NULL && stat(in_key, &of_key) == 0
                && of_key.st_ino == st.st_ino)
            return i;
    }
    EXPECT_TRUE(false);
    return 0;
}

static void identify_young(const void *user)
{
    struct keeper k;
    (void)user;
    keeper_attach(&k);
    write_id("young.id");
    EXPECT_GE(k.gets, kept_count);
    EXPECT_EQ(0, k.puts); /* it could change once more in the same instant */
    EXPECT_GE(k.flushes, 1);
}

static void identify_old(const void *user)
{
    struct keeper k;
    uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE];
    char path[driver_copy_path_size];
    (void)user;
    keeper_attach(&k);
    write_id("old.id");
    EXPECT_GE(k.gets, kept_count);
    EXPECT_EQ(0, k.hits);
    ASSERT_EQ(kept_count, k.puts);
    const size_t at = find_kept(&k, "share/pocl/large.bc");
    const size_t size = strlen(k.keys[at]);
    const uint8_t *key = (const uint8_t *)k.keys[at];
    EXPECT_OK(dnnl_cache_digest_file(size, key, digest));
    EXPECT_EQ(0, memcmp(digest, k.digests[at], sizeof digest));
    /* Another one would be believed. */
    k.digests[at][0] ^= 1;
    driver_copy_write("digests", &k, sizeof k);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_digest_file(size, (const uint8_t *)"no key", digest));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_digest_file(3, (const uint8_t *)"a b", digest));
    /* A change and its undoing show. */
    EXPECT_EQ(0, chmod(driver_copy_path(path, "share/pocl/large.bc"), 0600));
    EXPECT_EQ(0, chmod(path, 0644));
    EXPECT_STATUS(
            dnnl_cache_blob_stale, dnnl_cache_digest_file(size, key, digest));
}

/* With the digests that another process has found. */
static void attach_known(struct keeper *k)
{
    struct keeper read;
    char path[driver_copy_path_size];
    FILE *file = fopen(driver_copy_path(path, "digests"), "rb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(1, fread(&read, sizeof read, 1, file));
    EXPECT_EQ(0, fclose(file));
    keeper_attach(k);
    memcpy(k->keys, read.keys, sizeof k->keys);
    memcpy(k->digests, read.digests, sizeof k->digests);
    k->count = read.count;
}

static void identify_known(const void *user)
{
    struct keeper k;
    (void)user;
    attach_known(&k);
    write_id("known.id");
    EXPECT_EQ(kept_count - 1, k.hits); /* all but the one that has changed */
    EXPECT_EQ(0, k.puts);
}

/* A small file is not read whose digest is kept. */
static void identify_mistaken(const void *user)
{
    struct keeper k;
    (void)user;
    attach_known(&k);
    k.digests[find_kept(&k, "share/pocl/include/x.h")][0] ^= 1;
    write_id("mistaken.id");
    EXPECT_EQ(kept_count - 1, k.hits);
}

/* Until it changes, whatever it holds. */
static void identify_touched(const void *user)
{
    struct keeper k;
    char path[driver_copy_path_size];
    (void)user;
    attach_known(&k);
    k.digests[find_kept(&k, "share/pocl/include/x.h")][0] ^= 1;
    EXPECT_EQ(0, chmod(driver_copy_path(path, "share/pocl/include/x.h"), 0600));
    write_id("touched.id");
    EXPECT_EQ(kept_count - 2, k.hits);
}

static bool have_same_bytes(const char *name, const char *other)
{
    char command[3 * driver_copy_path_size];
    char path[driver_copy_path_size];
    char other_path[driver_copy_path_size];
    (void)snprintf(command, sizeof command, "cmp -s '%s' '%s'",
            driver_copy_path(path, name), driver_copy_path(other_path, other));
    return system(command) == 0;
}

/* Two seconds: see file_key_is_settled(). */
static void wait_until_settled(const char *name)
{
    char path[driver_copy_path_size];
    struct stat st;
    struct timespec now;
    const struct timespec pause = {0, 50000000};
    long long ns;
    EXPECT_EQ(0, stat(driver_copy_path(path, name), &st));
    do {
        (void)nanosleep(&pause, NULL);
        (void)clock_gettime(CLOCK_REALTIME, &now);
        ns = (long long)(now.tv_sec - st.st_ctim.tv_sec) * 1000000000
             + now.tv_nsec - st.st_ctim.tv_nsec;
    } while (ns <= 2000000000);
}

TEST_C(DriverFiles, DigestsAreKeptOfFilesThatDoNotChange)
{
    if (!is_reliable()) SKIP_TEST("a file system without digests");
    driver_copy_make(DRIVER);
    in_child(identify_young, NULL);
    wait_until_settled("share/pocl/large.bc");
    in_child(identify_old, NULL);
    EXPECT_TRUE(have_same_bytes("young.id", "old.id"));
    /* Changed since: it is read again. */
    in_child(identify_known, NULL);
    EXPECT_TRUE(have_same_bytes("young.id", "known.id"));
    in_child(identify_mistaken, NULL);
    EXPECT_FALSE(have_same_bytes("young.id", "mistaken.id"));
    in_child(identify_touched, NULL);
    EXPECT_TRUE(have_same_bytes("young.id", "touched.id"));
}

static void attach_wrong(const void *user)
{
    dnnl_cache_file_digests_t wrong = DNNL_CACHE_FILE_DIGESTS_INIT;
    uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE];
    (void)user;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_file_digests(&wrong));
    wrong.get = get_digest;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_file_digests(&wrong));
    wrong.put = put_digest;
    EXPECT_OK(dnnl_cache_set_file_digests(&wrong));
    wrong.struct_size--;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_file_digests(&wrong));
    EXPECT_OK(dnnl_cache_set_file_digests(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_digest_file(0, (const uint8_t *)"", digest));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_digest_file(1, NULL, digest));
}

TEST_C(DriverFiles, WrongCallbacksAreRefused)
{
    in_child(attach_wrong, NULL);
}
