/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache prove on stores and records that somebody changes meanwhile, or
 * has damaged: no entry is removed but the one that was compared, and none
 * counts as proved that was not. */
#include "prove_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/journal.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void use_state(void)
{
    static char state[path_size];
    snprintf(state, sizeof state, "%s", in_test("state"));
    use_variable("XDG_STATE_HOME", state);
}

/* "store" has one entry, which is wrong; right is what it had. */
static struct copy make_wrong_entry(void)
{
    fill_on_fake(1);
    const struct copy right = copy_of("store", NULL);
    use_variable("REFRESH_CLIENT_FOLDERS", "-DBASE=3");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    EXPECT_EQ(0, fill("other", 1).code);
    use_variable("DNNL_CACHE_CAPTURE_NOW", NULL);
    use_variable("REFRESH_CLIENT_FOLDERS", NULL);
    blind();
    return right;
}

static pid_t begin_prove(void)
{
    char record[path_size];
    snprintf(record, sizeof record, "%s", in_test("store.record"));
    use_variable("FAKE_OPENCL_BUILD_MS", "700");
    const pid_t pid = start_program("prove", "--layer", DNNL_CACHE_TEST_LAYER,
            "--record", record, store_path(), NULL);
    EXPECT_TRUE(pid > 0);
    EXPECT_TRUE(find_worker(pid) > 0);
    use_variable("FAKE_OPENCL_BUILD_MS", NULL);
    return pid;
}

/* ---- Stores that change -------------------------------------------------- */

TEST_C(ProveHostile, EntryThatWasReplacedMeanwhileStays)
{
    struct copy right = make_wrong_entry();
    const pid_t pid = begin_prove();
    put_blob("store", &right, right.size, right.blob);
    const struct outcome run = end_refresh(pid);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "The entry is still there");
    EXPECT_EQ(1, (long long)count_entries("store"));
    const struct outcome again = prove("store", "--again");
    EXPECT_EQ(0, again.code);
    expect_has(again.out, "proved 1, differed 0");
    copy_fini(&right);
}

/* Another store has the place when what differs is to be removed. */
TEST_C(ProveHostile, StoreThatTookThePlaceMeanwhileStaysAsItIs)
{
    struct copy right = make_wrong_entry();
    put_blob("new", &right, right.size, right.blob);
    const pid_t pid = begin_prove();
    char old[path_size], new[path_size];
    snprintf(old, sizeof old, "%s", in_test("old"));
    EXPECT_EQ(0, rename(store_path(), old));
    snprintf(new, sizeof new, "%s", in_test("new"));
    EXPECT_EQ(0, rename(new, store_path()));
    const struct outcome run = end_refresh(pid);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "The entry is still there");
    EXPECT_EQ(1, (long long)count_entries("store"));
    EXPECT_EQ(1, (long long)count_entries("old"));
    copy_fini(&right);
}

TEST_C(ProveHostile, StoreThatIsGoneMeanwhileIsNotMadeAnew)
{
    struct copy right = make_wrong_entry();
    const pid_t pid = begin_prove();
    char old[path_size];
    snprintf(old, sizeof old, "%s", in_test("old"));
    EXPECT_EQ(0, rename(store_path(), old));
    const struct outcome run = end_refresh(pid);
    EXPECT_NE(0, run.code);
    EXPECT_LT(run.code, 128);
    expect_has(run.err, " is NOT ");
    EXPECT_EQ(1, (long long)count_entries("old"));
    EXPECT_NE(0, access(in_test("store/config.file"), F_OK));
    copy_fini(&right);
}

/* ---- Records ------------------------------------------------------------- */

/* Cut anywhere: what is proved is right, what is not is no difference. */
TEST_C(ProveHostile, RecordsThatAreCutRemoveNothing)
{
    enum { cuts = 12 };
    size_t size;
    fill_on_fake(2);
    uint8_t *record = read_whole(in_test("store.record"), &size);
    for (size_t i = 0; i < cuts; i++) {
        write_whole(in_test("store.record"), record, size * i / cuts);
        const struct outcome run = prove("store", "--again");
        EXPECT_TRUE(run.code == 0 || run.code == nothing_proved || run.code == 3
                    || run.code == 4);
        EXPECT_NULL(strstr(run.err, " is NOT "));
        EXPECT_EQ(3, (long long)count_entries("store"));
    }
    free(record);
    expect_no_temporary();
}

/* Each byte may be another: the heads of records have checksums, what is behind
 * them is read as any bytes are. */
TEST_C(ProveHostile, RecordsThatAreDamagedRemoveNothing)
{
    enum { places = 12 };
    size_t size;
    fill_on_fake(2);
    uint8_t *record = read_whole(in_test("store.record"), &size);
    for (size_t i = 0; i < places; i++) {
        uint8_t *byte = &record[16 + (size - 16) * i / places];
        *byte ^= 0x55;
        write_whole(in_test("store.record"), record, size);
        *byte ^= 0x55;
        const struct outcome run = prove("store", "--again");
        EXPECT_LT(run.code, 7);
        EXPECT_NULL(strstr(run.err, " is NOT "));
        EXPECT_EQ(3, (long long)count_entries("store"));
    }
    free(record);
}

/* The journal says that the entry is of another program. */
TEST_C(ProveHostile, NoteThatNamesAnotherProgramProvesNothing)
{
    static const char source[] = "kernel void other(global int *a) { *a = 1; }";
    const size_t size = sizeof source - 1;
    const char *const sources[] = {source};
    fill_on_fake(1);
    EXPECT_EQ(0, remove(in_test("store.record")));
    struct copy copy = copy_of("store", NULL);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_executable;
    note.id = copy.id;
    note.id_size = copy.id_size;
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = &size;
    note.options = "";
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    dnnl_cache_store_close(store);
    const struct outcome run = run_program("prove", "--layer",
            DNNL_CACHE_TEST_LAYER, "--store", store_path(), NULL);
    EXPECT_EQ(nothing_proved, run.code);
    expect_has(run.out, "proved 0, differed 0, 1 refused");
    expect_has(run.out, "the note does not match its ID");
    EXPECT_EQ(1, (long long)count_entries("store"));
    copy_fini(&copy);
}

/* ---- A full disk --------------------------------------------------------- */

static int fill_up(const char *path)
{
    static const char bytes[512];
    FILE *file = fopen(path, "wb");
    while (file != NULL && fwrite(bytes, sizeof bytes, 1, file) == 1
            && fflush(file) == 0)
        ;
    return file == NULL ? 1 : (fclose(file), 0);
}

/* In a process of its own. 77: there is no such file system here. */
static int prove_on_full_disk(void)
{
    char store[path_size], full[path_size], record[path_size];
    char command[3 * path_size];
    snprintf(store, sizeof store, "%s", store_path());
    snprintf(full, sizeof full, "%s", in_test("full"));
    snprintf(record, sizeof record, "%s", in_test("store.record"));
    snprintf(command, sizeof command, "cp -a '%s' '%s'", store, full);
    if (mkdir(full, 0700) != 0 || unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", full, "tmpfs", 0, "size=400k,mode=0700") != 0)
        return 77;
    /* NOLINTNEXTLINE(cert-env33-c): of our own files */
    if (system(command) != 0 || fill_up(in_test("full/filler")) != 0) return 78;
    const struct outcome run =
            run_program("prove", "--layer", DNNL_CACHE_TEST_LAYER, "--record",
                    record, in_test("full/store"), NULL);
    const bool is_told = strstr(run.err, " is NOT ") != NULL;
    const bool was_removed = strstr(run.err, "The entry was removed") != NULL;
    fputs(run.err, stderr);
    const size_t left = count_entries("full/store");
    if (run.code != 1 || !is_told) return 79;
    if (was_removed != (left == 0)) return 80;
    return run_program("verify", "--store", in_test("full/store"), NULL).code;
}

/* What is said of the entry is what became of it. */
TEST_C(ProveHostile, FullDiskLeavesNoDoubtAboutTheEntry)
{
    int status = 0;
#ifdef __SANITIZE_THREAD__
    SKIP_TEST("ThreadSanitizer needs room for files of its own");
#endif
    struct copy right = make_wrong_entry();
    use_state();
    const pid_t child = fork();
    if (child == 0) _exit(prove_on_full_disk());
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFEXITED(status));
    copy_fini(&right);
    if (WEXITSTATUS(status) == 77) SKIP_TEST("no tmpfs can be mounted");
    EXPECT_EQ(0, WEXITSTATUS(status));
}
