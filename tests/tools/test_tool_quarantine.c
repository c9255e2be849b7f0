/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine list and clear, and that clear lifts it. */
#include "tool_helpers.h"

#include "test.h"
#include "tools/common/state/crash_marker_files.h"
#include "tools/common/state/state_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_folder(void)
{
    return state_folder_open_path(in_test("store/layer"), true);
}

static void note(const struct made *made, int count, enum crash_event event,
        uint64_t seconds_ago)
{
    const int folder = open_folder();
    ASSERT_GT(folder, -1);
    for (int i = 0; i < count; i++)
        crashes_note(folder, crash_key_of(made->id_size, made->id), event,
                crashes_now_s() - seconds_ago);
    close(folder);
}

/* 0: watched, 1: to be replaced, 2: quarantined. */
static void make_notes(const struct sample_store *sample)
{
    note(&sample->made[0], 1, crash_event_death, 100);
    note(&sample->made[1], 2, crash_event_death, 100);
    note(&sample->made[2], 2, crash_event_death, 300);
    note(&sample->made[2], 1, crash_event_replaced, 200);
    note(&sample->made[2], 2, crash_event_death, 100);
}

static bool has(const struct run *run, const char *part)
{
    return strstr(run->out, part) != NULL;
}

TEST_SAMPLE_STORE(ToolQuarantine, IsEmptyWithoutTheLayer)
{
    const struct run *run = run_tool("quarantine", "list", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("no entries\n", run->out);
    run = run_tool("quarantine", "list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_TRUE(json_is_valid(run->out, run->out_size));
    EXPECT_TRUE(has(run, "\"entries\": []"));
    run = run_tool("quarantine", "clear", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("0 cleared\n", run->out);
    EXPECT_FALSE(exists(in_test("store/layer")));
}

/* The entries have the names that list shows. */
TEST_C(ToolQuarantine, ListShowsStates)
{
    static const char *const states[] = {"watched", "replace", "quarantined"};
    struct sample_store sample;
    sample_store_make(&sample);
    make_notes(&sample);
    const struct run *run = run_tool("quarantine", "list", NULL);
    EXPECT_EQ(exit_ok, run->code);
    for (int i = 0; i < sample_entries; i++) {
        const char *line = strstr(run->out, sample.made[i].brief);
        ASSERT_NOT_NULL(line);
        char text[128];
        (void)snprintf(
                text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        EXPECT_NOT_NULL(strstr(text, states[i]));
    }
    run = run_tool("quarantine", "list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_TRUE(json_is_valid(run->out, run->out_size));
    for (int i = 0; i < sample_entries; i++) {
        EXPECT_TRUE(has(run, sample.made[i].name));
        EXPECT_TRUE(has(run, text_of("\"state\": \"%s\"", states[i])));
    }
    sample_store_fini(&sample);
}

/* With so many descriptors more than are open. */
static struct rlimit leave_descriptors(rlim_t count)
{
    struct rlimit before;
    struct rlimit now;
    const int next = dup(STDERR_FILENO);
    EXPECT_EQ(0, close(next));
    EXPECT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
    now = before;
    now.rlim_cur = (rlim_t)next + count;
    EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &now));
    return before;
}

/* A list that cannot be read is neither empty nor replaced. */
TEST_SAMPLE_STORE(ToolQuarantine, IsNotEmptyForWantOfDescriptors)
{
    static const char *const what[] = {"list", "clear"};
    int refused = 0;
    make_notes(s);
    for (rlim_t left = 0; left < 12; left++)
        for (int i = 0; i < 2; i++) {
            const struct rlimit before = leave_descriptors(left);
            const struct run *run = run_tool("quarantine", what[i], NULL);
            EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
            refused += run->code == exit_io
                       && strstr(run->err, "quarantine list: Too many open")
                                  != NULL;
            if (run->code != exit_ok)
                EXPECT_TRUE(run->err[0] != '\0');
            else if (i == 0)
                EXPECT_TRUE(has(run, s->made[0].brief));
            else
                make_notes(s);
        }
    EXPECT_TRUE(refused > 0);
    EXPECT_TRUE(has(run_tool("quarantine", "list", NULL), s->made[2].brief));
}

TEST_SAMPLE_STORE(ToolQuarantine, ClearLiftsOneOrAll)
{
    make_notes(s);
    const struct run *run =
            run_tool("quarantine", "clear", s->made[1].brief, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_TRUE(json_is_valid(run->out, run->out_size));
    EXPECT_TRUE(has(run, "\"cleared\": 1"));
    run = run_tool("quarantine", "list", NULL);
    EXPECT_TRUE(has(run, s->made[0].brief));
    EXPECT_FALSE(has(run, s->made[1].brief));
    EXPECT_TRUE(has(run, s->made[2].brief));
    run = run_tool("quarantine", "clear", "--quiet", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->out);
    EXPECT_TRUE(has(run_tool("quarantine", "list", NULL), "no entries"));
    EXPECT_EQ(sample_entries, count_entries("store"));
}

TEST_SAMPLE_STORE(ToolQuarantine, ClearOfTheStoreLiftsIt)
{
    make_notes(s);
    EXPECT_EQ(exit_ok, run_tool("clear", "--yes", NULL)->code);
    EXPECT_EQ(0, count_entries("store"));
    EXPECT_TRUE(has(run_tool("quarantine", "list", NULL), "no entries"));
}

/* A process that ended while it loaded one, and that nobody has noted yet. */
TEST_SAMPLE_STORE(ToolQuarantine, KnowsOfProcessesThatHaveJustEnded)
{
    struct crash_key keys[crash_marker_files_slots] = {{0, 0}};
    keys[3] = crash_key_of(s->made[1].id_size, s->made[1].id);
    close(open_folder());
    write_whole(in_test("store/layer/loading-1-1"), keys, sizeof keys);
    const struct run *run = run_tool("quarantine", "list", NULL);
    EXPECT_TRUE(has(run, s->made[1].brief));
    EXPECT_FALSE(exists(in_test("store/layer/loading-1-1")));
    write_whole(in_test("store/layer/loading-1-2"), keys, sizeof keys);
    EXPECT_EQ(exit_ok, run_tool("clear", "--yes", NULL)->code);
    EXPECT_TRUE(has(run_tool("quarantine", "list", NULL), "no entries"));
}

TEST_SAMPLE_STORE(ToolQuarantine, MistakesAreTold)
{
    make_notes(s);
    EXPECT_EQ(exit_usage, run_tool("quarantine", NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("quarantine", "lift", NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("quarantine", "list", "ab", NULL)->code);
    EXPECT_EQ(exit_no_entry,
            run_tool("quarantine", "clear", "00ff00ff00ff", NULL)->code);
    EXPECT_EQ(exit_no_entry,
            run_tool("quarantine", "clear", "no name", NULL)->code);
    EXPECT_EQ(exit_no_entry, run_tool("quarantine", "clear", "", NULL)->code);
    EXPECT_EQ(exit_store,
            run_bare("--store", in_test("nowhere"), "quarantine", "list", NULL)
                    ->code);
    const struct run *run = run_bare("quarantine", "--help", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_TRUE(has(run, "list|clear"));
    /* Nothing was lifted. */
    run = run_tool("quarantine", "list", NULL);
    for (int i = 0; i < sample_entries; i++)
        EXPECT_TRUE(has(run, s->made[i].brief));
    /* A folder that others may write to says nothing. */
    EXPECT_EQ(0, chmod(in_test("store/layer"), 0777));
    EXPECT_EQ(exit_io, run_tool("quarantine", "list", NULL)->code);
    EXPECT_EQ(0, chmod(in_test("store/layer"), 0700));
}
