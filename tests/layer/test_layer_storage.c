/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/store.h"
#include "forge.h"
#include "fuse_folder.h"
#include "layer/driver/crash_markers.h"
#include "layer/settings/print.h"
#include "layer/settings/state_place.h"
#include "layer/settings/statistics_report.h"
#include "layer/storage/remedy.h"
#include "layer/storage/storage.h"
#include "layer_process.h"
#include "layer_store.h"
#include "test.h"
#include "week_of_use.h"

#include <dnnl_cache.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Numbered blobs ------------------------------------------------------ */

enum { blob_size = 3000 };

static void make_id(uint8_t id[40], unsigned number)
{
    memset(id, 0xab, 40);
    memcpy(id, &number, sizeof number);
}

static void make_blob(uint8_t blob[blob_size], unsigned number)
{
    memset(blob, (int)number, blob_size);
    memcpy(blob, &number, sizeof number);
}

static enum storage_outcome put(unsigned number)
{
    uint8_t id[40];
    uint8_t blob[blob_size];
    make_id(id, number);
    make_blob(blob, number);
    return storage_put(sizeof id, id, sizeof blob, blob, 1000);
}

enum found { nothing, in_memory, on_disk };

static enum found get(unsigned number)
{
    uint8_t id[40];
    uint8_t blob[blob_size];
    struct storage_entry entry;
    make_id(id, number);
    make_blob(blob, number);
    if (!storage_get(&entry, sizeof id, id)) return nothing;
    EXPECT_BYTES_EQ(blob, sizeof blob, entry.blob, entry.size);
    const enum found found = entry.from_memory ? in_memory : on_disk;
    storage_release(&entry);
    return found;
}

static bool count_id(
        void *user, size_t id_size, const uint8_t *id, uint64_t created_ns)
{
    EXPECT_EQ(id_size, 40);
    EXPECT_EQ(id[39], 0xab);
    EXPECT_GT(created_ns, 0);
    ++*(unsigned *)user;
    return true;
}

static unsigned count_ids(void)
{
    unsigned count = 0;
    storage_for_each_id(count_id, &count);
    return count;
}

static uint64_t failures(void)
{
    struct statistics_totals totals;
    statistics_get(&totals);
    return totals.store_failures;
}

static int put_two(void *user)
{
    (void)user;
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(put(2), storage_kept);
    storage_close();
    return test_has_failed();
}

/* ---- Two processes, each kind of store ----------------------------------- */

static int first_process(void *user)
{
    (void)user;
    EXPECT_EQ(get(1), nothing);
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(put(1), storage_unchanged);
    EXPECT_EQ(put(2), storage_kept);
    storage_close();
    EXPECT_EQ(get(1), nothing);
    EXPECT_EQ(put(1), storage_not_kept);
    EXPECT_EQ(count_ids(), 0);
    storage_close();
    return test_has_failed();
}

static int second_process(void *user)
{
    uint8_t id[40];
    (void)user;
    EXPECT_EQ(count_ids(), 2);
    EXPECT_EQ(get(1), on_disk);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(get(2), on_disk);
    EXPECT_EQ(get(3), nothing);
    make_id(id, 1);
    storage_remove(sizeof id, id);
    EXPECT_EQ(get(1), nothing);
    EXPECT_EQ(count_ids(), 1);
    EXPECT_EQ(failures(), 0);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, KeepsForLaterProcesses)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        EXPECT_EQ(layer_process_run(store.variables, first_process, NULL), 0);
        EXPECT_EQ(layer_process_run(store.variables, second_process, NULL), 0);
    }
}

/* ---- Damage -------------------------------------------------------------- */

/* Flips a bit in each copy of the blob that a file has; nftw() has no pointer
 * for its caller. */
static unsigned damaged_number;

static int damage_file(
        const char *path, const struct stat *st, int type, struct FTW *where)
{
    static uint8_t bytes[1 << 20];
    uint8_t blob[blob_size];
    (void)where;
    make_blob(blob, damaged_number);
    if (type != FTW_F) return 0;
    EXPECT_LE(st->st_size, sizeof bytes);
    FILE *f = fopen(path, "r+b");
    if (f == NULL) return -1;
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    for (uint8_t *at = bytes;
            (at = memmem(at, size - (size_t)(at - bytes), blob, 16)) != NULL;
            at++) {
        EXPECT_EQ(fseek(f, at - bytes + 8, SEEK_SET), 0);
        fputc(at[8] ^ 1, f);
    }
    return fclose(f);
}

static int tell_damage(void *user)
{
    uint8_t id[40];
    struct storage_entry entry;
    (void)user;
    make_id(id, 3);
    EXPECT_FALSE(storage_get(&entry, sizeof id, id));
    EXPECT_FALSE(entry.damaged);
    make_id(id, 1);
    EXPECT_FALSE(storage_get(&entry, sizeof id, id));
    EXPECT_TRUE(entry.damaged);
    EXPECT_EQ(get(2), on_disk);
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(get(1), on_disk);
    EXPECT_EQ(failures(), 0);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, TellsDamageFromAbsence)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, "DNNL_CACHE_IN_MEM=0");
        ASSERT_EQ(layer_process_run(store.variables, put_two, NULL), 0);
        damaged_number = 1;
        ASSERT_EQ(nftw(store.path, damage_file, 16, FTW_PHYS), 0);
        EXPECT_EQ(layer_process_run(store.variables, tell_damage, NULL), 0);
    }
}

static int without_memory(void *user)
{
    (void)user;
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(get(1), on_disk);
    EXPECT_EQ(get(1), on_disk);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, WithoutMemoryTheDiskIsAskedEachTime)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_IN_MEM=0");
    EXPECT_EQ(layer_process_run(store.variables, without_memory, NULL), 0);
}

static int with_little_memory(void *user)
{
    (void)user;
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(put(2), storage_kept);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(put(3), storage_kept); /* 2 leaves */
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(get(3), in_memory);
    EXPECT_EQ(get(2), on_disk);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, MemoryHasALimit)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=6000");
    EXPECT_EQ(layer_process_run(store.variables, with_little_memory, NULL), 0);
}

static int memory_alone(void *user)
{
    (void)user;
    EXPECT_EQ(put(1), storage_kept);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(count_ids(), 0);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, WithoutPersistenceNothingIsWritten)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_PERSISTENT=0");
    EXPECT_EQ(layer_process_run(store.variables, memory_alone, NULL), 0);
    EXPECT_NE(access(store.path, F_OK), 0);
}

static int nothing_at_all(void *user)
{
    (void)user;
    EXPECT_EQ(put(1), storage_not_kept);
    EXPECT_EQ(get(1), nothing);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, WithBothLevelsOffNothingIsKept)
{
    static const char *const off[] = {
            "DNNL_CACHE_PERSISTENT=0", "DNNL_CACHE_IN_MEM=0", NULL};
    EXPECT_EQ(layer_process_run(off, nothing_at_all, NULL), 0);
}

/* ---- Limits -------------------------------------------------------------- */

static int put_real_blob(void *user)
{
    struct sample sample;
    struct storage_entry entry;
    sample_init(&sample, blob_kind_program);
    const size_t id_size = sample.contents.id_size;
    const uint8_t *id = sample.contents.id;
    const enum storage_outcome outcome =
            storage_put(id_size, id, sample.size, sample.blob, 0);
    EXPECT_TRUE(
            storage_get(&entry, id_size, id)); /* memory has no such limit */
    storage_release(&entry);
    sample_fini(&sample);
    storage_close();
    return test_has_failed() || outcome != *(enum storage_outcome *)user;
}

/* What becomes of the sample with one limit. */
static void expect_outcome(
        enum storage_outcome outcome, const char *limit, uint64_t bytes)
{
    struct layer_store store;
    char variable[128];
    (void)snprintf(variable, sizeof variable, "%s=%llu", limit,
            (unsigned long long)bytes);
    layer_store_init(&store, 0, variable);
    EXPECT_EQ(layer_process_run(store.variables, put_real_blob, &outcome), 0);
}

TEST_SAMPLE(LayerStorage, ImagesHaveLimitsOnDisk, blob_kind_program)
{
    static const char least[] = "DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE";
    static const char most[] = "DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE";
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    ASSERT_OK(dnnl_cache_blob_inspect(s->size, s->blob, &info));
    ASSERT_GT(info.binary_bytes, 1);
    ASSERT_GT(s->size, info.binary_bytes);
    expect_outcome(storage_kept, least, info.binary_bytes);
    expect_outcome(storage_too_small, least, info.binary_bytes + 1);
    expect_outcome(storage_kept, most, info.binary_bytes);
    expect_outcome(storage_too_large, most, info.binary_bytes - 1);
}

static int put_many(void *user)
{
    unsigned *kept = user;
    for (unsigned i = 0; i < 40; i++)
        *kept += put(i) == storage_kept;
    EXPECT_EQ(failures(), 0);
    storage_close();
    const int result = test_has_failed();
    return result != 0 ? 255 : (int)*kept;
}

static int find_many(void *user)
{
    unsigned found = 0;
    (void)user;
    for (unsigned i = 0; i < 40; i++)
        found += get(i) != nothing ? 1u : 0u;
    found += get(39) != nothing ? 100u : 0u;
    storage_close();
    return test_has_failed() ? 255 : (int)found;
}

static void expect_limit(size_t kind, const char *extra, int kept, bool newest)
{
    unsigned count = 0;
    struct layer_store store;
    layer_store_init(&store, kind, extra);
    store.variables[3] = "DNNL_CACHE_MAX_SIZE=96000B";
    store.variables[4] = NULL;
    EXPECT_EQ(layer_process_run(store.variables, put_many, &count), kept);
    const int found = layer_process_run(store.variables, find_many, NULL);
    EXPECT_GT(found % 100, 5);
    EXPECT_LT(found % 100, 20);
    EXPECT_EQ(found >= 100, newest);
}

TEST_C(LayerStorage, DiskHasALimit)
{
    expect_limit(0, "DNNL_CACHE_IN_MEM=0", 40, true);
    expect_limit(1, "DNNL_CACHE_IN_MEM=0", 40, true);
    expect_limit(2, "DNNL_CACHE_IN_MEM=0", 40, true);
}

static int keep_what_fits(void *user)
{
    unsigned *kept = user;
    for (unsigned i = 0; i < 40; i++)
        *kept += put(i) == storage_kept;
    EXPECT_EQ(get(0), on_disk);
    storage_close();
    EXPECT_GT(*kept, 5);
    EXPECT_LT(*kept, 20);
    return test_has_failed();
}

TEST_C(LayerStorage, WithoutEvictionWhatDoesNotFitIsNotKept)
{
    unsigned count = 0;
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_EVICTION_DISABLE=1");
    store.variables[3] = "DNNL_CACHE_MAX_SIZE=96000B";
    store.variables[4] = "DNNL_CACHE_IN_MEM=0";
    store.variables[5] = NULL;
    EXPECT_EQ(layer_process_run(store.variables, keep_what_fits, &count), 0);
}

static int no_limit(void *user)
{
    (void)user;
    for (unsigned i = 0; i < 40; i++)
        EXPECT_EQ(put(i), storage_kept);
    EXPECT_EQ(count_ids(), 40);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, SizeOfZeroIsNoLimit)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_MAX_SIZE=0");
    EXPECT_EQ(layer_process_run(store.variables, no_limit, NULL), 0);
}

/* ---- Age ----------------------------------------------------------------- */

static int just_use(void *user)
{
    (void)user;
    EXPECT_EQ(get(100), nothing);
    storage_close();
    return test_has_failed();
}

static int count_in_child(void *user)
{
    (void)user;
    const unsigned count = count_ids();
    storage_close();
    return (int)count;
}

/* Makes the entries as old as if they had not been used for so long. */
static void make_old(const struct layer_store *store, long days)
{
    char command[2400];
    (void)snprintf(command, sizeof command,
            "find '%s' -name '*_access_time.txt' -delete && "
            "find '%s' \\( -name '*.cl_cache' -o -name '*.bin' \\) "
            "-exec touch -d '%ld days ago' {} + && rm -rf '%s'/layer",
            store->path, store->path, days, store->path);
    ASSERT_EQ(system(command), 0);
}

enum { flat = 0, tree = 2 };

static void expect_left(size_t kind, const char *extra, long days,
        bool others_are_used, int left)
{
    struct layer_store store;
    layer_store_init(&store, kind, extra);
    EXPECT_EQ(layer_process_run(store.variables, put_two, NULL), 0);
    if (others_are_used) week_of_use(store.path);
    make_old(&store, days);
    EXPECT_EQ(layer_process_run(store.variables, just_use, NULL), 0);
    EXPECT_EQ(layer_process_run(store.variables, count_in_child, NULL), left);
}

TEST_C(LayerStorage, WhatIsNotUsedForDaysGoes)
{
    expect_left(tree, NULL, 6, true, 2);
    expect_left(tree, NULL, 8, true, 0);
    expect_left(tree, "DNNL_CACHE_THRESHOLD=3", 4, true, 0);
    expect_left(tree, "DNNL_CACHE_THRESHOLD=0", 400, true, 2);
    expect_left(tree, "DNNL_CACHE_EVICTION_DISABLE=1", 400, true, 2);
    expect_left(flat, "DNNL_CACHE_THRESHOLD=3", 4, true, 0);
}

/* Intel's store removes for want of room alone, unless it is told. */
TEST_C(LayerStorage, WithoutAThresholdWhatIsOldStays)
{
    expect_left(flat, NULL, 8, true, 2);
    expect_left(flat, NULL, 4000, true, 2);
}

/* The machine was off, or its clock was wrong. */
TEST_C(LayerStorage, ATimeInWhichNothingWasUsedIsNoAge)
{
    expect_left(tree, NULL, 20000, false, 2);
    expect_left(flat, "DNNL_CACHE_THRESHOLD=1", 20000, false, 2);
}

/* ---- Stores that are none ------------------------------------------------ */

static int work_without(void *user)
{
    (void)user;
    EXPECT_EQ(get(1), nothing);
    EXPECT_EQ(put(1), storage_not_kept);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(failures(), 1);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, ThatCannotBeOpenedIsDoneWithout)
{
    struct layer_store store;
    char *said = NULL;
    layer_store_init(&store, 0, NULL);
    const int fd = open(store.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_TRUE(fd >= 0 && close(fd) == 0);
    /* Once a day, and not at each start. */
    EXPECT_EQ(layer_process_listen(&said, store.variables, work_without, NULL),
            0);
    EXPECT_NOT_NULL(strstr(said, "dnnl_cache layer: nothing is kept: "));
    EXPECT_NOT_NULL(strstr(said, store.path));
    EXPECT_NOT_NULL(strstr(said, "DNNL_CACHE_DIR"));
    free(said);
    EXPECT_EQ(layer_process_listen(&said, store.variables, work_without, NULL),
            0);
    EXPECT_STR_EQ(said, "");
    free(said);
    store.variables[2] = "DNNL_CACHE_PRINT_DEBUG=1";
    store.variables[3] = NULL;
    EXPECT_EQ(layer_process_listen(&said, store.variables, work_without, NULL),
            0);
    EXPECT_NOT_NULL(strstr(said, "dnnl_cache layer: store: "));
    EXPECT_NOT_NULL(strstr(said, store.path));
    free(said);
}

static int put_and_close(void *user)
{
    (void)user;
    EXPECT_EQ(get(1), nothing);
    EXPECT_EQ(put(1), storage_kept);
    storage_close();
    return test_has_failed();
}

static int get_and_close(void *user)
{
    (void)user;
    EXPECT_EQ(get(1), on_disk);
    storage_close();
    return test_has_failed();
}

/* A store is used as what it is, whatever type new ones are to have. */
TEST_C(LayerStorage, OfAnyKindIsUsedAsWhatItIs)
{
    static const char *const variables[layer_store_kinds] = {
            "DNNL_CACHE_STORE=bucket", "DNNL_CACHE_STORE=pack",
            "DNNL_CACHE_STORE=none", "DNNL_CACHE_STORE=tree"};
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(layer_store_fill(&store), 0);
        store.variables[1] = variables[i];
        EXPECT_EQ(layer_process_run(store.variables, put_and_close, NULL), 0);
        store.variables[1] = store.kind;
        EXPECT_EQ(layer_process_run(store.variables, get_and_close, NULL), 0);
    }
}

/* ---- Homes of others ----------------------------------------------------- */

enum { another_user = 54321 };

static int work_in_a_home(void *user)
{
    (void)user;
    EXPECT_EQ(get(1), nothing);
    (void)put(1);
    EXPECT_EQ(get(1), in_memory);
    storage_close();
    return test_has_failed();
}

static char *said_at_home(void)
{
    static char home[600];
    char *said = NULL;
    (void)snprintf(home, sizeof home, "HOME=%s/home", test_directory());
    const char *const variables[] = {"XDG_CACHE_HOME=", home, NULL};
    EXPECT_EQ(layer_process_listen(&said, variables, work_in_a_home, NULL), 0);
    return said;
}

static void run_at_home(const char *command)
{
    char whole[800];
    (void)snprintf(whole, sizeof whole,
            "d='%s/home'; mkdir -p \"$d\" && cd \"$d\" && { %s; }",
            test_directory(), command);
    ASSERT_EQ(system(whole), 0);
}

static void expect_remedy(const char *part, const char *reason)
{
    const char *remedy = remedy_for(reason, test_directory());
    if (strstr(remedy, part) == NULL)
        test_fail(__FILE__, __LINE__, "%s: %s", reason, remedy);
    /* That advice fits a folder of somebody else's alone. */
    if (strcmp(part, "chown") != 0) EXPECT_NULL(strstr(remedy, "chown"));
}

TEST_C(LayerStorage, AdviceFitsTheCause)
{
    char reason[256];
    static const struct {
        int error;
        const char *part;
    } of[] = {{EIO, "another file system"}, {ENOSPC, "another file system"},
            {EROFS, "another file system"}, {EACCES, "chown"}, {EPERM, "chown"},
            {ENOTDIR, "remove it"}, {ELOOP, "remove it"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        (void)snprintf(reason, sizeof reason, "/x/store: cannot be opened: %s",
                strerror(of[i].error));
        expect_remedy(of[i].part, reason);
    }
    expect_remedy("remove it", "/x/store: refused as a store: it has files");
    /* Another user's, whatever the reason. */
    if (geteuid() != 0) return;
    EXPECT_EQ(0, chown(test_directory(), 54321, (gid_t)-1));
    expect_remedy("chown", "/x/store: refused as a store: it belongs to "
                           "another user");
    expect_remedy("another file system", "/x/store: Input/output error");
    EXPECT_EQ(0, chown(test_directory(), 0, (gid_t)-1));
}

/* In a mount namespace of its own: the folder is on a file system of that kind.
 */
struct elsewhere {
    const char *type;
    const char *options;
    char folder[512];
    bool fills; /* it, before a put */
};

static int work_elsewhere(void *user)
{
    const struct elsewhere *e = user;
    char path[600];
    struct fuse_folder fuse = {.server = 0};
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 77;
    const bool is_fuse = strcmp(e->type, "fuse") == 0;
    (void)snprintf(path, sizeof path, "%s/behind", test_directory());
    if (is_fuse) (void)mkdir(path, 0700);
    if (is_fuse ? !fuse_folder_begin(&fuse, e->folder, path)
                : mount("none", e->folder, e->type, 0, e->options) != 0)
        return 77;
    (void)get(1);
    if (e->fills) {
        (void)snprintf(path, sizeof path, "%s/all", e->folder);
        const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        static const char zeros[4096];
        while (write(fd, zeros, sizeof zeros) > 0)
            continue;
        EXPECT_EQ(0, close(fd));
    }
    for (unsigned i = 2; i < 5; i++) {
        const enum storage_outcome outcome = put(i);
        EXPECT_EQ(e->fills, outcome == storage_not_kept);
    }
    storage_close();
    if (is_fuse) fuse_folder_end(&fuse);
    return test_has_failed();
}

/* What it says the first time; the second time nothing, and "". The caller
 * frees it; NULL: mounting is not allowed. */
static char *said_elsewhere(struct elsewhere *e)
{
    char variable[600];
    char *said = NULL;
    char *again = NULL;
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_DIR=%s", e->folder);
    const char *const variables[] = {variable, "DNNL_CACHE_STORE=flat", NULL};
    const int result =
            layer_process_listen(&said, variables, work_elsewhere, e);
    if (result == 77) {
        free(said);
        return NULL;
    }
    EXPECT_EQ(0, result);
    EXPECT_EQ(0, layer_process_listen(&again, variables, work_elsewhere, e));
    EXPECT_STR_EQ("", again);
    free(again);
    return said;
}

/* Each start would say so, and each program. */
TEST_C(LayerStorage, ThatIsFullIsSaidOnceADay)
{
    struct elsewhere e = {"tmpfs", "size=256k,mode=0700", "", true};
    (void)snprintf(e.folder, sizeof e.folder, "%s/full", test_directory());
    ASSERT_EQ(0, mkdir(e.folder, 0700));
    char *said = said_elsewhere(&e);
    if (said == NULL) SKIP_TEST("mounting is not allowed here");
    EXPECT_NOT_NULL(strstr(said, e.folder));
    EXPECT_NOT_NULL(strstr(said, "its file system has no room"));
    EXPECT_NOT_NULL(strstr(said, "set DNNL_CACHE_DIR to a folder of another "
                                 "file system"));
    EXPECT_PTR_EQ(strchr(said, '\n'), strrchr(said, '\n'));
    free(said);
}

TEST_C(LayerStorage, OnFuseIsSaidOnceADay)
{
    struct elsewhere e = {"fuse", "", "", false};
    (void)snprintf(e.folder, sizeof e.folder, "%s/fuse", test_directory());
    ASSERT_EQ(0, mkdir(e.folder, 0700));
    char *said = said_elsewhere(&e);
    if (said == NULL) SKIP_TEST("no /dev/fuse, or mounting is not allowed");
    EXPECT_NOT_NULL(strstr(said, "fuse is on FUSE: whether locks, renames"));
    EXPECT_NOT_NULL(strstr(said, "DNNL_CACHE_DIR"));
    EXPECT_PTR_EQ(strchr(said, '\n'), strrchr(said, '\n'));
    free(said);
}

/* A container has no marks of what was said before, and mostly no person. */
TEST_C(LayerStorage, OnAFileSystemOfLayersIsSaidToAPerson)
{
    char options[2048];
    char command[2048];
    char variable[600];
    struct elsewhere e = {"overlay", options, "", false};
    const char *d = test_directory();
    const char *variables[] = {variable, "DNNL_CACHE_STORE=flat", NULL, NULL};
    char *said = NULL;
    (void)snprintf(command, sizeof command,
            "mkdir -m 700 '%s/layers' '%s/low' '%s/up' '%s/at'", d, d, d, d);
    ASSERT_EQ(0, system(command));
    (void)snprintf(e.folder, sizeof e.folder, "%s/layers", d);
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_DIR=%s", e.folder);
    (void)snprintf(options, sizeof options,
            "lowerdir=%s/low,upperdir=%s/up,workdir=%s/at", d, d, d);
    const int result =
            layer_process_listen(&said, variables, work_elsewhere, &e);
    if (result == 77) {
        free(said);
        SKIP_TEST("mounting is not allowed here");
    }
    EXPECT_EQ(0, result);
    EXPECT_STR_EQ("", said);
    free(said);
    variables[2] = "DNNL_CACHE_PRINT_DEBUG=1";
    EXPECT_EQ(0, layer_process_listen(&said, variables, work_elsewhere, &e));
    EXPECT_NOT_NULL(strstr(said, "layers is on overlayfs: what is written may "
                                 "be gone when the container ends"));
    EXPECT_NOT_NULL(strstr(said, "DNNL_CACHE_DIR"));
    free(said);
}

/* The cause and its advice, in a process. */
TEST_C(LayerStorage, ThatIsNoFolderIsNotSaidToBeAnothers)
{
    struct layer_store store;
    char *said = NULL;
    layer_store_init(&store, 0, NULL);
    ASSERT_EQ(0, symlink(store.path, store.path)); /* leads to itself */
    EXPECT_EQ(layer_process_listen(&said, store.variables, work_without, NULL),
            0);
    EXPECT_NOT_NULL(strstr(said, strerror(ELOOP)));
    EXPECT_NULL(strstr(said, "chown"));
    free(said);
}

/* root with the HOME of a user: nothing is made there. */
TEST_C(LayerStorage, IsNotMadeInAnotherUsersHome)
{
    if (geteuid() != 0) SKIP_TEST("not root");
    run_at_home("chown 54321 .");
    char *said = said_at_home();
    EXPECT_NOT_NULL(strstr(said, "dnnl_cache layer: nothing is kept: HOME="));
    EXPECT_NOT_NULL(strstr(said, "another user (54321)"));
    EXPECT_NOT_NULL(strstr(said, "sudo -H"));
    free(said);
    said = said_at_home();
    EXPECT_STR_EQ("", said); /* once a day */
    free(said);
    /* A file system whose clock is before this one. */
    run_at_home("touch -d '20 seconds' ../dnnl_cache-told-*");
    said = said_at_home();
    EXPECT_STR_EQ("", said);
    free(said);
    /* A clock that was set back says nothing of a mark's age. */
    run_at_home("touch -d '2 hours' ../dnnl_cache-told-*");
    said = said_at_home();
    EXPECT_NOT_NULL(strstr(said, "another user (54321)"));
    free(said);
    run_at_home("[ \"$(ls -A)\" = '' ]");
    /* Nor in what he has there, in a home that is root's. */
    run_at_home("chown 0 . && mkdir -p .cache && chown 54321 .cache");
    free(said_at_home());
    run_at_home("[ \"$(ls -A .cache)\" = '' ]");
    run_at_home("chown -R 0 .");
    said = said_at_home();
    EXPECT_STR_EQ("", said);
    free(said);
    run_at_home("[ -d .cache/dnnl_cache ]");
}

/* What root has left, in a process of that user's. */
static int work_as_another(void *user)
{
    if (chmod(test_directory(), 0755) != 0 || chroot(test_directory()) != 0
            || chdir("/") != 0
            || setresuid(another_user, another_user, another_user) != 0)
        return 77;
    return work_in_a_home(user);
}

TEST_C(LayerStorage, ThatRootHasLeftIsTold)
{
    static const char *const variables[] = {
            "XDG_CACHE_HOME=", "HOME=/home", "XDG_RUNTIME_DIR=/run", NULL};
    char *said = NULL;
    if (geteuid() != 0) SKIP_TEST("not root");
    run_at_home("true");
    free(said_at_home());
    run_at_home("chown 54321 . && chmod 755 . .cache .cache/dnnl_cache && "
                "mkdir -p ../run && chown 54321 ../run");
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(layer_process_listen(&said, variables, work_as_another, NULL),
                0);
        if (i == 0) {
            EXPECT_NOT_NULL(strstr(said,
                    "dnnl_cache layer: nothing is kept: "
                    "/home/.cache/dnnl_cache: refused as a store"));
            EXPECT_NOT_NULL(strstr(said, "chown"));
        } else {
            EXPECT_STR_EQ("", said);
        }
        free(said);
    }
}

/* A full disk, as a process sees it: nothing may become larger than so. Whoever
 * writes more is sent a signal, which is not the application's fault. */
static int write_within_a_limit(void *user)
{
    const struct rlimit limit = {2000, 2000};
    (void)user;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ(put(1), storage_not_kept);
    EXPECT_EQ(get(1), in_memory);
    EXPECT_EQ(failures(), 1);
    EXPECT_EQ(count_ids(), 0);
    const int slot = crash_markers_begin(1, (const uint8_t *)"x");
    EXPECT_GE(slot, 0); /* 1 KiB */
    crash_markers_end(slot);
    crash_markers_close();
    storage_close();
    return test_has_failed();
}

static int write_nothing(void *user)
{
    const struct rlimit limit = {0, 0};
    (void)user;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ(put(1), storage_not_kept);
    EXPECT_EQ(crash_markers_begin(1, (const uint8_t *)"x"), -1);
    crash_markers_close();
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, FullDiskIsNoSignal)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(layer_store_fill(&store), 0);
        EXPECT_EQ(layer_process_run(store.variables, write_nothing, NULL), 0);
        layer_store_init(&store, i, NULL);
        if (i == 3) continue; /* a pack has 6 KiB itself */
        EXPECT_EQ(
                layer_process_run(store.variables, write_within_a_limit, NULL),
                0);
    }
}

static int print_to_nobody(void *user)
{
    int pipes[2];
    (void)user;
    if (pipe(pipes) != 0 || dup2(pipes[1], STDERR_FILENO) < 0) return 1;
    close(pipes[0]);
    close(pipes[1]);
    print_warning("is anybody there?");
    print_failure("test", "is anybody there?");
    statistics_report();
    return 0;
}

TEST_C(LayerStorage, ReportThatNobodyReadsIsNoSignal)
{
    static const char *const variables[] = {
            "DNNL_CACHE_PRINT_DEBUG=1", "DNNL_CACHE_STATS=1", NULL};
    EXPECT_EQ(layer_process_run(variables, print_to_nobody, NULL), 0);
}

/* ---- Folders of others' -------------------------------------------------- */

/* What is kept beside the entries is none of the store's business. */
static int fill_the_folder(void *user)
{
    static const char text[400000];
    (void)user;
    const int folder = state_folder_open();
    EXPECT_TRUE(state_folder_replace(folder, "large", text, sizeof text));
    close(folder);
    for (unsigned i = 10; i < 130; i++) /* evicts */
        EXPECT_EQ(put(i), storage_kept);
    storage_close();
    return test_has_failed();
}

static int look_at_the_folder(void *user)
{
    struct stat st;
    (void)user;
    const int folder = state_folder_open();
    EXPECT_EQ(fstatat(folder, "large", &st, 0), 0);
    EXPECT_EQ(st.st_size, 400000);
    close(folder);
    EXPECT_GT(count_ids(), 5);
    return test_has_failed();
}

/* By the store's own means: a check, a repair, and all entries removed. */
static void treat_store(const struct layer_store *store, size_t kind)
{
    static const char *const types[] = {"flat", "bucket", "tree", "pack"};
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    dnnl_cache_store_handle_t *opened;
    char path[600];
    options.path = store->path;
    ASSERT_OK(dnnl_cache_store_open(&opened, types[kind], &options));
    EXPECT_OK(dnnl_cache_store_verify(opened, true, NULL, NULL, &check));
    EXPECT_EQ(check.damaged, 0);
    EXPECT_GT(check.intact, 5);
    EXPECT_OK(dnnl_cache_store_get_statistics(opened, &statistics));
    EXPECT_LE(statistics.bytes, 300000);
    EXPECT_OK(dnnl_cache_store_trim(opened, 0, UINT64_MAX, NULL));
    dnnl_cache_store_close(opened);
    (void)snprintf(path, sizeof path, "%s%clayer/large", store->path,
            kind == 3 ? '-' : '/');
    EXPECT_EQ(access(path, F_OK), 0);
}

TEST_C(LayerStorage, StoresLeaveTheFolderAlone)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, "DNNL_CACHE_MAX_SIZE=300000B");
        ASSERT_EQ(layer_process_run(store.variables, put_two, NULL), 0);
        EXPECT_EQ(layer_process_run(store.variables, fill_the_folder, NULL), 0);
        EXPECT_EQ(layer_process_run(store.variables, look_at_the_folder, NULL),
                0);
        treat_store(&store, i);
    }
}

/* ---- Lives --------------------------------------------------------------- */

static int hold_over_the_end(void *user)
{
    uint8_t id[40];
    struct storage_entry one;
    struct storage_entry two;
    uint8_t blob[blob_size];
    (void)user;
    make_id(id, 1);
    make_blob(blob, 1);
    if (!storage_get(&one, sizeof id, id)) return 1;
    if (!storage_get(&two, sizeof id, id)) return 1;
    storage_remove(sizeof id, id);
    storage_release(&two);
    storage_close();
    EXPECT_BYTES_EQ(blob, sizeof blob, one.blob, one.size);
    storage_release(&one);
    return test_has_failed();
}

TEST_C(LayerStorage, WhatIsLentOutlivesTheStore)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(layer_process_run(store.variables, put_two, NULL), 0);
        EXPECT_EQ(
                layer_process_run(store.variables, hold_over_the_end, NULL), 0);
    }
}

static void *do_everything(void *user)
{
    unsigned seed = *(unsigned *)user;
    for (int i = 0; i < 200; i++) {
        const unsigned number = (unsigned)rand_r(&seed) % 8;
        uint8_t id[40];
        switch (rand_r(&seed) % 8) {
        case 0:
            (void)put(number);
            break;
        case 1:
            make_id(id, number);
            storage_remove(sizeof id, id);
            break;
        case 2:
            (void)count_ids();
            break;
        default:
            (void)get(number);
            break;
        }
    }
    return NULL;
}

struct many {
    unsigned seed;
    const char *const *variables; /* which name the store */
};

static int in_threads(void *user)
{
    enum { count = 4 };
    const struct many *many = user;
    pthread_t threads[count];
    unsigned seeds[count];
    for (unsigned i = 0; i < count; i++) {
        seeds[i] = many->seed + i;
        if (pthread_create(&threads[i], NULL, do_everything, &seeds[i]) != 0)
            abort();
    }
    for (int i = 0; i < 8; i++) { /* children of a process at work */
        const pid_t child =
                layer_process_start(many->variables, just_use, NULL);
        EXPECT_EQ(layer_process_wait(child), 0);
    }
    for (unsigned i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    EXPECT_EQ(failures(), 0);
    storage_close();
    return test_has_failed();
}

TEST_C(LayerStorage, ThreadsAndTheirChildrenShareIt)
{
#ifdef DNNL_CACHE_TEST_TSAN
    /* glibc's begins anew in a child that was forked in the midst of it. */
    SKIP_TEST("ThreadSanitizer's pthread_once() knows nothing of fork()");
#endif
    struct layer_store store;
    struct many many = {(unsigned)test_seed(), store.variables};
    layer_store_init(&store, 0, "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=9000");
    EXPECT_EQ(layer_process_run(store.variables, in_threads, &many), 0);
}
