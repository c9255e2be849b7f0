/* SPDX-License-Identifier: Apache-2.0 */
/* The folder beside the entries, its lines, and the list of crashes in it. */
#include "layer/settings/state_place.h"
#include "layer/storage/upkeep.h"
#include "layer_process.h"
#include "layer_store.h"
#include "test.h"
#include "tools/common/state/crashes.h"
#include "tools/common/state/state_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Lines --------------------------------------------------------------- */

TEST_C(LayerLines, ComeBack)
{
    char all[3 * state_line_size] = "";
    char line[state_line_size];
    static const char *const texts[] = {"one", "two words", "3 4 5 6"};
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(state_line_make(line, texts[i]), strlen(texts[i]) + 18);
        strcat(all, line);
    }
    const char *at = all;
    for (size_t i = 0; i < 3; i++) {
        ASSERT_TRUE(state_lines_next(line, &at));
        EXPECT_STR_EQ(line, texts[i]);
    }
    EXPECT_FALSE(state_lines_next(line, &at));
}

TEST_C(LayerLines, ThatAreTooLongAreNotMade)
{
    char text[state_line_size];
    char line[state_line_size];
    memset(text, 'x', sizeof text);
    text[state_line_size - 19] = '\0';
    EXPECT_EQ(state_line_make(line, text), state_line_size - 1);
    text[state_line_size - 19] = 'x';
    text[state_line_size - 18] = '\0';
    EXPECT_EQ(state_line_make(line, text), 0);
}

/* Of three lines the middle one is cut short, or changed, at every byte. */
TEST_C(LayerLines, DamageConcernsALine)
{
    char lines[3][state_line_size];
    char text[3 * state_line_size];
    char found[state_line_size];
    static const char *const texts[] = {"before", "damaged", "after"};
    for (int i = 0; i < 3; i++)
        (void)state_line_make(lines[i], texts[i]);
    const size_t size = strlen(lines[1]);
    for (size_t i = 0; i < size; i++)
        for (int change = 1; change < 256; change += 50) {
            char damaged[state_line_size];
            strcpy(damaged, lines[1]);
            damaged[i] = (char)((unsigned char)damaged[i] ^ change);
            if (damaged[i] == '\0') continue;
            (void)snprintf(
                    text, sizeof text, "%s%s%s", lines[0], damaged, lines[2]);
            const char *at = text;
            ASSERT_TRUE(state_lines_next(found, &at));
            EXPECT_STR_EQ(found, "before");
            while (state_lines_next(found, &at))
                EXPECT_STR_EQ(found, "after");
        }
    for (size_t i = 0; i < size - 1; i++) {
        (void)snprintf(text, sizeof text, "%s%.*s\n%s", lines[0], (int)i,
                lines[1], lines[2]);
        const char *at = text;
        EXPECT_TRUE(state_lines_next(found, &at));
        ASSERT_TRUE(state_lines_next(found, &at));
        EXPECT_STR_EQ(found, "after");
        EXPECT_FALSE(state_lines_next(found, &at));
    }
}

/* ---- The folder ---------------------------------------------------------- */

static int use_folder(void *user)
{
    const int folder = state_folder_open();
    (void)user;
    EXPECT_NULL(state_folder_read(folder, "a", 100));
    const int lock = state_folder_lock(folder, 1000);
    EXPECT_GE(lock, 0);
    EXPECT_LT(state_folder_lock(folder, 20), 0); /* it is ours */
    EXPECT_TRUE(state_folder_append(folder, "a", "one\n", 4));
    EXPECT_TRUE(state_folder_append(folder, "a", "torn", 4));
    EXPECT_TRUE(state_folder_append(folder, "a", "two\n", 4));
    char *text = state_folder_read(folder, "a", 100);
    EXPECT_STR_EQ(text, "one\ntorn\ntwo\n");
    free(text);
    text = state_folder_read(folder, "a", 6); /* the end */
    EXPECT_STR_EQ(text, "n\ntwo\n");
    free(text);
    /* A copy of the store by hard links stays as it is. */
    EXPECT_EQ(0, linkat(folder, "a", folder, "copy", 0));
    EXPECT_TRUE(state_folder_append(folder, "a", "new\n", 4));
    text = state_folder_read(folder, "a", 100);
    EXPECT_STR_EQ(text, "one\ntorn\ntwo\nnew\n");
    free(text);
    text = state_folder_read(folder, "copy", 100);
    EXPECT_STR_EQ(text, "one\ntorn\ntwo\n");
    free(text);
    EXPECT_TRUE(state_folder_replace(folder, "a", "three\n", 6));
    text = state_folder_read(folder, "a", 100);
    EXPECT_STR_EQ(text, "three\n");
    free(text);
    state_folder_unlock(lock);
    const int again = state_folder_lock(folder, 20);
    EXPECT_GE(again, 0);
    state_folder_unlock(again);
    close(folder);
    return test_has_failed();
}

TEST_C(LayerFolder, KeepsSmallFiles)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(layer_store_fill(&store), 0);
        EXPECT_EQ(layer_process_run(store.variables, use_folder, NULL), 0);
    }
}

static int has_no_folder(void *user)
{
    (void)user;
    return state_folder_open() >= 0;
}

TEST_C(LayerFolder, IsNotThereWithoutAStore)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    static const char *const off[] = {"DNNL_CACHE_PERSISTENT=0", NULL};
    EXPECT_EQ(layer_process_run(store.variables, has_no_folder, NULL), 0);
    EXPECT_EQ(layer_process_run(off, has_no_folder, NULL), 0);
}

TEST_C(LayerFolder, ThatOthersMayWriteToIsIgnored)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_PRINT_DEBUG=1");
    store.variables[3] = "DNNL_CACHE_THRESHOLD=0"; /* no upkeep */
    store.variables[4] = NULL;
    char path[600];
    char *said = NULL;
    ASSERT_EQ(layer_store_fill(&store), 0);
    (void)snprintf(path, sizeof path, "%s/layer", store.path);
    ASSERT_EQ(mkdir(path, 0700), 0);
    ASSERT_EQ(chmod(path, 0777), 0);
    EXPECT_EQ(layer_process_listen(&said, store.variables, has_no_folder, NULL),
            0);
    EXPECT_NOT_NULL(strstr(said, "other users may write to it"));
    free(said);
    ASSERT_EQ(rmdir(path), 0);
    ASSERT_EQ(symlink("/", path), 0); /* a link is not followed */
    EXPECT_EQ(layer_process_run(store.variables, has_no_folder, NULL), 0);
}

/* Root may make a folder there, and its owner could not use it any more. */
TEST_C(LayerFolder, IsNotMadeInAnotherUsersStore)
{
    if (geteuid() != 0) SKIP_TEST("not root");
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        struct stat facts;
        char path[600];
        char *said = NULL;
        /* No upkeep, which makes the folder, too. */
        layer_store_init(&store, i, "DNNL_CACHE_THRESHOLD=0");
        store.variables[3] = "DNNL_CACHE_PRINT_DEBUG=1";
        store.variables[4] = NULL;
        ASSERT_EQ(layer_store_fill(&store), 0);
        const bool is_folder =
                stat(store.path, &facts) == 0 && S_ISDIR(facts.st_mode);
        const char *above = is_folder ? store.path : test_directory();
        (void)snprintf(path, sizeof path, "%s%s", store.path,
                state_folder_suffix(!is_folder));
        ASSERT_EQ(chown(above, 54321, 54321), 0);
        EXPECT_EQ(layer_process_listen(
                          &said, store.variables, has_no_folder, NULL),
                0);
        EXPECT_NOT_NULL(strstr(said, "belongs to another user"));
        free(said);
        EXPECT_NE(lstat(path, &facts), 0);
        ASSERT_EQ(chown(above, 0, 0), 0);
        EXPECT_NE(layer_process_run(store.variables, has_no_folder, NULL), 0);
        EXPECT_EQ(lstat(path, &facts), 0);
    }
}

/* ---- Crashes ------------------------------------------------------------- */

static struct crash_key key_of(unsigned id)
{
    return crash_key_of(sizeof id, (const uint8_t *)&id);
}

static void note(int folder, unsigned id, enum crash_event event)
{
    crashes_note(folder, key_of(id), event, crashes_now_s());
}

static unsigned deaths_of(const struct crashes *crashes, unsigned id)
{
    const struct crash *crash = crashes_find(crashes, key_of(id));
    return crash != NULL ? crash->deaths : 0;
}

static int use_crashes(void *user)
{
    struct crashes crashes;
    const int folder = state_folder_open();
    (void)user;
    crashes_read(&crashes, folder, crashes_now_s());
    EXPECT_EQ(crashes.count, 0);
    EXPECT_EQ(deaths_of(&crashes, 1), 0);
    for (unsigned id = 0; id < 50; id++)
        for (unsigned n = 0; n < id % 4; n++)
            note(folder, id, crash_event_death);
    note(folder, 3, crash_event_fine); /* after 3 crashes */
    note(folder, 7, crash_event_fine); /* after 3, and then one more */
    note(folder, 7, crash_event_death);
    crashes_read(&crashes, folder, crashes_now_s());
    for (unsigned id = 0; id < 50; id++) {
        const unsigned expected = id == 3 ? 0 : id == 7 ? 1 : id % 4;
        EXPECT_EQ(deaths_of(&crashes, id), expected);
    }
    EXPECT_EQ(deaths_of(&crashes, 50), 0);
    EXPECT_FALSE(crashes_forgive(&crashes, key_of(3)));
    EXPECT_TRUE(crashes_forgive(&crashes, key_of(2)));
    EXPECT_FALSE(crashes_forgive(&crashes, key_of(2))); /* once */
    crashes_fini(&crashes);
    close(folder);
    return test_has_failed();
}

TEST_C(LayerCrashes, CountUntilALoadIsFine)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    ASSERT_EQ(layer_store_fill(&store), 0);
    EXPECT_EQ(layer_process_run(store.variables, use_crashes, NULL), 0);
}

static int fill_crashes(void *user)
{
    struct stat st;
    struct crashes crashes;
    const int folder = state_folder_open();
    (void)user;
    note(folder, 1, crash_event_death);
    note(folder, 1, crash_event_death);
    for (unsigned i = 0; i < 2000; i++) {
        note(folder, 2, crash_event_death);
        note(folder, 2, crash_event_fine);
    }
    EXPECT_EQ(fstatat(folder, "crashes", &st, 0), 0);
    EXPECT_LT(st.st_size, 66000); /* of 230 000 bytes noted */
    crashes_read(&crashes, folder, crashes_now_s());
    EXPECT_EQ(deaths_of(&crashes, 1), 2);
    EXPECT_EQ(deaths_of(&crashes, 2), 0);
    crashes_fini(&crashes);
    close(folder);
    return test_has_failed();
}

TEST_C(LayerCrashes, LongListsAreShortened)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    ASSERT_EQ(layer_store_fill(&store), 0);
    EXPECT_EQ(layer_process_run(store.variables, fill_crashes, NULL), 0);
}

/* ---- Upkeep -------------------------------------------------------------- */

static int upkeep_is_due_once(void *user)
{
    (void)user;
    EXPECT_TRUE(upkeep_is_due(7));
    EXPECT_FALSE(upkeep_is_due(7));
    EXPECT_TRUE(upkeep_is_due(3)); /* a new limit */
    EXPECT_FALSE(upkeep_is_due(3));
    return test_has_failed();
}

static int is_not_due(void *user)
{
    (void)user;
    return upkeep_is_due(3);
}

static int is_due(void *user)
{
    (void)user;
    return !upkeep_is_due(3);
}

/* As a process wrote it at that time. */
static void write_upkeep(const struct layer_store *store, long long when)
{
    char path[600];
    char text[64];
    char line[state_line_size];
    (void)snprintf(path, sizeof path, "%s/layer/upkeep", store->path);
    (void)snprintf(text, sizeof text, "%lld 3", when);
    (void)state_line_make(line, text);
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    (void)fputs(line, file);
    (void)fclose(file);
}

TEST_C(LayerUpkeep, IsDueOnceADay)
{
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_THRESHOLD=0");
    const long long now = (long long)time(NULL);
    ASSERT_EQ(layer_store_fill(&store), 0);
    EXPECT_EQ(layer_process_run(store.variables, upkeep_is_due_once, NULL), 0);
    EXPECT_EQ(layer_process_run(store.variables, is_not_due, NULL), 0);
    write_upkeep(&store, now - 23 * 3600);
    EXPECT_EQ(layer_process_run(store.variables, is_not_due, NULL), 0);
    write_upkeep(&store, now - 25 * 3600);
    EXPECT_EQ(layer_process_run(store.variables, is_due, NULL), 0);
    write_upkeep(&store, now + 2 * 3600); /* a clock was put back */
    EXPECT_EQ(layer_process_run(store.variables, is_due, NULL), 0);
}

TEST_C(LayerUpkeep, OneOfManyIsTold)
{
    enum { count = 8 };
    struct layer_store store;
    layer_store_init(&store, 0, "DNNL_CACHE_THRESHOLD=0");
    pid_t children[count];
    unsigned told = 0;
    ASSERT_EQ(layer_store_fill(&store), 0);
    for (int i = 0; i < count; i++)
        children[i] = layer_process_start(store.variables, is_not_due, NULL);
    for (int i = 0; i < count; i++)
        told += (unsigned)layer_process_wait(children[i]);
    EXPECT_EQ(told, 1);
}
