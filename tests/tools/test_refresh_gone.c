/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of drivers that are gone: which they are, that they go first when
 * refresh needs room, and that they can be removed. */
#include "refresh_runs.h"
#include "src/blob/id.h"
#include "test.h"
#include "tool_helpers.h"
#include "tools/dnnl_cache/jobs/driver_builds.h"

#include <dnnl_cache/store.h>

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define DRIVER "FAKE_OPENCL_DRIVER_VERSION"
#define ENTRIES "*.cl_cache"

static const int day = 86400;

/* ---- A store with a past ------------------------------------------------- */

static size_t glob_entries(glob_t *found)
{
    char pattern[2 * path_size];
    *found = (glob_t){0};
    snprintf(pattern, sizeof pattern, "%s/" ENTRIES, store_path());
    return glob(pattern, 0, NULL, found) == 0 ? found->gl_pathc : 0;
}

/* Without opening the store, which would note how. */
static size_t count_all(void)
{
    glob_t found;
    const size_t all = glob_entries(&found);
    globfree(&found);
    return all;
}

static int days_old(const char *path)
{
    struct stat st = {0};
    (void)stat(path, &st);
    return (int)((time(NULL) - st.st_mtime) / day);
}

/* Entries that were used at least so long ago, and not longer than that. */
static size_t count_between(int from_days, int until_days)
{
    glob_t found;
    size_t count = 0;
    const size_t all = glob_entries(&found);
    for (size_t i = 0; i < all; i++) {
        const int age = days_old(found.gl_pathv[i]);
        count += age >= from_days && age <= until_days;
    }
    globfree(&found);
    return count;
}

/* What was used today was used that many days ago. */
static void make_older(int days)
{
    const time_t then = time(NULL) - (time_t)days * day - 60;
    const struct timespec times[] = {{then, 0}, {then, 0}};
    glob_t found;
    const size_t all = glob_entries(&found);
    for (size_t i = 0; i < all; i++)
        if (days_old(found.gl_pathv[i]) == 0)
            EXPECT_EQ(0, utimensat(AT_FDCWD, found.gl_pathv[i], times, 0));
    globfree(&found);
}

static void put_le(uint8_t *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Who uses the store was noted for so many days; with_another: another one has
 * used it yesterday. */
static void note_users(int days, bool with_another)
{
    enum { since_at = 88, second_user = 112, sum_at = 160, file_size = 168 };
    char path[path_size + 32];
    size_t size = 0;
    const uint64_t now = (uint64_t)time(NULL);
    snprintf(path, sizeof path, "%s/dnnl_cache_totals", store_path());
    uint8_t *bytes = read_whole(path, &size);
    ASSERT_EQ((size_t)file_size, size);
    put_le(bytes + since_at, now - (uint64_t)days * (unsigned)day, 4);
    put_le(bytes + second_user, with_another ? 4711 : 0, 8);
    put_le(bytes + second_user + 8, now - (unsigned)day, 4);
    put_le(bytes + sum_at, XXH3_64bits(bytes, sum_at), 8);
    write_whole(path, bytes, size);
    free(bytes);
}

/* As an application of that capacity; the entry is of nobody. */
static void set_capacity(uint64_t capacity)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    options.path = store_path();
    options.capacity = capacity;
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->put(s->user, 6, (const uint8_t *)"nobody", 4,
            (const uint8_t *)"blob", NULL));
    dnnl_cache_store_close(store);
}

static uint64_t bytes_of_entries(void)
{
    glob_t found;
    uint64_t bytes = 0;
    const size_t all = glob_entries(&found);
    for (size_t i = 0; i < all; i++) {
        struct stat st = {0};
        (void)stat(found.gl_pathv[i], &st);
        bytes += (uint64_t)st.st_size;
    }
    globfree(&found);
    return bytes;
}

enum { staying = 3, going = 9, stay_days = 40, gone_days = 31 };

/* Entries of the driver 2.0, used 40 days ago, and more of 1.0, used a month
 * ago. 2.0 is here. */
static void make_store(void)
{
    set_clock((uint64_t)time(NULL) * 1000000000u);
    use_fake(true);
    use_variable(DRIVER, "2.0");
    EXPECT_EQ(0, run_client("run", staying).code);
    make_older(stay_days);
    use_variable(DRIVER, "1.0");
    EXPECT_EQ(0, run_client("run", going).code);
    make_older(gone_days);
    use_variable(DRIVER, "2.0");
    note_users(32, false);
    EXPECT_GE((long long)count_between(stay_days, stay_days), staying);
    EXPECT_GE((long long)count_between(gone_days, gone_days), going);
}

/* It is full, but for a little. */
static void fill_store(void)
{
    set_capacity(bytes_of_entries() + 1200);
    note_users(32, false);
    EXPECT_GE((long long)count_between(gone_days, gone_days), going);
}

static struct outcome run_gone(const char *more, const char *and_more)
{
    return run_program("gone", "--store", store_path(), "--json",
            more != NULL ? more : "--json", and_more, NULL);
}

static long number_in(const struct outcome *outcome, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "\"%s\": ", name);
    const char *at = strstr(outcome->out, text);
    return at != NULL ? strtol(at + strlen(text), NULL, 10) : -1;
}

/* ---- Refresh ------------------------------------------------------------- */

/* The driver that is here has older entries, which are kept. */
TEST_C(RefreshGone, EntriesGoFirstWhenRoomIsNeeded)
{
    make_store();
    EXPECT_EQ(0, run_client("note", staying + 4).code);
    fill_store();
    const size_t stays = count_between(stay_days, stay_days);
    const size_t gone = count_between(gone_days, gone_days);
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(stays, count_between(stay_days, stay_days));
    const size_t left = count_all() - stays - 1 - 4;
    EXPECT_LT((long long)left, (long long)gone);
    /* Those that are left are dated back, and listed with their time. */
    EXPECT_EQ(0, count_between(gone_days, gone_days));
    const struct outcome list = run_gone(NULL, NULL);
    EXPECT_EQ(0, list.code);
    EXPECT_EQ((long)left, number_in(&list, "gone_entries"));
}

/* Where somebody else uses it, the least recently used go, as ever. */
TEST_C(RefreshGone, NothingIsJudgedWhereOthersUseTheStore)
{
    make_store();
    EXPECT_EQ(0, run_client("note", staying + 4).code);
    fill_store();
    note_users(32, true);
    (void)run_refresh("--jobs", "1", NULL);
    EXPECT_LT((long long)count_between(stay_days, stay_days), staying);
    EXPECT_GE((long long)count_between(gone_days, gone_days), going);
}

/* Once little is free, for what applications will put. */
TEST_C(RefreshGone, EntriesAreMarkedBeforeTheStoreIsFull)
{
    make_store();
    set_capacity(3 * bytes_of_entries());
    note_users(32, false);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_GE((long long)count_between(gone_days, gone_days), going);
    set_capacity(bytes_of_entries() * 6 / 5);
    note_users(32, false);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(0, count_between(gone_days, gone_days));
    EXPECT_GE((long long)count_between(stay_days, stay_days), staying);
}

/* ---- The command --------------------------------------------------------- */

TEST_C(Gone, ListsDriversThatAreNotHere)
{
    make_store();
    struct outcome run = run_gone(NULL, NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    EXPECT_NOT_NULL(strstr(run.out, "\"judged\": true"));
    EXPECT_EQ(1, count_of(run.out, "\"platform\": \"Fake OpenCL\""));
    EXPECT_NOT_NULL(strstr(run.out, "\"version\": \"1.0\""));
    const long entries = number_in(&run, "entries");
    EXPECT_GE(entries, going);
    EXPECT_EQ(entries, number_in(&run, "gone_entries"));
    EXPECT_EQ(number_in(&run, "bytes"), number_in(&run, "gone_bytes"));
    /* Used too lately. */
    run = run_gone("--older-than", "35d");
    EXPECT_EQ(1, run.code); /* users are not noted for so long */
    note_users(36, false);
    run = run_gone("--older-than", "35d");
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(entries, number_in(&run, "entries"));
    EXPECT_EQ(0, number_in(&run, "gone_entries"));
    /* The driver is back. */
    use_variable(DRIVER, "1.0");
    run = run_gone(NULL, NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_NOT_NULL(strstr(run.out, "\"version\": \"2.0\""));
    EXPECT_GE(number_in(&run, "gone_entries"), staying);
    const struct outcome text =
            run_program("gone", "--store", store_path(), NULL);
    EXPECT_EQ(0, text.code);
    EXPECT_NOT_NULL(strstr(text.out, "Fake OpenCL"));
}

TEST_C(Gone, RemovesOnDemand)
{
    make_store();
    const long entries = (long)count_between(gone_days, gone_days);
    const size_t stays = count_between(stay_days, stay_days);
    const uint64_t before = bytes_of_entries();
    struct outcome run = run_gone("--remove", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(entries, number_in(&run, "removed"));
    EXPECT_TRUE(number_in(&run, "removed_bytes") > 0
                && (uint64_t)number_in(&run, "removed_bytes")
                           <= before - bytes_of_entries());
    EXPECT_EQ(stays, count_all());
    run = run_gone("--remove", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, number_in(&run, "removed"));
    run = run_program("gone", "--store", store_path(), NULL);
    EXPECT_STR_EQ("all drivers of the entries are here\n", run.out);
}

static void expect_not_judged(const char *why)
{
    const size_t before = count_all();
    const struct outcome run = run_gone("--remove", NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_NOT_NULL(strstr(run.out, "\"judged\": false"));
    EXPECT_NOT_NULL(strstr(run.out, why));
    EXPECT_NOT_NULL(strstr(run.err, why));
    EXPECT_EQ(before, count_all());
}

TEST_C(Gone, NothingIsWhereOthersMayHaveTheDriver)
{
    make_store();
    note_users(32, true);
    expect_not_judged("another machine, another system or image of this one");
    note_users(29, false);
    expect_not_judged("who uses it has been noted for 29 days alone");
    note_users(32, false);
    char path[path_size + 32];
    snprintf(path, sizeof path, "%s/dnnl_cache_totals", store_path());
    flip_byte(path, 100); /* nothing in it counts then */
    expect_not_judged("it is not noted");
    const struct outcome run =
            run_program("gone", "--shared", "--store", store_path(), NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_NOT_NULL(strstr(run.err, "other users may use it"));
}

TEST_C(Gone, NothingIsWhereNoDriverIsSeen)
{
    make_store();
    use_fake(false);
    use_variable("OCL_ICD_VENDORS", in_test("none"));
    expect_not_judged("no OpenCL driver is to be seen from here");
}

TEST_C(Gone, NothingIsWhereUsesAreNotNoted)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    make_store();
    options.path = store_path();
    options.policy = dnnl_cache_store_policy_fifo;
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->put(s->user, 6, (const uint8_t *)"nobody", 4,
            (const uint8_t *)"blob", NULL));
    dnnl_cache_store_close(store);
    note_users(32, false);
    expect_not_judged("it is not noted when entries are used");
}

/* A driver that crashes ends a process of its own. */
TEST_C(Gone, NothingIsWhereADriverCannotBeLookedAt)
{
    make_store();
    use_variable("FAKE_OPENCL_NO_SUCH_KEY", "1"); /* it aborts */
    expect_not_judged("the drivers of this machine cannot be looked at");
}

TEST_C(Gone, IsRemovedByTwoAtOnce)
{
    make_store();
    const size_t stays = count_between(stay_days, stay_days);
    const pid_t other = start_program(
            "gone", "--store", store_path(), "--remove", "--quiet", NULL);
    const pid_t one = start_program(
            "gone", "--store", store_path(), "--remove", "--quiet", NULL);
    EXPECT_EQ(0, end_refresh(one).code);
    EXPECT_EQ(0, end_refresh(other).code);
    EXPECT_EQ(stays, count_all());
}

/* What is left after kill -9 is whole, and the next one removes it. */
TEST_C(Gone, IsWholeOrNotThereAfterAKill)
{
    make_store();
    const size_t stays = count_between(stay_days, stay_days);
    const size_t all = count_all();
    const pid_t pid = start_program(
            "gone", "--store", store_path(), "--remove", "--quiet", NULL);
    siginfo_t end = {.si_pid = 0};
    size_t left = all;
    while (left == all && end.si_pid == 0) {
        glob_t found;
        left = glob_entries(&found);
        globfree(&found);
        (void)waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(pid, SIGKILL);
    (void)end_refresh(pid);
    EXPECT_EQ(0, run_program("verify", "--store", store_path(), NULL).code);
    EXPECT_EQ(0, run_gone("--remove", NULL).code);
    EXPECT_EQ(stays, count_all());
    EXPECT_EQ(0, run_program("verify", "--store", store_path(), NULL).code);
}

/* ---- Builds -------------------------------------------------------------- */

/* In an ID; bits: of the process. False: it names none that can be seen. */
static bool build_of(struct driver_build *build, const char *platform,
        const char *version, uint32_t bits)
{
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_library_version, "0.1.0");
    id_put_string(&id, id_platform_name, platform);
    if (version != NULL) id_put_string(&id, id_driver_version, version);
    id_put_u32(&id, id_process_bits, bits);
    EXPECT_OK(id_builder_status(&id));
    const bool is_named = driver_build_of(build, id.bytes.size, id.bytes.data);
    id_builder_fini(&id);
    return is_named;
}

TEST_C(DriverBuilds, AreToldApartAsFarAsTheyCanBeSeen)
{
    enum { bits = 8 * sizeof(void *) };
    struct driver_build one, other, same, list[2];
    struct driver_builds here = {.list = list, .count = 1};
    EXPECT_TRUE(build_of(&one, "P", "1.0", bits));
    EXPECT_TRUE(build_of(&same, "P", "1.0", bits));
    EXPECT_TRUE(build_of(&other, "P", "2.0", bits));
    list[0] = one;
    EXPECT_TRUE(driver_builds_have(&here, &same));
    EXPECT_FALSE(driver_builds_have(&here, &other));
    EXPECT_TRUE(build_of(&same, "Q", "1.0", bits));
    EXPECT_FALSE(driver_builds_have(&here, &same));
    /* A device of the platform has a driver of which no more is known. */
    list[1] = (struct driver_build){.platform = one.platform};
    here.count = 2;
    EXPECT_TRUE(driver_builds_have(&here, &other));
    EXPECT_FALSE(driver_builds_have(&here, &same));
    /* Other processes have other drivers; no driver is named. */
    EXPECT_FALSE(build_of(&one, "P", "1.0", 96 - bits));
    EXPECT_FALSE(build_of(&one, "P", NULL, bits));
}
