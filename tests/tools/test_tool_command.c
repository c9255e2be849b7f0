/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, and which store it means. */
#include "test.h"
#include "tool_helpers.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/commands/tool_run.h"

#include <dnnl_cache.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The command line ---------------------------------------------------- */

TEST_C(ToolOptions, RefuseWhatMakesNoSense)
{
    static const struct {
        const char *arguments[4];
        const char *message;
        const char *command; /* whose help tells more; NULL: the tool's */
    } all[] = {
            {{NULL}, "no command given", NULL},
            {{"lst"}, "unknown command: lst", NULL},
            {{"list", "--nonsense"}, "unrecognized option '--nonsense'", NULL},
            {{"-l"}, "invalid option -- 'l'", NULL},
            {{"--json", "-xh"}, "invalid option -- 'x'", NULL},
            {{"list", "--json", "-xh"}, "invalid option -- 'x'", NULL},
            {{"--json", "-xh", "--nonsense"}, "invalid option -- 'x'", NULL},
            {{"list", "x"}, "too many arguments for list", "list"},
            {{"inspect"}, "too few arguments for inspect: ENTRY|FILE",
                    "inspect"},
            {{"why", "a", "b", "c"},
                    "too many arguments for why: ENTRY|FILE [ENTRY|FILE]",
                    "why"},
            {{"export"}, "too few arguments for export: FILE [ENTRY ...]",
                    "export"},
            {{"list", "--repair"}, "not an option of this command: --repair",
                    "list"},
            {{"evict"}, "this command requires --to", "evict"},
            {{"gc"}, "this command requires --older-than", "gc"},
            {{"evict", "--to"}, "option '--to' requires an argument", NULL},
            {{"evict", "--to", "10X"},
                    "--to: 10X: not a valid SIZE, such as 500K, 10M or 1.5GiB",
                    NULL},
            {{"gc", "--older-than=5"},
                    "--older-than: 5: not a valid AGE, such as 90s, 30m, 12h, "
                    "30d or 2w",
                    NULL},
            {{"evict", "--policy=none"},
                    "--policy: none: not a valid POLICY, such as fifo, lru or "
                    "cost",
                    NULL},
            {{"list", "--type", "tape"},
                    "--type: tape: not a valid TYPE, such as bucket, flat, "
                    "tree or pack",
                    NULL},
            {{"list", "--json=1"}, "option '--json' doesn't allow an argument",
                    NULL},
            {{"list", "--store="}, "--store: : not a valid PLACE", NULL},
            {{"l\x1bst"}, "unknown command: l\\x1bst", NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *const *a = all[i].arguments;
        const struct run *run =
                run_bare(a[0], a[0] != NULL ? a[1] : NULL, a[2], a[3], NULL);
        EXPECT_EQ(exit_usage, run->code);
        EXPECT_STR_EQ("", run->out);
        const char *command = all[i].command;
        EXPECT_STR_EQ(text_of("dnnl-cache: %s (see dnnl-cache %s%s--help)\n",
                              all[i].message, command != NULL ? command : "",
                              command != NULL ? " " : ""),
                run->err);
    }
}

TEST_C(ToolOptions, AreAllInTheHelp)
{
    static const char *const general[] = {"--store PLACE", "--type TYPE",
            "--key FILE", "--shared", "--json", "--quiet", "--help",
            "--version"};
    const struct run *run = run_bare("--help", NULL);
    EXPECT_EQ(exit_ok, run->code);
    for (size_t k = 0; commands[k] != NULL; k++)
        EXPECT_NOT_NULL(
                strstr(run->out, text_of("  %-18s %s\n", commands[k]->name,
                                         commands[k]->purpose)));
    static const char *const own[] = {
            "repair", "to", "older-than", "policy", "yes"};
    static const char *const shown[] = {"--repair", "--to SIZE",
            "--older-than AGE", "--policy POLICY", "--yes"};
    for (size_t k = 0; commands[k] != NULL; k++) {
        const struct command *c = commands[k];
        run = run_bare(c->name, "--help", NULL);
        EXPECT_EQ(exit_ok, run->code);
        for (size_t i = 0; i < sizeof general / sizeof *general; i++)
            EXPECT_NOT_NULL(strstr(run->out, general[i]));
        /* No heading without options. */
        EXPECT_NULL(strstr(run->out, "Options of this command:\n\n"));
        for (size_t i = 0; i < COUNT(own); i++)
            EXPECT_EQ(command_takes(c, own[i], NULL),
                    strstr(run->out, shown[i]) != NULL);
    }
    EXPECT_STR_EQ(
            text_of("dnnl-cache 0.1.0 (library %s)\n", dnnl_cache_version()),
            run_bare("--version", NULL)->out);
    EXPECT_EQ(0, strncmp(run_bare("-V", NULL)->out, "dnnl-cache 0.1.0 ", 17));
    static const char *const ways[][2] = {{"-h"}, {"help"}};
    static const char *const of_list[][2] = {{"list", "-h"}, {"help", "list"}};
    for (int i = 0; i < 2; i++) {
        run = run_bare(ways[i][0], NULL);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_NOT_NULL(strstr(run->out, "usage: dnnl-cache [OPTION"));
        run = run_bare(of_list[i][0], of_list[i][1], NULL);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_NOT_NULL(strstr(run->out, "[OPTION ...] list"));
    }
    run = run_bare("help", "lst", NULL);
    EXPECT_EQ(exit_usage, run->code);
    EXPECT_STR_EQ("dnnl-cache: unknown command: lst\n", run->err);
}

/* ---- Which store --------------------------------------------------------- */

TEST_C(ToolStore, IsNotMadeByLooking)
{
    static const char *const all[][4] = {{"stats"}, {"list"}, {"inspect", "aa"},
            {"why", "aa", "bb"}, {"verify"}, {"verify", "--repair"},
            {"evict", "--to", "1"}, {"gc", "--older-than", "1d"},
            {"clear", "--yes"}, {"clear"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct run *run =
                run_tool(all[i][0], all[i][1], all[i][2], all[i][3], NULL);
        EXPECT_EQ(exit_store, run->code);
        EXPECT_STR_EQ("", run->out);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s: No such file or directory: name "
                              "another store with --store PLACE\n",
                              in_test("store")),
                run->err);
    }
    EXPECT_EQ(exit_store, run_tool("export", in_test("x"), NULL)->code);
    EXPECT_FALSE(exists(in_test("x")));
    EXPECT_FALSE(exists(in_test("store")));
}

/* The place that nobody names is not there before something is kept. */
TEST_C(ToolStore, ThatIsNotYetThereIsNoMistake)
{
    static const char *const readers[] = {"list", "stats", "verify"};
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", in_test("home"), 1);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const struct run *run = run_bare(readers[i], NULL);
        EXPECT_EQ(exit_store, run->code);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s/.cache/dnnl_cache: nothing has "
                              "been stored there yet (--store PLACE names "
                              "another store)\n",
                              in_test("home")),
                run->err);
    }
    unsetenv("HOME");
}

/* root with the HOME of a user. */
TEST_C(ToolStore, IsNotThatOfAnotherUsersHome)
{
    if (geteuid() != 0) SKIP_TEST("not root");
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", in_test("home"), 1);
    ASSERT_EQ(0, mkdir(in_test("home"), 0755));
    ASSERT_EQ(0, chown(in_test("home"), 54321, 54321));
    const struct run *run = run_bare("list", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "a folder of another user (54321)"));
    EXPECT_NOT_NULL(strstr(run->err, "sudo -H"));
    unsetenv("HOME");
}

TEST_SAMPLE_STORE(ToolStore, ThatOthersMayWriteToNeedsAWord)
{
    ASSERT_EQ(0, chmod(in_test("store"), 0777));
    const struct run *run = run_tool("list", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "others may write to it"));
    EXPECT_EQ(exit_ok, run_tool("list", "--shared", NULL)->code);
}

TEST_SAMPLE_STORE(ToolStore, IsFoundByTheEnvironment)
{
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", in_test("home"), 1);
    EXPECT_NOT_NULL(
            strstr(run_bare("list", NULL)->err, "/home/.cache/dnnl_cache: "));
    setenv("XDG_CACHE_HOME", in_test("xdg"), 1);
    EXPECT_NOT_NULL(strstr(run_bare("list", NULL)->err, "/xdg/dnnl_cache: "));
    setenv("DNNL_CACHE_DIR", in_test("store"), 1);
    EXPECT_NOT_NULL(strstr(run_bare("list", NULL)->out, s->made[0].brief));
    EXPECT_EQ(
            exit_store, run_bare("list", "--store", in_test("no"), NULL)->code);
    setenv("DNNL_CACHE_STORE", "bucket", 1);
    EXPECT_EQ(exit_ok, run_bare("list", NULL)->code);
    setenv("DNNL_CACHE_STORE", "tape", 1);
    EXPECT_EQ(exit_ok, run_bare("list", NULL)->code);
    EXPECT_STR_EQ("dnnl-cache: DNNL_CACHE_STORE=tape: expected bucket, flat, "
                  "tree or pack; using flat\n",
            run_bare("list", NULL)->err);
    EXPECT_STR_EQ("", run_bare("list", "--type", "bucket", NULL)->err);
    EXPECT_STR_EQ("", run_bare("--quiet", "list", NULL)->err);
    EXPECT_NOT_NULL(strstr(
            run_bare("copy", in_test("store"), in_test("copy"), NULL)->err,
            "using flat\n"));
    EXPECT_NOT_NULL(
            strstr(run_bare("--store", in_test("copy"), "stats", NULL)->out,
                    " flat\n"));
    unsetenv("DNNL_CACHE_STORE");
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    const struct run *run = run_bare("list", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_STR_EQ("dnnl-cache: no store given: name one with --store PLACE\n",
            run->err);
}

/* Every file and directory below, by name, size and content's times. */
static uint64_t fingerprint(void)
{
    char command[path_size + 64];
    uint64_t sum = 0;
    int c;
    snprintf(command, sizeof command,
            "find '%s' -printf '%%P %%s %%m %%T@ \\n' | sort",
            in_test("store"));
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c) */
    while (f != NULL && (c = fgetc(f)) != EOF)
        sum = sum * 31 + (uint64_t)c;
    if (f != NULL) pclose(f);
    return sum;
}

TEST_SAMPLE_STORE(ToolStore, IsNotTouchedByCommandsThatRead)
{
    write_whole(in_test("a.blob"), s->made[1].blob, s->made[1].size);
    (void)run_tool("verify", NULL); /* access times are new once */
    const uint64_t before = fingerprint();
    EXPECT_EQ(exit_ok, run_tool("stats", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("list", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("inspect", s->made[0].brief, NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("verify", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("why", in_test("a.blob"), NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("export", in_test("archive"), NULL)->code);
    EXPECT_EQ(before, fingerprint());
}

/* ---- Messages ------------------------------------------------------------ */

static ssize_t count_write(void *count, const char *bytes, size_t size)
{
    (void)bytes;
    ++*(int *)count;
    return (ssize_t)size;
}

/* What workers print goes to the same place, and must not come in between. */
TEST_C(ToolMessages, AreWrittenInOnePiece)
{
    char program[] = "dnnl-cache", command[] = "inspect", store[] = "--store";
    char *arguments[] = {program, command, store, (char *)in_test("none"),
            (char *)(uintptr_t) "abcdef", NULL};
    int count = 0;
    FILE *out = tmpfile();
    FILE *err = fopencookie(
            &count, "w", (cookie_io_functions_t){.write = count_write});
    ASSERT_NOT_NULL(out);
    ASSERT_NOT_NULL(err);
    EXPECT_EQ(0, setvbuf(err, NULL, _IONBF, 0)); /* as standard error */
    EXPECT_NE(exit_ok, tool_run(5, arguments, out, err));
    EXPECT_EQ(1, count);
    (void)fclose(err);
    (void)fclose(out);
}
