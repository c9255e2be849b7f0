/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache-run says by which loader a command will be served: one of this
 * system's, and stand-ins for others. */
#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { text_size = 1024 };

/* Runs the runner in a shell, with variables before it. Returns its exit
 * status; what it says is in the file "said". */
static int run(const char *variables, const char *arguments)
{
    char command[4 * text_size];
    (void)snprintf(command, sizeof command,
            "unset OPENCL_LAYERS; HOME=%s DNNL_CACHE_DIR=%s %s " RUNNER
            " --layer " REAL_LAYER " %s >%s 2>&1",
            in_test("home"), in_test("store"), variables, arguments,
            in_test("said"));
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_said(const char *text)
{
    char *said = layer_process_read_file(in_test("said"));
    test_asserts();
    if (said == NULL || strstr(said, text) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text, said);
    free(said);
}

/* By clInitLayer, and from ocl-icd 2.3.3 on (Debian 13) by a folder, too. */
static void expect_system_takes_it(void)
{
    static const char taken[] = "takes the layer in by clInitLayer";
    char *said = layer_process_read_file(in_test("said"));
    const char *found = said != NULL ? strstr(said, taken) : NULL;
    test_asserts();
    if (found == NULL || strchr("\n,", found[sizeof taken - 1]) == NULL)
        test_fail(__FILE__, __LINE__, "not taken in by clInitLayer: %s", said);
    free(said);
}

static void expect_silence(void)
{
    char *said = layer_process_read_file(in_test("said"));
    EXPECT_STR_EQ("", said);
    free(said);
}

static const char stand_in[] = "LD_LIBRARY_PATH=" STAND_IN;
static const char served[] = STAND_IN "/libOpenCL.so.1: takes the layer in by "
                                      "clInitLayerWithProperties";

TEST_C(RunLoaders, TellHowTheyTakeTheLayerIn)
{
    (void)run("", "--status");
    expect_system_takes_it();
    (void)run(stand_in, "--status");
    expect_said(served);
    (void)run("OCL_ICD_FORCE_LEGACY_TERMINATION=1 LD_LIBRARY_PATH=" STAND_IN,
            "--status");
    expect_said("takes the layer in by clInitLayer\n");
    (void)run(stand_in, "--status --json");
    expect_said("\"variable\": true");
    expect_said("\"entry\": \"clInitLayerWithProperties\"");
    expect_said("\"folder\": false");
}

TEST_C(RunLoaders, AreSilentWhenTheyServe)
{
    EXPECT_EQ(0, run("", "true"));
    expect_silence();
    EXPECT_EQ(0, run(stand_in, "true"));
    expect_silence();
    EXPECT_EQ(0, run(stand_in, "--debug true"));
    expect_said(" of true takes the layer in by clInitLayerWithProperties\n");
}

TEST_C(RunLoaders, AreNamedWhenTheyDoNot)
{
    EXPECT_EQ(0, run("STAND_IN_FATE=ignore LD_LIBRARY_PATH=" STAND_IN, "true"));
    expect_said("nothing will be kept: the loader " STAND_IN
                "/libOpenCL.so.1 of true ignores the layer; ");
    (void)run("STAND_IN_FATE=ignore LD_LIBRARY_PATH=" STAND_IN,
            "--status --json");
    expect_said("\"variable\": false");
    EXPECT_EQ(0, run("STAND_IN_FATE=die LD_LIBRARY_PATH=" STAND_IN, "true"));
    expect_said("cannot be used: it is ended by Aborted");
    EXPECT_EQ(0, run("STAND_IN_FATE=ignore LD_LIBRARY_PATH=" STAND_IN,
                         "--quiet true"));
    expect_silence();
    EXPECT_EQ(0, run("STAND_IN_FATE=ignore LD_LIBRARY_PATH=" STAND_IN,
                         "--off true"));
    expect_silence();
}

/* Where answers are kept. */
static void run_with_memory(const char *variables)
{
    char all[2 * text_size];
    (void)snprintf(all, sizeof all, "XDG_CACHE_HOME=%s LD_LIBRARY_PATH=%s %s",
            in_test("cache"), in_test("own"), variables);
    EXPECT_EQ(0, run(all, "true"));
}

static void make_known(void)
{
    run_with_memory("");
    expect_silence();
}

static bool is_silent(void)
{
    char *said = layer_process_read_file(in_test("said"));
    const bool is_empty = said != NULL && said[0] == '\0';
    free(said);
    return is_empty;
}

/* The stand-in obeys a variable that is in no key, so that a warning shows that
 * it was tried again. The key has folders of the system, in which others may
 * have changed something just now. */
static void expect_known(bool is_known, const char *variables)
{
    char all[text_size];
    (void)snprintf(all, sizeof all, "STAND_IN_FATE=ignore %s", variables);
    run_with_memory(all);
    for (int tries = 0; is_known && tries < 3 && !is_silent(); tries++) {
        (void)sleep(4);
        make_known();
        run_with_memory(all);
    }
    if (is_known)
        expect_silence();
    else
        expect_said("ignores the layer");
}

static void run_command(const char *format, const char *path)
{
    char command[2 * text_size];
    (void)snprintf(command, sizeof command, format, path);
    EXPECT_EQ(0, system(command));
}

TEST_C(RunLoaders, AreTriedOnceADayUnlessAnythingChanges)
{
    EXPECT_EQ(0, mkdir(in_test("own"), 0700));
    EXPECT_EQ(0, mkdir(in_test("cache"), 0700));
    run_command("cp " STAND_IN "/libOpenCL.so.1 %s/", in_test("own"));
    make_known();
    expect_known(false, ""); /* it was written just now */
    (void)sleep(4);
    make_known();
    expect_known(true, "");
    expect_known(false, "OPENCL_LAYER_X=1");
    expect_known(false, "OCL_ICD_X=1");
    expect_known(false, "DNNL_CACHE_FILE_DIGESTS=0");
    expect_known(false, "DNNL_CACHE_PRINT_DEBUG=1");
    expect_known(true, "");
    /* What is kept is this user's alone, and whole. */
    run_command("test -z \"$(find %s -type f -perm /077)\"", in_test("cache"));
    run_command("for f in %s/*/answer-*; do sed -i '1s/^./x/' $f; done",
            in_test("cache"));
    expect_known(false, "");
    make_known();
    expect_known(true, "");
    run_command("chmod go+w %s/dnnl_cache_loaders", in_test("cache"));
    expect_known(false, "");
    run_command("chmod go-w %s/dnnl_cache_loaders", in_test("cache"));
    expect_known(true, "");
    run_command("chmod go+r %s/*/answer-*", in_test("cache"));
    expect_known(false, "");
    make_known();
    expect_known(true, "");
    /* Another file of the same size and time. */
    run_command("cd %s && cp -p libOpenCL.so.1 x && mv x libOpenCL.so.1",
            in_test("own"));
    expect_known(false, "");
}

static void expect_found(bool is_found, const char *list, const char *program)
{
    char variables[2 * text_size];
    (void)snprintf(variables, sizeof variables,
            "XDG_CACHE_HOME=%s STAND_IN_FATE=ignore %s", in_test("cache"),
            list);
    EXPECT_EQ(0, run(variables, program));
    if (is_found)
        expect_said("ignores the layer");
    else
        expect_silence();
}

/* A loader that appears where the linker looks first: by the program's run
 * path, by $ORIGIN, and in a folder for a kind of processors. */
TEST_C(RunLoaders, ThatAppearAreFoundAtOnce)
{
    static const char *const folders[] = {"cache", "beside", "own", "list",
            "list/glibc-hwcaps", "list/glibc-hwcaps/x86-64-v2"};
    static const char by_origin[] = "LD_LIBRARY_PATH='$ORIGIN/own'";
    char by_kind[text_size + 32];
    char program[text_size];
    for (size_t i = 0; i < COUNT(folders); i++)
        EXPECT_EQ(0, mkdir(in_test(folders[i]), 0700));
    (void)snprintf(
            by_kind, sizeof by_kind, "LD_LIBRARY_PATH=%s", in_test("list"));
    (void)snprintf(program, sizeof program, "%s", in_test("program"));
    run_command("cp " PROGRAM_BESIDE " %s", program);
    (void)sleep(4);
    expect_found(false, "", program);
    expect_found(false, by_origin, program);
    expect_found(false, by_kind, program);
    run_command("cp " STAND_IN "/libOpenCL.so.1 %s", in_test("own"));
    expect_found(true, by_origin, program);
#ifdef __x86_64__
    run_command("cp " STAND_IN "/libOpenCL.so.1 %s",
            in_test("list/glibc-hwcaps/x86-64-v2"));
    expect_found(true, by_kind, program);
#endif
    run_command("cp " STAND_IN "/libOpenCL.so.1 %s", in_test("beside"));
    expect_found(true, "", program);
}

/* Ten seconds, and the command runs. */
TEST_C(RunLoaders, HaveLimitedTime)
{
    EXPECT_EQ(0, run("STAND_IN_FATE=hang LD_LIBRARY_PATH=" STAND_IN, "true"));
    expect_said("perhaps nothing will be kept");
    expect_said("no answer in ten seconds");
}

TEST_C(RunLoaders, AreFoundByTheProgramsRunPath)
{
    (void)run("", "--status " PROGRAM);
    expect_said(served);
    (void)run("", "--status true");
    expect_system_takes_it();
    /* A script's is that of its interpreter, env's that of what it finds. */
    FILE *script = fopen(in_test("script"), "w");
    EXPECT_NOT_NULL(script);
    (void)fprintf(script, "#!/usr/bin/env -S A=1 %s\nnothing\n", PROGRAM);
    (void)fclose(script);
    EXPECT_EQ(0, chmod(in_test("script"), 0700));
    char arguments[text_size + 16];
    (void)snprintf(
            arguments, sizeof arguments, "--status %s", in_test("script"));
    (void)run("", arguments);
    expect_said(served);
    EXPECT_EQ(0, run("STAND_IN_FATE=ignore", PROGRAM));
    expect_said("nothing will be kept: the loader " STAND_IN);
}

/* A virtual environment with a package that brings one, as wheels do. */
TEST_C(RunLoaders, AreFoundInPackagesOfPython)
{
    static const char *const folders[] = {"venv", "venv/bin", "venv/lib",
            "venv/lib/python3.99", "venv/lib/python3.99/site-packages",
            "venv/lib/python3.99/site-packages/a.libs",
            "venv/lib/python3.99/site-packages/b",
            "venv/lib/python3.99/site-packages/b/.libs"};
    char arguments[text_size + 16];
    for (size_t i = 0; i < COUNT(folders); i++)
        EXPECT_EQ(0, mkdir(in_test(folders[i]), 0700));
    EXPECT_EQ(0, symlink("/usr/bin/env", in_test("venv/bin/python3")));
    EXPECT_EQ(0, symlink(STAND_IN "/libOpenCL.so.1",
                         in_test("venv/lib/python3.99/site-packages/a.libs/"
                                 "libOpenCL-1234.so.1.0.0")));
    FILE *broken = fopen(in_test("venv/lib/python3.99/site-packages/b/.libs/"
                                 "libOpenCL-5678.so.1.0.0"),
            "w");
    EXPECT_NOT_NULL(broken);
    (void)fclose(broken);
    (void)snprintf(arguments, sizeof arguments, "--status %s",
            in_test("venv/bin/python3"));
    (void)run("", arguments);
    expect_said("loader of a package: ");
    expect_said(served);
    expect_said("libOpenCL-5678.so.1.0.0: cannot be used: ");
    (void)snprintf(arguments, sizeof arguments, "%s true",
            in_test("venv/bin/python3"));
    EXPECT_EQ(0, run("STAND_IN_FATE=ignore", arguments));
    expect_said(" of a package ignores the layer; ");
    (void)run("", "--status --json /usr/bin/env");
    expect_said("\"package_loaders\": []");
}

TEST_C(RunLoaders, MayBeMissing)
{
    FILE *empty = fopen(in_test("libOpenCL.so.1"), "w");
    EXPECT_NOT_NULL(empty);
    (void)fclose(empty);
    char variables[text_size + 32];
    (void)snprintf(variables, sizeof variables, "LD_LIBRARY_PATH=%s",
            test_directory());
    EXPECT_EQ(0, run(variables, "true"));
    expect_said("nothing will be kept");
}
