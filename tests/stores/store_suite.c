/* SPDX-License-Identifier: Apache-2.0 */
#include "store_suite.h"

#include "dnnl_cache/store.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

const char *path_in_store(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/store/%.300s", test_directory(), name);
    return path;
}

#define TOTALS "dnnl_cache_totals" /* store_totals.h */

static uint64_t hash_of(unsigned number)
{
    char id[32];
    const int n = snprintf(id, sizeof id, "id %u", number);
    return XXH3_64bits(id, (size_t)n);
}

static void unlink_in_store(const char *name)
{
    char path[path_size];
    EXPECT_EQ(0, unlink(path_in_store(path, name)));
}

static void cut(const char *path)
{
    EXPECT_EQ(0, truncate(path, 100));
}

/* ---- Locks --------------------------------------------------------------- */

/* Starts a process that takes a lock and keeps it until it is killed. */
static pid_t hold(bool (*take)(const char *how), const char *how)
{
    int ready[2];
    char byte;
    EXPECT_EQ(0, pipe(ready));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!take(how) || write(ready[1], "!", 1) != 1) _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]); /* a child that could not ends the read, too */
    EXPECT_EQ(1, read(ready[0], &byte, 1));
    close(ready[0]);
    return pid;
}

void release_lock(pid_t holder)
{
    int status = 0;
    ASSERT_GT(holder, 0); /* kill() takes others for many processes */
    kill(holder, SIGKILL);
    EXPECT_EQ(holder, waitpid(holder, &status, 0));
    EXPECT_TRUE(WIFSIGNALED(status));
}

static bool take_file(const char *name)
{
    char path[path_size];
    const int fd = open(path_in_store(path, name), O_RDWR);
    return fd >= 0 && flock(fd, LOCK_EX) == 0;
}

static bool begin_transaction(const char *begin)
{
    char path[path_size];
    sqlite3 *db = NULL;
    return sqlite3_open(path_in_store(path, "blobs.pack"), &db) == SQLITE_OK
           && sqlite3_exec(db, begin, NULL, NULL, NULL) == SQLITE_OK;
}

pid_t hold_transaction(const char *begin)
{
    return hold(begin_transaction, begin);
}

/* ---- Bucket -------------------------------------------------------------- */

static uint64_t bucket_room(unsigned n)
{
    return n * (uint64_t)(suite_blob + 200) + 4000;
}

static pid_t bucket_hold(void)
{
    return hold(take_file, "index.bin");
}

static void bucket_upset(void)
{
    unlink_in_store("index.bin");
    unlink_in_store("size.txt");
}

static void bucket_damage(unsigned number, size_t size)
{
    char path[path_size];
    (void)size;
    cut(entry_path(path, number, "kernel.bin"));
}

/* The bucket's directory. */
static void bucket_way(char path[path_size], unsigned number)
{
    (void)entry_path(path, number, "");
    *strrchr(path, '/') = '\0';
}

const struct store_kind bucket_kind = {
        .type = "bucket",
        .path = "",
        .files = "^(" TOTALS
                 "|size\\.txt|index\\.bin|[0-9]+/[0-9]+/(key|kernel)\\.bin)$",
        .own_files = "^(" TOTALS "|size\\.txt|index\\.bin)$",
        .entry_files = "/(key|kernel)\\.bin$",
        .read_files = "/kernel\\.bin$",
        .files_of_entry = 2,
        .room_for = bucket_room,
        .scene_capacity = 40000,
        .scene_small_capacity = 25000,
        .scene_half = 20000,
        .stress_extra = 64 + 8,
        .stress_fixed = 40 * 3 * 200, /* the index, with dead records */
        .empty_bytes = 2000,
        .hold_lock = bucket_hold,
        .upset = bucket_upset,
        .damage = bucket_damage,
        .way_of = bucket_way,
};

/* ---- Tree ---------------------------------------------------------------- */

static uint64_t unindexed_room(unsigned n)
{
    return n * (uint64_t)(suite_blob + 100) + 180;
}

static pid_t tree_hold(void)
{
    return hold(take_file, "cache_size.txt");
}

static void tree_upset(void)
{
    unlink_in_store("cache_size.txt");
}

/* IDs of put_number() are no IDs of the library: they are "image" as a whole,
 * the other groups are empty. */
static void tree_directory(char path[path_size], unsigned number, int levels)
{
    const uint64_t nothing = XXH3_64bits("", 0);
    char name[path_size];
    int n = snprintf(name, sizeof name, "%016" PRIx64 "/%016" PRIx64, nothing,
            hash_of(number));
    for (int i = 2; i < levels; i++)
        n += snprintf(
                name + n, sizeof name - (size_t)n, "/%016" PRIx64, nothing);
    path_in_store(path, name);
}

static void tree_damage(unsigned number, size_t size)
{
    char path[path_size];
    (void)size;
    tree_directory(path, number, 4);
    strcat(path, "/0.bin");
    cut(path);
}

/* The directory of the image: the one above, of the device, is there. */
static void tree_way(char path[path_size], unsigned number)
{
    tree_directory(path, number, 2);
}

const struct store_kind tree_kind = {
        .type = "tree",
        .path = "",
        .files = "^(" TOTALS "|cache_size\\.txt|([0-9a-f]{16}/){4}[0-9]+"
                 "(\\.src|\\.bin|_access_time\\.txt))$",
        .own_files = "^(" TOTALS "|cache_size\\.txt)$",
        .entry_files = "\\.(src|bin)$",
        .read_files = "\\.(src|bin)$",
        .files_of_entry = 2,
        .room_for = unindexed_room,
        .scene_capacity = 40000,
        .scene_small_capacity = 25000,
        .scene_half = 20000,
        .stress_extra = 64 + 8 + 19,
        .stress_fixed = 20,
        .empty_bytes = 20,
        .orders_by_clock = true,
        .hold_lock = tree_hold,
        .upset = tree_upset,
        .damage = tree_damage,
        .way_of = tree_way,
};

/* ---- Flat ---------------------------------------------------------------- */

static pid_t flat_hold(void)
{
    return hold(take_file, "config.file");
}

static void flat_upset(void)
{
    unlink_in_store("config.file");
}

static void flat_way(char path[path_size], unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "%016" PRIx64 ".cl_cache", hash_of(number));
    path_in_store(path, name);
}

static void flat_damage(unsigned number, size_t size)
{
    char path[path_size];
    (void)size;
    flat_way(path, number);
    cut(path);
}

const struct store_kind flat_kind = {
        .type = "flat",
        .path = "",
        .files = "^(" TOTALS "|config\\.file|[0-9a-f]{16}\\.cl_cache)$",
        .own_files = "^(" TOTALS "|config\\.file)$",
        .entry_files = "\\.cl_cache$",
        .read_files = "\\.cl_cache$",
        .files_of_entry = 1,
        .room_for = unindexed_room,
        .scene_capacity = 40000,
        .scene_small_capacity = 25000,
        .scene_half = 20000,
        .stress_extra = 64 + 8,
        .stress_fixed = 40,
        .empty_bytes = 40,
        .one_id_of_a_hash = true,
        .orders_by_clock = true,
        .hold_lock = flat_hold,
        .upset = flat_upset,
        .damage = flat_damage,
        .way_of = flat_way,
};

/* ---- Pack ---------------------------------------------------------------- */

/* A capacity for so many pages of 1024 bytes, 17 of them for an empty store and
 * what a put reserves, and for the journal. */
#define PACK_CAPACITY(pages) \
    ((((pages) + 17 + 64) + ((pages) + 17 + 64) / 63 + 1) * 1032)

/* 20 and a quarter pages an entry. */
static uint64_t pack_room(unsigned n)
{
    return PACK_CAPACITY(81 * (uint64_t)n / 4);
}

/* Dies in the middle of changing one entry, with a journal that says how to
 * undo it. */
static int die_in_a_transaction(void *user)
{
    char path[path_size];
    sqlite3 *db = NULL;
    (void)user;
    if (sqlite3_open(path_in_store(path, "blobs.pack"), &db) != SQLITE_OK)
        return 1;
    if (sqlite3_exec(db,
                "PRAGMA synchronous=OFF; BEGIN EXCLUSIVE;"
                "UPDATE dnnl_cache_blob SET blob = zeroblob(length(blob))"
                " WHERE number IN (SELECT max(number) FROM dnnl_cache_blob)",
                NULL, NULL, NULL)
                    != SQLITE_OK
            || sqlite3_db_cacheflush(db) != SQLITE_OK)
        return 2;
    raise(SIGKILL);
    return 3;
}

static pid_t pack_hold(void)
{
    return hold_transaction("BEGIN IMMEDIATE");
}

static void pack_upset(void)
{
    char path[path_size];
    struct stat st;
    EXPECT_EQ(128 + SIGKILL, in_child(die_in_a_transaction, NULL));
    EXPECT_EQ(0, stat(path_in_store(path, "blobs.pack-journal"), &st));
    EXPECT_GT(st.st_size, 0);
}

static void pack_damage(unsigned number, size_t blob_size)
{
    char path[path_size];
    uint8_t probe[16];
    size_t size;
    uint64_t state = number + 1; /* as put_number() does */
    (void)blob_size;
    for (size_t i = 0; i < sizeof probe; i++)
        probe[i] = (uint8_t)next_random(&state);
    uint8_t *bytes = read_whole(path_in_store(path, "blobs.pack"), &size);
    FILE *f = fopen(path, "r+b"); /* the same file, not cut */
    uint8_t *at = memmem(bytes, size, probe, sizeof probe);
    EXPECT_NOT_NULL(f);
    EXPECT_NOT_NULL(at);
    /* Where rows were moved, copies stay behind. */
    for (; f != NULL && at != NULL;
            at = memmem(at + 1, size - (size_t)(at + 1 - bytes), probe,
                    sizeof probe)) {
        EXPECT_EQ(0, fseek(f, at - bytes, SEEK_SET));
        fputc(at[0] ^ 4, f);
    }
    if (f != NULL) EXPECT_EQ(0, fclose(f));
    free(bytes);
}

/* As the header has it; not that of the file. */
static uint64_t pack_recorded(void)
{
    char path[path_size];
    size_t size;
    uint8_t *head = read_whole(path_in_store(path, "blobs.pack"), &size);
    uint64_t page = 0;
    uint64_t count = 0;
    for (int i = 16; i < 18 && size >= 100; i++)
        page = page << 8 | head[i];
    for (int i = 28; i < 32 && size >= 100; i++)
        count = count << 8 | head[i];
    free(head);
    return page * count;
}

static void pack_way(char path[path_size], unsigned number)
{
    (void)number;
    path_in_store(path, "blobs.pack-journal");
}

const struct store_kind pack_kind = {
        .type = "pack",
        .path = "/blobs.pack",
        .files = "^blobs\\.pack(-journal|-totals)?$",
        .own_files = "^blobs\\.pack-(journal|totals)$",
        .recorded = pack_recorded,
        .room_for = pack_room,
        .scene_capacity = PACK_CAPACITY(37),
        .scene_small_capacity = PACK_CAPACITY(25),
        .scene_half = 33000,
        .stress_extra = 64 + 100 + 512, /* half a page is empty */
        .stress_fixed = PACK_CAPACITY(0) + 15000,
        .empty_bytes = 9 * 1024,
        .damage_spreads = true,
        .refused = "blobs.pack",
        .may_heal_late = true,
        .may_not_know = true,
        .keeps_connections = true,
        .hold_lock = pack_hold,
        .upset = pack_upset,
        .damage = pack_damage,
        .way_of = pack_way,
};

/* ---- Any ----------------------------------------------------------------- */

struct dnnl_cache_store_options kind_options(const struct store_kind *kind)
{
    static char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    snprintf(path, sizeof path, "%s/store%s", test_directory(), kind->path);
    options.path = path;
    return options;
}

dnnl_cache_store_handle_t *kind_open(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_OK(dnnl_cache_store_open(&store, kind->type, options));
    return store;
}

uint64_t kind_bytes(void)
{
    char path[path_size];
    return tree_bytes(path_in_test(path, "store"));
}

/* ---- Files --------------------------------------------------------------- */

bool name_matches(const char *expression, const char *name)
{
    /* Compiled once for each of the few expressions. */
    static struct {
        const char *expression;
        regex_t compiled;
    } known[16];
    size_t i = 0;
    while (i < 15 && known[i].expression != NULL
            && known[i].expression != expression)
        i++;
    if (known[i].expression == NULL) {
        if (regcomp(&known[i].compiled, expression, REG_EXTENDED | REG_NOSUB)
                != 0)
            abort();
        known[i].expression = expression;
    }
    return regexec(&known[i].compiled, name, 0, NULL, 0) == 0;
}

/* nftw() has no argument for the caller's own. */
static struct {
    const struct store_kind *kind;
    size_t root; /* length of its path */
    char orphan[path_size];
    unsigned files_below[8]; /* directories at this depth, so far */
    uint64_t entry_files;
    uint64_t counted;
    char (*names)[path_size];
    unsigned names_found;
} look;

static int look_at(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    bool mine;
    unsigned *below = &look.files_below[at->level < 8 ? at->level : 7];
    const char *name = path[look.root] != '\0' ? path + look.root + 1 : "";
    if (type == FTW_DP) {
        mine = at->level == 0 || *below > 0;
        if (below > look.files_below) below[-1] += *below;
        *below = 0;
    } else {
        mine = type == FTW_F && name_matches(look.kind->files, name);
        if (below > look.files_below) below[-1]++;
        look.entry_files += look.kind->entry_files != NULL
                            && name_matches(look.kind->entry_files, name);
        if (type == FTW_F && !name_matches(look.kind->own_files, name))
            look.counted += (uint64_t)st->st_size;
    }
    if (!mine && look.orphan[0] == '\0')
        snprintf(look.orphan, sizeof look.orphan, "%s", path);
    return 0;
}

static void look_through(const struct store_kind *kind)
{
    char path[path_size];
    memset(&look, 0, sizeof look);
    look.kind = kind;
    look.root = strlen(path_in_test(path, "store"));
    nftw(path, look_at, 16, FTW_DEPTH | FTW_PHYS);
}

uint64_t kind_counted_bytes(const struct store_kind *kind)
{
    look_through(kind);
    return look.counted;
}

void kind_expect_no_orphans(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    const size_t entries = count_entries(store);
    look_through(kind);
    if (look.orphan[0] != '\0')
        test_fail(__FILE__, __LINE__, "an orphan: %s", look.orphan);
    EXPECT_EQ(entries * kind->files_of_entry, look.entry_files);
}

uint64_t kind_recorded_bytes(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    return kind->recorded != NULL ? kind->recorded()
                                  : statistics_of(store).bytes;
}

void kind_expect_recorded(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    EXPECT_EQ(kind_counted_bytes(kind), kind_recorded_bytes(kind, store));
}

void kind_expect_order(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    kind_expect_no_orphans(kind, store);
    kind_expect_recorded(kind, store);
}

static int note_name(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    if (type != FTW_F || look.names_found == most_names) return 0;
    snprintf(look.names[look.names_found++], path_size, "%s",
            path + look.root + 1);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

unsigned kind_list(char names[most_names][path_size])
{
    char path[path_size];
    memset(&look, 0, sizeof look);
    look.root = strlen(path_in_test(path, "store"));
    look.names = names;
    nftw(path, note_name, 16, FTW_PHYS);
    qsort(names, look.names_found, sizeof names[0], compare_names);
    return look.names_found;
}

static int remove_one(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void remove_path(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
