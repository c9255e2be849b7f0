/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache-run as a process: what a command finds in its environment, and
 * how it ends. The layer that counts stands in for the one that caches. */
#include "layer_process.h"
#include "run_process.h"
#include "test.h"
#include "tools/run/layer_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Lists of layers ----------------------------------------------------- */

static void expect_with(const char *expected, const char *list)
{
    char *made = layer_list_with(list, "/new/layer.so");
    EXPECT_STR_EQ(expected, made);
    free(made);
}

TEST_C(LayerList, PutsTheLayerNextToTheDriver)
{
    expect_with("/new/layer.so", "");
    expect_with("/new/layer.so:a.so:/b/b.so", "a.so:/b/b.so");
    expect_with("/new/layer.so:a.so", "::a.so:");
    expect_with("/new/layer.so:/my/other_layer.so", "/my/other_layer.so");
}

TEST_C(LayerList, KeepsThePlaceOfTheLayer)
{
    expect_with("a.so:/new/layer.so:b.so", "a.so:layer.so:b.so");
    expect_with("a.so:/new/layer.so", "a.so:/old/layer.so:/new/layer.so");
}

static void expect_without(const char *expected, const char *list)
{
    char *made = layer_list_without(list, "layer.so");
    EXPECT_STR_EQ(expected, made);
    free(made);
}

TEST_C(LayerList, TakesTheLayerOut)
{
    expect_without("", "");
    expect_without("", "/any/layer.so");
    expect_without("a.so:b.so", "a.so:/any/layer.so:b.so:layer.so");
    expect_without("a.so", "a.so");
}

/* ---- The program --------------------------------------------------------- */

#define RUN(variables, ...)        \
    run_program(RUNNER, variables, \
            (const char *const[]){"--layer", LAYER, __VA_ARGS__, NULL})
#define RUN_ALONE(...) \
    run_program(RUNNER, NULL, (const char *const[]){__VA_ARGS__, NULL})

static void expect_line(const struct ended *ended, const char *line)
{
    const size_t size = strlen(line);
    const char *at = ended->out;
    while ((at = strstr(at, line)) != NULL) {
        if ((at == ended->out || at[-1] == '\n') && at[size] == '\n') return;
        at++;
    }
    test_fail(__FILE__, __LINE__, "no line \"%s\" in: %s", line, ended->out);
}

TEST_C(Run, SetsWhatOptionsSay)
{
    char line[1024];
    struct ended ended =
            RUN(NULL, "--dir", "kept", "--store=bucket", "--max-size", "1.5M",
                    "--seed", "image", "--remote", "redis://h?key_file=/k",
                    "--stats", "--trace=/t/trace", "--debug", "--", "env");
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "DNNL_CACHE_DIR=%s", in_test("kept"));
    expect_line(&ended, line);
    expect_line(&ended, "DNNL_CACHE_STORE=bucket");
    expect_line(&ended, "DNNL_CACHE_MAX_SIZE=1572864B");
    snprintf(line, sizeof line, "DNNL_CACHE_SEED=%s", in_test("image"));
    expect_line(&ended, line);
    expect_line(&ended, "DNNL_CACHE_REMOTE=redis://h?key_file=/k");
    expect_line(&ended, "DNNL_CACHE_STATS=1");
    expect_line(&ended, "DNNL_CACHE_TRACE=/t/trace");
    expect_line(&ended, "DNNL_CACHE_PRINT_DEBUG=1");
    expect_line(&ended, "OPENCL_LAYERS=" LAYER);
    expect_said(&ended, 0, " of env takes the layer in\n"); /* --debug */
    ended_fini(&ended);
}

TEST_C(Run, TracesInFull)
{
    struct ended ended = RUN(NULL, "--trace=full", "--", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "DNNL_CACHE_TRACE=full");
    ended_fini(&ended);
    ended = RUN(NULL, "--trace=full:/t/trace", "--", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "DNNL_CACHE_TRACE=full:/t/trace");
    ended_fini(&ended);
}

/* What no option sets is the user's, an empty value included. */
TEST_C(Run, LeavesOtherVariablesAlone)
{
    const char *const variables[] = {"DNNL_CACHE_STORE=tree",
            "DNNL_CACHE_DIR=/elsewhere", "DNNL_CACHE_STATS=", NULL};
    struct ended ended = RUN(variables, "--store", "pack", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "DNNL_CACHE_STORE=pack");
    expect_line(&ended, "DNNL_CACHE_DIR=/elsewhere");
    expect_line(&ended, "DNNL_CACHE_STATS=");
    EXPECT_NULL(strstr(ended.out, "DNNL_CACHE_MAX_SIZE"));
    ended_fini(&ended);
}

TEST_C(Run, KeepsOtherLayers)
{
    const char *const variables[] = {"OPENCL_LAYERS=/a.so:b.so", NULL};
    struct ended ended = RUN(variables, "env");
    expect_line(&ended, "OPENCL_LAYERS=" LAYER ":/a.so:b.so");
    ended_fini(&ended);
}

TEST_C(Run, OffTakesTheLayerOut)
{
    const char *const others[] = {"OPENCL_LAYERS=/a.so:" LAYER, NULL};
    const char *const alone[] = {"OPENCL_LAYERS=" LAYER, NULL};
    struct ended ended = RUN(others, "--off", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "OPENCL_LAYERS=/a.so");
    ended_fini(&ended);
    ended = RUN(alone, "--off", "env");
    EXPECT_EQ(0, ended.code);
    EXPECT_NULL(strstr(ended.out, "OPENCL_LAYERS"));
    ended_fini(&ended);
}

/* Even where they look like options, and whatever they hold. */
TEST_C(Run, PassesArgumentsOn)
{
    struct ended ended =
            RUN(NULL, "printf", "<%s>\n", "--stats", "--", "", "a b");
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ("<--stats>\n<-->\n<>\n<a b>\n", ended.out);
    ended_fini(&ended);
}

TEST_C(Run, EndsAsTheCommandEnds)
{
    struct ended ended = RUN(NULL, "sh", "-c", "exit 7");
    EXPECT_EQ(7, ended.code);
    ended_fini(&ended);
    ended = RUN(NULL, "sh", "-c", "kill -TERM $$");
    EXPECT_EQ(128 + 15, ended.code);
    ended_fini(&ended);
}

TEST_C(Run, TellsThatACommandCannotRun)
{
    struct ended ended = RUN(NULL, "./not-there");
    expect_said(&ended, 127, "./not-there");
    ended_fini(&ended);
    ended = RUN(NULL, "./out"); /* a file, but no program */
    expect_said(&ended, 126, "./out");
    ended_fini(&ended);
}

TEST_C(Run, RefusesWrongUsage)
{
    static const struct {
        const char *arguments[4];
        const char *said;
    } wrong[] = {
            {{NULL}, "no command"},
            {{"--", NULL}, "no command"},
            {{"--nonsense", "true"}, "--nonsense"},
            {{"--debug=1", "true"}, "'--debug' doesn't allow an argument"},
            {{"--dir"}, "--dir"},
            {{"--dir", "", "true"}, "DNNL_CACHE_DIR"},
            {{"--stats=", "true"}, "DNNL_CACHE_STATS"},
            {{"--remote", "", "true"}, "DNNL_CACHE_REMOTE"},
            {{"--seed", "", "true"}, "DNNL_CACHE_SEED"},
            {{"--max-size", "many", "true"}, "many"},
            {{"--max-size", "-1", "true"}, "-1"},
            {{"--store", "redis", "true"}, "redis"},
            {{"--wait", "--no-wait", "true"}, "--no-wait"},
            {{"--wait", "--status"}, "--wait"},
            {{"--verbose", "--enable"}, "--verbose"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ended ended = run_program(RUNNER, NULL, wrong[i].arguments);
        expect_said(&ended, 125, wrong[i].said);
        EXPECT_STR_EQ("", ended.out);
        ended_fini(&ended);
    }
}

/* The loader would tell nobody: the command would just be slow. */
TEST_C(Run, RefusesWhatIsNoLayer)
{
    struct ended ended = RUN_ALONE("--layer", "not-there.so", "true");
    expect_said(&ended, 125, "not-there.so");
    ended_fini(&ended);
    ended = RUN_ALONE("--layer", RUNNER, "true");
    EXPECT_EQ(125, ended.code);
    ended_fini(&ended);
    ended = RUN_ALONE("--layer", NO_LAYER, "true");
    expect_said(&ended, 125, "not an OpenCL layer");
    ended_fini(&ended);
    EXPECT_EQ(0, mkdir(in_test("a:b"), 0700));
    EXPECT_EQ(0, symlink(LAYER, in_test("a:b/link.so")));
    ended = RUN_ALONE("--layer", "a:b/link.so", "--print");
    EXPECT_EQ(0, ended.code); /* the file it leads to can be named */
    ended_fini(&ended);
}

/* As a shell reads it, it says the same. */
TEST_C(Run, PrintsWhatAShellReads)
{
    char line[1024];
    const char *const set[] = {"OPENCL_LAYERS=" LAYER, NULL};
    struct ended ended = run_program("/bin/sh", NULL,
            (const char *const[]){"-c",
                    "eval \"$(" RUNNER " --layer " LAYER
                    " --dir \"it's \\$HOME\" --print)\" && env",
                    NULL});
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "DNNL_CACHE_DIR=%s", in_test("it's $HOME"));
    expect_line(&ended, line);
    expect_line(&ended, "OPENCL_LAYERS=" LAYER);
    ended_fini(&ended);
    ended = RUN(set, "--off", "--print");
    EXPECT_STR_EQ("unset OPENCL_LAYERS\n", ended.out);
    ended_fini(&ended);
}

/* Wherever a build or an installation was moved to. */
TEST_C(Run, FindsTheLayerBesideItself)
{
    char line[1024];
    struct ended ended;
    EXPECT_EQ(0, mkdir(in_test("bin"), 0700));
    EXPECT_EQ(0, mkdir(in_test("lib"), 0700));
    copy_file(RUNNER, in_test("bin/runner"));
    EXPECT_EQ(0, symlink("bin/runner", in_test("link")));
    ended = run_program(
            in_test("link"), NULL, (const char *const[]){"--print", NULL});
    expect_said(&ended, 125, "use --layer FILE");
    ended_fini(&ended);
    copy_file(LAYER, in_test("lib/libdnnl_cache_layer.so"));
    ended = run_program(
            in_test("link"), NULL, (const char *const[]){"--print", NULL});
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "export OPENCL_LAYERS='%s'",
            in_test("lib/libdnnl_cache_layer.so"));
    expect_line(&ended, line);
    ended_fini(&ended);
}

/* A program of OpenCL's runs under the layer, and a layer above it stays. */
TEST_C(Run, PutsACommandUnderTheLayer)
{
    const char *const variables[] = {
            "OCL_ICD_VENDORS=" FAKE_VENDORS, "BUILD_COUNTER_FILE=counts", NULL};
    struct ended ended = RUN(variables, CLIENT, "Fake");
    char *counts = layer_process_read_file(in_test("counts"));
    EXPECT_EQ(0, ended.code);
    EXPECT_NOT_NULL(counts);
    if (counts != NULL) EXPECT_NOT_NULL(strstr(counts, "\"source_builds\":1"));
    free(counts);
    ended_fini(&ended);
}

/* ---- Where nothing can be kept ------------------------------------------- */

#ifdef REAL_LAYER

#define RUN_REAL(variables, ...)   \
    run_program(RUNNER, variables, \
            (const char *const[]){"--layer", REAL_LAYER, __VA_ARGS__, NULL})

/* The command runs all the same; why: what is said before it, "" for nothing.
 */
static void expect_warning(struct ended ended, const char *why)
{
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ("done\n", ended.out);
    if (why[0] == '\0') {
        EXPECT_STR_EQ("", ended.err);
    } else {
        expect_said(&ended, 0, "dnnl-cache-run: warning: nothing ");
        expect_said(&ended, 0, why);
        EXPECT_PTR_EQ(strchr(ended.err, '\n') + 1, strchr(ended.err, '\0'));
    }
    ended_fini(&ended);
}

TEST_C(Run, WarnsOfAPlaceThatCannotBeUsed)
{
    static const char *const nowhere[] = {"HOME=", "XDG_CACHE_HOME=", NULL};
    static const char *const off[] = {
            "HOME=", "XDG_CACHE_HOME=", "DNNL_CACHE_PERSISTENT=0", NULL};
    EXPECT_EQ(0, mkdir(in_test("bucket"), 0700));
    copy_file("/dev/null", in_test("bucket/index.bin"));
    EXPECT_EQ(0, mkdir(in_test("two"), 0700));
    copy_file("/dev/null", in_test("two/index.bin"));
    copy_file("/dev/null", in_test("two/cache_size.txt"));
    expect_warning(RUN_REAL(NULL, "--dir", "out", "echo", "done"),
            "/out: Not a directory; fix this, or pass");
    expect_warning(RUN_REAL(NULL, "--dir", "two", "echo", "done"),
            "a tree store is there");
    expect_warning(RUN_REAL(nowhere, "echo", "done"), "pass --dir");
    expect_warning(RUN_REAL(off, "echo", "done"), "");
    expect_warning(
            RUN_REAL(NULL, "--dir", "out", "--quiet", "echo", "done"), "");
    expect_warning(RUN_REAL(NULL, "--dir", "out", "--off", "echo", "done"), "");
}

TEST_C(Run, SaysNothingOfAGoodPlaceAndLeavesItAsItIs)
{
    expect_warning(RUN_REAL(NULL, "--dir", "new/place", "echo", "done"), "");
    EXPECT_NE(0, access(in_test("new"), F_OK));
    expect_warning(RUN_REAL(NULL, "--dir", "bucket", "echo", "done"), "");
}

/* Once: the command's processes and dnnl-cache get the type that is used. */
TEST_C(Run, TellsOfATypeThatIsNone)
{
    static const char *const names[] = {"DNNL_CACHE_STORE=Flat", NULL};
    static const char text[] =
            "dnnl-cache-run: warning: DNNL_CACHE_STORE=Flat: expected bucket, "
            "flat, tree or pack; using flat\n";
    struct ended ended = RUN_REAL(names, "--dir", "new", "env");
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ(text, ended.err);
    expect_line(&ended, "DNNL_CACHE_STORE=flat");
    ended_fini(&ended);
    ended = RUN_REAL(names, "--dir", "new", "--print");
    EXPECT_STR_EQ(text, ended.err);
    EXPECT_NOT_NULL(strstr(ended.out, "export DNNL_CACHE_STORE='flat'\n"));
    ended_fini(&ended);
    /* Then it is left to the layer. */
    static const char *const quiet[] = {"--off", "--quiet"};
    for (int i = 0; i < 2; i++) {
        ended = RUN_REAL(names, "--dir", "new", quiet[i], "env");
        EXPECT_STR_EQ("", ended.err);
        expect_line(&ended, "DNNL_CACHE_STORE=Flat");
        ended_fini(&ended);
    }
    static const char *const empty[] = {"DNNL_CACHE_STORE=", NULL};
    expect_warning(RUN_REAL(empty, "--dir", "new", "echo", "done"), "");
}

/* On standard error: the shell reads the other. */
TEST_C(Run, WarnsWhenItPrints)
{
    struct ended ended = RUN_REAL(NULL, "--dir", "out", "--print");
    expect_said(&ended, 0, "Not a directory");
    EXPECT_EQ(0, strncmp(ended.out, "export ", 7));
    EXPECT_NULL(strstr(ended.out, "warning"));
    ended_fini(&ended);
}

#endif

TEST_C(Run, TellsWhatItIs)
{
    struct ended ended = RUN_ALONE("--help");
    EXPECT_EQ(0, ended.code);
    EXPECT_NOT_NULL(strstr(ended.out, "--max-size SIZE"));
    ended_fini(&ended);
    ended = RUN_ALONE("--version");
    EXPECT_EQ(0, ended.code);
    EXPECT_EQ(0, strncmp(ended.out, "dnnl-cache-run ", 15));
    ended_fini(&ended);
}
