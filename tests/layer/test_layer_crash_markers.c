/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/crash_markers.h"
#include "layer/storage/storage.h"
#include "layer_process.h"
#include "layer_store.h"
#include "test.h"
#include "tools/common/state/state_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint8_t first_id[] = "the first program";
static const uint8_t second_id[] = "the second program";

/* A store that is there, without upkeep, so that all is the crash markers'
 * doing. */
static void prepare(struct layer_store *store)
{
    layer_store_init(store, 0, "DNNL_CACHE_THRESHOLD=0");
    ASSERT_EQ(layer_store_fill(store), 0);
}

static unsigned count_marks(const struct layer_store *store)
{
    char path[600];
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "%s/layer", store->path);
    DIR *names = opendir(path);
    if (names == NULL) return 0;
    for (const struct dirent *e; (e = readdir(names)) != NULL;)
        count += strncmp(e->d_name, "loading-", 8) == 0;
    (void)closedir(names);
    return count;
}

/* ---- Steps of children --------------------------------------------------- */

static int die_loading(void *user)
{
    (void)user;
    (void)crash_markers_begin(sizeof first_id, first_id);
    (void)kill(getpid(), SIGKILL);
    return 0;
}

/* An enum crash_state. */
static int ask(void *user)
{
    (void)user;
    EXPECT_EQ(crash_markers_ask(sizeof second_id, second_id), crash_state_load);
    const int state = (int)crash_markers_ask(sizeof first_id, first_id);
    crash_markers_close();
    return test_has_failed() ? 100 : state;
}

static int load_well(void *user)
{
    (void)user;
    for (int i = 0; i < 3; i++) {
        const int slot = crash_markers_begin(sizeof first_id, first_id);
        EXPECT_GE(slot, 0);
        crash_markers_end(slot);
    }
    crash_markers_close();
    return test_has_failed();
}

/* ---- One process after the other ----------------------------------------- */

static void die_often(const struct layer_store *store, int times)
{
    for (int i = 0; i < times; i++)
        EXPECT_EQ(layer_process_run(store->variables, die_loading, NULL),
                128 + SIGKILL);
}

static int state_of_first(const struct layer_store *store)
{
    return layer_process_run(store->variables, ask, NULL);
}

/* What was compiled is kept, twice; the second time says nothing more. */
static int keep_anew(void *user)
{
    (void)user;
    EXPECT_EQ(
            crash_markers_ask(sizeof first_id, first_id), crash_state_replace);
    crash_markers_note_kept(sizeof second_id, second_id);
    EXPECT_EQ(
            crash_markers_ask(sizeof first_id, first_id), crash_state_replace);
    for (int i = 0; i < 2; i++) {
        crash_markers_note_kept(sizeof first_id, first_id);
        EXPECT_EQ(
                crash_markers_ask(sizeof first_id, first_id), crash_state_load);
    }
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, TwoDeathsReplaceAndTwoMoreQuarantine)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    die_often(&store, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    die_often(&store, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
    EXPECT_EQ(layer_process_run(store.variables, keep_anew, NULL), 0);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    die_often(&store, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    die_often(&store, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_quarantined);
    EXPECT_EQ(count_marks(&store), 0);
    EXPECT_EQ(layer_process_run(store.variables, load_well, NULL), 0);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    die_often(&store, 2);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
}

/* However a process is ended. */
static int die_of(void *user)
{
    const int number = *(const int *)user;
    (void)crash_markers_begin(sizeof first_id, first_id);
    (void)signal(number, SIG_DFL); /* a sanitizer handles some of them */
    (void)raise(number);
    return 0;
}

TEST_C(LayerCrashMarkers, OfAnySignalOnlyReplaceFirst)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct layer_store store;
        char command[600];
        int number = signals[i];
        prepare(&store);
        for (int n = 0; n < 2; n++)
            EXPECT_EQ(layer_process_run(store.variables, die_of, &number),
                    128 + number);
        EXPECT_EQ(state_of_first(&store), crash_state_replace);
        (void)snprintf(command, sizeof command, "rm -rf '%s'", store.path);
        ASSERT_EQ(system(command), 0);
    }
}

/* ---- Time ---------------------------------------------------------------- */

/* Writes events so many seconds ago. */
static void note_ago(const struct layer_store *store, int count,
        enum crash_event event, int64_t ago)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/layer", store->path);
    const int folder = state_folder_open_path(path, true);
    ASSERT_GT(folder, -1);
    for (int i = 0; i < count; i++)
        crashes_note(folder, crash_key_of(sizeof first_id, first_id), event,
                (uint64_t)((int64_t)crashes_now_s() - ago));
    close(folder);
}

TEST_C(LayerCrashMarkers, AreForgottenAfterSevenDays)
{
    enum { week = 7 * 86400 };
    struct layer_store store;
    prepare(&store);
    note_ago(&store, 2, crash_event_death, week + 60);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    note_ago(&store, 1, crash_event_death, week - 60);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    note_ago(&store, 1, crash_event_death, week - 60);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
    note_ago(&store, 1, crash_event_replaced, week - 60);
    note_ago(&store, 2, crash_event_death, 10);
    EXPECT_EQ(state_of_first(&store), crash_state_quarantined);
    note_ago(&store, 1, crash_event_fine, 5);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
}

/* A clock that was ahead does not make it last longer. */
TEST_C(LayerCrashMarkers, OfTheFutureAreNotBelieved)
{
    struct layer_store store;
    prepare(&store);
    note_ago(&store, 2, crash_event_death, -86400);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    note_ago(&store, 2, crash_event_death, -5);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
}

/* A process that died long ago, and that nobody has looked for since. */
TEST_C(LayerCrashMarkers, HaveTheTimeOfTheDeath)
{
    struct layer_store store;
    char command[700];
    prepare(&store);
    die_often(&store, 2);
    (void)snprintf(command, sizeof command,
            "touch -d '8 days ago' '%s'/layer/loading-*", store.path);
    ASSERT_EQ(system(command), 0);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    EXPECT_EQ(count_marks(&store), 0);
}

static bool is_first(void *user, struct crash_key key)
{
    const struct crash_key first = crash_key_of(sizeof first_id, first_id);
    (void)user;
    return key.high == first.high && key.low == first.low;
}

static bool is_none(void *user, struct crash_key key)
{
    (void)user;
    (void)key;
    return false;
}

TEST_C(LayerCrashMarkers, CanBeLifted)
{
    struct layer_store store;
    char path[600];
    size_t cleared = 9;
    prepare(&store);
    note_ago(&store, 2, crash_event_death, 100);
    (void)snprintf(path, sizeof path, "%s/layer", store.path);
    const int folder = state_folder_open_path(path, false);
    ASSERT_GT(folder, -1);
    EXPECT_TRUE(crashes_clear(folder, is_none, NULL, &cleared));
    EXPECT_EQ(cleared, 0);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
    EXPECT_TRUE(crashes_clear(folder, is_first, NULL, &cleared));
    EXPECT_EQ(cleared, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    note_ago(&store, 2, crash_event_death, 100);
    EXPECT_TRUE(crashes_clear(folder, NULL, NULL, &cleared));
    EXPECT_EQ(cleared, 1);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    close(folder);
}

/* ---- A limit for the size of files --------------------------------------- */

/* It is set between two loads, and the slots are there already. */
static int load_under_a_limit(void *user)
{
    const struct rlimit none = {0, 0};
    (void)user;
    crash_markers_end(crash_markers_begin(sizeof first_id, first_id));
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    crash_markers_end(crash_markers_begin(sizeof first_id, first_id));
    (void)storage_put(
            sizeof second_id, second_id, sizeof second_id, second_id, 0);
    storage_close();
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, KillNobodyWhoMayWriteNothing)
{
    for (size_t kind = 0; kind < layer_store_kinds; kind++) {
        struct layer_store store;
        layer_store_init(&store, kind, NULL);
        ASSERT_EQ(layer_store_fill(&store), 0);
        EXPECT_EQ(layer_process_run(store.variables, load_under_a_limit, NULL),
                0);
    }
}

/* ---- A load in between ----------------------------------------------------
 */

TEST_C(LayerCrashMarkers, LoadThatIsFineForgivesACrash)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(layer_process_run(store.variables, die_loading, NULL),
                128 + SIGKILL);
        EXPECT_EQ(layer_process_run(store.variables, load_well, NULL), 0);
        EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    }
}

TEST_C(LayerCrashMarkers, EndWithTheProcess)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, load_well, NULL), 0);
    EXPECT_EQ(count_marks(&store), 0);
}

static int exit_without_a_word(void *user)
{
    (void)user;
    crash_markers_end(crash_markers_begin(sizeof first_id, first_id));
    _exit(0);
}

TEST_C(LayerCrashMarkers, OfAProcessThatJustWentAreNoCrash)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(layer_process_run(store.variables, exit_without_a_word, NULL),
                0);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    EXPECT_EQ(count_marks(&store), 0);
}

static int close_while_loading(void *user)
{
    (void)user;
    const int slot = crash_markers_begin(sizeof first_id, first_id);
    crash_markers_close();
    crash_markers_end(slot);
    EXPECT_EQ(crash_markers_begin(sizeof first_id, first_id), -1);
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, ExitOfAProcessThatLoadsIsNoCrash)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(layer_process_run(store.variables, close_while_loading, NULL),
                0);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
}

/* ---- Several at once ----------------------------------------------------- */

static int load_and_wait(void *user)
{
    int *pipes = user;
    char byte = 0;
    (void)crash_markers_begin(sizeof first_id, first_id);
    (void)!write(pipes[1], &byte, 1);
    while (pause() != 0)
        continue;
    return 0;
}

/* A child that is loading, and stays so. */
static pid_t start_loading(const struct layer_store *store)
{
    int pipes[2];
    char byte;
    if (pipe(pipes) != 0) abort();
    const pid_t child =
            layer_process_start(store->variables, load_and_wait, pipes);
    EXPECT_EQ(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    close(pipes[1]);
    return child;
}

TEST_C(LayerCrashMarkers, OfTheLivingAreLeftAlone)
{
    struct layer_store store;
    prepare(&store);
    const pid_t one = start_loading(&store);
    const pid_t two = start_loading(&store);
    EXPECT_EQ(count_marks(&store), 2);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    EXPECT_EQ(count_marks(&store), 2);
    (void)kill(one, SIGSTOP); /* asleep is not dead */
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    (void)kill(one, SIGKILL);
    EXPECT_EQ(layer_process_wait(one), 128 + SIGKILL);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    EXPECT_EQ(count_marks(&store), 1);
    (void)kill(two, SIGKILL);
    EXPECT_EQ(layer_process_wait(two), 128 + SIGKILL);
    EXPECT_EQ(
            layer_process_run(store.variables, ask, NULL), crash_state_replace);
    EXPECT_EQ(count_marks(&store), 0);
}

/* Many look at one dead process: its crash counts once. */
TEST_C(LayerCrashMarkers, CrashCountsOnce)
{
    enum { count = 8 };
    struct layer_store store;
    prepare(&store);
    for (int round = 0; round < 10; round++) {
        pid_t children[count];
        EXPECT_EQ(layer_process_run(store.variables, die_loading, NULL),
                128 + SIGKILL);
        for (int i = 0; i < count; i++)
            children[i] = layer_process_start(store.variables, ask, NULL);
        for (int i = 0; i < count; i++)
            EXPECT_EQ(layer_process_wait(children[i]), 0);
        EXPECT_EQ(layer_process_run(store.variables, load_well, NULL), 0);
    }
}

/* ---- fork() -------------------------------------------------------------- */

/* The ends of two pipes: one that tells, and one that lives as long as the
 * test's end of it. */
struct outliving {
    int told[2];
    int held[2];
};

static int tell_and_stay(void *user)
{
    const struct outliving *o = user;
    char byte;
    (void)close(o->held[1]);
    (void)!write(o->told[1], "", 1);
    return read(o->held[0], &byte, 1) == 0 ? 0 : 1;
}

/* Leaves a child behind that outlives it, once that is out of fork(). */
static int fork_and_die(void *user)
{
    struct outliving *o = user;
    char byte;
    (void)crash_markers_begin(sizeof first_id, first_id);
    (void)layer_process_start(NULL, tell_and_stay, o);
    if (read(o->told[0], &byte, 1) == 1) (void)kill(getpid(), SIGKILL);
    return 0;
}

TEST_C(LayerCrashMarkers, ChildrenDoNotKeepTheirParentsAlive)
{
    struct outliving o;
    struct layer_store store;
    prepare(&store);
    ASSERT_EQ(0, pipe(o.told));
    ASSERT_EQ(0, pipe(o.held));
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(layer_process_run(store.variables, fork_and_die, &o),
                128 + SIGKILL);
    EXPECT_EQ(
            layer_process_run(store.variables, ask, NULL), crash_state_replace);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(0, close(o.told[i]));
        EXPECT_EQ(0, close(o.held[i]));
    }
}

static int parent_of_a_dying_child(void *user)
{
    const int slot = crash_markers_begin(sizeof second_id, second_id);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(
                layer_process_run((const char *const *)user, die_loading, NULL),
                128 + SIGKILL);
    crash_markers_end(slot);
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, ChildrenHaveMarksOfTheirOwn)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, parent_of_a_dying_child,
                      store.variables),
            0);
    EXPECT_EQ(
            layer_process_run(store.variables, ask, NULL), crash_state_replace);
}

/* ---- Misfortunes --------------------------------------------------------- */

static void remove_store(const char *path)
{
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", path);
    ASSERT_EQ(system(command), 0);
}

static int lose_the_folder(void *user)
{
    const struct layer_store *store = user;
    const int slot = crash_markers_begin(sizeof first_id, first_id);
    EXPECT_GE(slot, 0);
    remove_store(store->path);
    crash_markers_end(slot);
    EXPECT_EQ(crash_markers_begin(sizeof first_id, first_id), -1);
    EXPECT_EQ(storage_put(
                      sizeof first_id, first_id, sizeof first_id, first_id, 0),
            storage_kept); /* which makes the store anew */
    return die_loading(NULL);
}

TEST_C(LayerCrashMarkers, AreMadeAnewWithTheFolder)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(layer_process_run(store.variables, lose_the_folder, &store),
                128 + SIGKILL);
    EXPECT_EQ(count_marks(&store), 1);
    /* The first crash went with the folder. */
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    EXPECT_EQ(layer_process_run(store.variables, die_loading, NULL),
            128 + SIGKILL);
    EXPECT_EQ(
            layer_process_run(store.variables, ask, NULL), crash_state_replace);
}

/* An application that closes what it does not know, and opens files. */
static int lose_the_number(void *user)
{
    const struct layer_store *store = user;
    char path[600];
    struct stat st;
    int files[16];
    const int slot = crash_markers_begin(sizeof first_id, first_id);
    EXPECT_GE(slot, 0);
    for (int fd = 3; fd < 64; fd++)
        (void)close(fd);
    (void)snprintf(path, sizeof path, "%s-file", store->path);
    for (int i = 0; i < 16; i++)
        files[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    crash_markers_end(slot);
    const int again = crash_markers_begin(sizeof first_id, first_id);
    EXPECT_GE(again, 0);
    crash_markers_end(again);
    EXPECT_EQ(stat(path, &st), 0);
    EXPECT_EQ(st.st_size, 0);
    crash_markers_close();
    for (int i = 0; i < 16; i++)
        EXPECT_EQ(fstat(files[i], &st), 0); /* none was closed */
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, NeverGoToAFileOfTheApplications)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, lose_the_number, &store), 0);
}

static bool is_in_test(const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return access(path, F_OK) == 0;
}

static void make_in_test(const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    ASSERT_EQ(mkdir(path, 0700), 0);
}

static void await_in_test(const char *name)
{
    const struct timespec pause = {0, 2000000};
    for (int i = 0; i < 60000 && !is_in_test(name); i++)
        (void)nanosleep(&pause, NULL);
    EXPECT_TRUE(is_in_test(name));
}

/* Loads for long, and has lost the lock of its file. */
static int lose_the_lock(void *user)
{
    const int slot = crash_markers_begin(sizeof first_id, first_id);
    EXPECT_GE(slot, 0);
    for (int fd = 3; fd < 256; fd++)
        (void)close(fd);
    make_in_test(user);
    await_in_test("go on");
    crash_markers_end(slot);
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, OfALostLockTellNoDeath)
{
    static char one[] = "one";
    static char other[] = "other";
    struct layer_store store;
    prepare(&store);
    const pid_t first =
            layer_process_start(store.variables, lose_the_lock, one);
    const pid_t second =
            layer_process_start(store.variables, lose_the_lock, other);
    await_in_test(one);
    await_in_test(other);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    make_in_test("go on");
    EXPECT_EQ(layer_process_wait(first), 0);
    EXPECT_EQ(layer_process_wait(second), 0);
    EXPECT_EQ(state_of_first(&store), crash_state_load);
    EXPECT_EQ(count_marks(&store), 0);
}

static int lose_the_lock_and_die(void *user)
{
    (void)user;
    EXPECT_GE(crash_markers_begin(sizeof first_id, first_id), 0);
    for (int fd = 3; fd < 256; fd++)
        (void)close(fd);
    (void)raise(SIGKILL);
    return 0;
}

TEST_C(LayerCrashMarkers, TellADeathWithoutTheLock)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(
                layer_process_run(store.variables, lose_the_lock_and_die, NULL),
                128 + SIGKILL);
    EXPECT_EQ(state_of_first(&store), crash_state_replace);
}

static int load_without_a_folder(void *user)
{
    (void)user;
    EXPECT_EQ(crash_markers_ask(sizeof first_id, first_id), crash_state_load);
    EXPECT_EQ(crash_markers_begin(sizeof first_id, first_id), -1);
    crash_markers_end(-1);
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, WithoutAFolderThereAreNone)
{
    static const char *const off[] = {"DNNL_CACHE_PERSISTENT=0", NULL};
    EXPECT_EQ(layer_process_run(off, load_without_a_folder, NULL), 0);
}

/* Whatever the list has become, who reads it neither dies nor hangs; and two
 * crashes later it does its work again. */
static void damage_and_use(const struct layer_store *store, const char *command)
{
    char whole[1300];
    (void)snprintf(whole, sizeof whole, "cd '%s/layer' && { %s; }", store->path,
            command);
    ASSERT_EQ(system(whole), 0);
    const int before = layer_process_run(store->variables, ask, NULL);
    EXPECT_TRUE(before == 0 || before == 1);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(layer_process_run(store->variables, die_loading, NULL),
                128 + SIGKILL);
    EXPECT_EQ(layer_process_run(store->variables, ask, NULL),
            crash_state_replace);
}

TEST_C(LayerCrashMarkers, SurviveDamage)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(layer_process_run(store.variables, die_loading, NULL),
                128 + SIGKILL);
    EXPECT_EQ(
            layer_process_run(store.variables, ask, NULL), crash_state_replace);
    damage_and_use(&store, "truncate -s 20 crashes");
    damage_and_use(&store, "head -c 5000 /dev/urandom > crashes");
    damage_and_use(&store, "truncate -s 3G crashes");
    damage_and_use(&store, "rm -f crashes");
    damage_and_use(&store, "printf 'no line at all' > crashes");
    damage_and_use(&store, "head -c 70000 /dev/zero > loading-9-9");
    damage_and_use(&store, "touch loading-1-1; mkdir -p loading-2-2");
    damage_and_use(&store, "mkfifo loading-3-3; ln -sf /dev/zero loading-4-4");
}

/* ---- Threads, and what it costs ------------------------------------------ */

static void *load_often(void *user)
{
    (void)user;
    for (int i = 0; i < 500; i++) {
        const int slot = crash_markers_begin(sizeof first_id, first_id);
        if (slot < 0) return NULL;
        (void)crash_markers_ask(sizeof second_id, second_id);
        crash_markers_end(slot);
    }
    return (void *)1;
}

static int in_threads(void *user)
{
    enum { count = 8 };
    pthread_t threads[count];
    (void)user;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, load_often, NULL) != 0) abort();
    for (int i = 0; i < count; i++) {
        void *good = NULL;
        (void)pthread_join(threads[i], &good);
        EXPECT_NOT_NULL(good);
    }
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, ThreadsLoadAtTheSameTime)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, in_threads, NULL), 0);
    EXPECT_EQ(count_marks(&store), 0);
}

static int take_all(void *user)
{
    (void)user;
    for (int i = 0; i < 64; i++)
        EXPECT_EQ(crash_markers_begin(sizeof first_id, first_id), i);
    EXPECT_EQ(crash_markers_begin(sizeof first_id, first_id), -1);
    crash_markers_end(17);
    EXPECT_EQ(crash_markers_begin(sizeof second_id, second_id), 17);
    crash_markers_close();
    return test_has_failed();
}

TEST_C(LayerCrashMarkers, ManyLoadsAtOnceArePossible)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, take_all, NULL), 0);
}
