/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a driver's compiler and linker read: another content is another
 * identity, and so is a file that would be found first. The fake driver has the
 * name of a driver that reads them; each look is a process of its own.
 */
#include "identity_process.h"

#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

enum { path_size = 512, most_variables = 8 };

/* ---- Files of a test ------------------------------------------------------
 */

static void write_file(const char *name, const char *text)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s", in_test(name));
    for (char *slash = path + strlen(test_directory()) + 1;
            (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ASSERT_NOT_NULL(file);
    EXPECT_TRUE(fputs(text, file) >= 0);
    EXPECT_EQ(0, fclose(file));
}

static void copy_file(const char *from, const char *name)
{
    char buffer[4096];
    size_t n;
    write_file(name, "");
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(in_test(name), "wb");
    ASSERT_TRUE(in != NULL && out != NULL);
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        EXPECT_EQ(n, fwrite(buffer, 1, n, out));
    fclose(in);
    EXPECT_EQ(0, fclose(out));
}

static void write_program(const char *name, const char *text)
{
    write_file(name, text);
    EXPECT_EQ(0, chmod(in_test(name), 0700));
}

/* ---- What a process says --------------------------------------------------
 */

/* Variables of the processes; the first one names the driver. */
static char variables[most_variables][path_size];
static const char *environment[most_variables + 1];

static void set_variable(size_t i, const char *name, const char *value)
{
    snprintf(variables[i], path_size, "%s=%s", name, value);
    environment[i] = variables[i];
}

/* The fake driver, under a name that another driver's object has. */
static void install(const char *name)
{
    char text[path_size];
    memset(environment, 0, sizeof environment);
    copy_file(FAKE_DRIVER, name);
    snprintf(text, sizeof text, "%s\n", in_test(name));
    write_file("fake.icd", text);
    set_variable(0, "OCL_ICD_VENDORS", test_directory());
}

static struct identity before;

static void look(void)
{
    identity_fini(&before);
    identity_init(&before, environment, NULL);
    EXPECT_GT(before.engine.size, 0);
    EXPECT_GT(before.program.size, 0);
    if (test_has_failed()) printf("%s", before.output);
}

/* Since the last look these ingredients have changed. */
static void expect_changed(const char *names)
{
    struct identity now;
    identity_init(&now, environment, NULL);
    EXPECT_GT(now.engine.size, 0);
    if (!test_has_failed()) {
        expect_id_diff(names, &before.engine, &now.engine);
        expect_id_diff(names, &before.program, &now.program);
    }
    identity_fini(&before);
    before = now;
}

static void expect_new_driver(void)
{
    expect_changed("driver_components");
}

/* ---- Oclgrind -------------------------------------------------------------
 */

TEST_C(IdentityFiles, OclgrindsPrecompiledHeaderBesideItsLibraryCounts)
{
    static const char *const places[] = {
            "opencl-c-1.2-64.pch", "oclgrind/21.10/opencl-c-2.0-64.pch"};
    install("liboclgrind-rt-icd.so");
    look();
    for (size_t i = 0; i < COUNT(places); i++) {
        write_file(places[i], "one");
        expect_new_driver();
        write_file(places[i], "two");
        expect_new_driver();
    }
    write_file("unrelated.pch", "one");
    expect_changed("");
    identity_fini(&before);
}

TEST_C(IdentityFiles, OclgrindsPrecompiledHeaderInAChosenFolderCounts)
{
    install("liboclgrind-rt-icd.so");
    write_file("chosen/opencl-c-1.2-64.pch", "one");
    set_variable(1, "OCLGRIND_PCH_DIR", in_test("chosen"));
    look();
    write_file("chosen/opencl-c-1.2-64.pch", "two");
    expect_new_driver();
    identity_fini(&before);
    set_variable(1, "OCLGRIND_PCH_DIR", "chosen");
    identity_init(&before, environment, NULL);
    EXPECT_EQ(0, before.engine.size);
    EXPECT_TRUE(identity_says(&before, "engine_reason", "OCLGRIND_PCH_DIR"));
    identity_fini(&before);
}

/* ---- Mesa -----------------------------------------------------------------
 */

TEST_C(IdentityFiles, ClangsHeadersCountForRusticl)
{
    static const char *const places[] = {"clang/15/include/opencl-c-base.h",
            "clang/15.0.6/include/opencl-c-base.h",
            "clang/15/include/opencl-c.h"};
    install("libRusticlOpenCL-fake.so");
    look();
    for (size_t i = 0; i < COUNT(places); i++) {
        write_file(places[i], "one");
        expect_new_driver();
        write_file(places[i], "two");
        expect_new_driver();
    }
    write_file("clang/15/include/arm_neon.h", "one");
    expect_changed("");
    identity_fini(&before);
}

/* ---- PoCL's linker --------------------------------------------------------
 */

static void install_pocl(void)
{
    char path[path_size];
    install("libpocl-fake.so");
    snprintf(path, sizeof path, "%.200s:%.200s", in_test("first"),
            in_test("second"));
    set_variable(1, "PATH", path);
    set_variable(2, "LIBRARY_PATH", path);
    set_variable(3, "COMPILER_PATH", in_test("compiler"));
    write_program("second/ld", "one");
}

TEST_C(IdentityFiles, LinkerOfThePathCounts)
{
    install_pocl();
    look();
    write_program("second/ld", "two");
    expect_new_driver();
    write_program("first/ld", "three");
    expect_new_driver();
    write_program("second/ld", "behind the first one");
    expect_changed("");
    write_file("first/ld.lld", "not used where there is ld");
    expect_changed("");
    write_program("compiler/ld", "four");
    expect_new_driver();
    identity_fini(&before);
}

TEST_C(IdentityFiles, FileThatCannotBeExecutedIsNotTheLinker)
{
    install_pocl();
    write_file("first/ld", "one");
    look();
    write_file("first/ld", "two");
    expect_changed("");
    EXPECT_EQ(0, chmod(in_test("first/ld"), 0700));
    expect_new_driver();
    identity_fini(&before);
}

#if defined(__x86_64__)
TEST_C(IdentityFiles, LinkerOfTheMachinesNameCounts)
{
    install_pocl();
    look();
    write_program("second/x86_64-pc-linux-gnu-ld", "one");
    expect_new_driver();
    write_program("first/x86_64-pc-linux-gnu-ld", "two");
    expect_new_driver();
    write_program("second/aarch64-linux-gnu-ld", "another machine's");
    expect_changed("");
    identity_fini(&before);
}
#endif

TEST_C(IdentityFiles, WhatTheLinkerLinksCounts)
{
    install_pocl();
    copy_file(LINKING_OBJECT, "first/ld");
    EXPECT_EQ(0, chmod(in_test("first/ld"), 0700));
    copy_file(LINKED_OBJECT, "first/libfake_compiler.so");
    look();
    copy_file(OTHER_LINKED_OBJECT, "first/libfake_compiler.so");
    expect_new_driver();
    /* By LD_LIBRARY_PATH, which comes before DT_RUNPATH. */
    set_variable(4, "LD_LIBRARY_PATH", in_test("libraries"));
    expect_changed("");
    copy_file(LINKED_OBJECT, "libraries/libfake_compiler.so");
    expect_new_driver();
    write_file("libraries/libfake_compiler.so", "nothing that can be loaded");
    expect_new_driver(); /* what is in DT_RUNPATH again */
    identity_fini(&before);
}

TEST_C(IdentityFiles, LibrariesThatAreLinkedIntoBinariesCount)
{
    static const char *const names[] = {
            "libgcc.a", "libc.a", "libm.so", "libc_nonshared.a", "crti.o"};
    install_pocl();
    look();
    for (size_t i = 0; i < COUNT(names) && !test_has_failed(); i++) {
        char name[64];
        snprintf(name, sizeof name, "second/%s", names[i]);
        write_file(name, "one");
        expect_new_driver();
        write_file(name, "two");
        expect_new_driver();
        snprintf(name, sizeof name, "first/%s", names[i]);
        write_file(name, "three");
        expect_new_driver();
        if (test_has_failed()) printf("%s\n", name);
    }
    write_file("first/libother.a", "not linked");
    expect_changed("");
    identity_fini(&before);
}

TEST_C(IdentityFiles, FilesThatALinkersScriptNamesCount)
{
    char text[path_size];
    install_pocl();
    snprintf(text, sizeof text,
            "/* script */\nGROUP ( %s AS_NEEDED(/none.a))\n",
            in_test("named/libmine.a"));
    write_file("first/libm.so", text);
    look();
    write_file("named/libmine.a", "one");
    expect_new_driver();
    write_file("named/libmine.a", "two");
    expect_new_driver();
    write_file("first/libm.so", "GROUP ( libbeside.so.1 -lthere )\n");
    look();
    static const char *const beside[] = {
            "first/libbeside.so.1", "first/libthere.a", "first/libthere.so"};
    for (size_t i = 0; i < COUNT(beside); i++) {
        write_file(beside[i], "one");
        expect_new_driver();
        write_file(beside[i], "two");
        expect_new_driver();
    }
    write_file("first/libother.so", "not named");
    expect_changed("");
    identity_fini(&before);
}

/* With a folder of the test's as /etc, from here on. */
static bool take_own_settings(void)
{
    write_file("etc/env.d/none", "");
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount(in_test("etc"), "/etc", NULL, MS_BIND, NULL) == 0;
}

TEST_C(IdentityFiles, GccThatGentoosSettingsChooseCounts)
{
    char text[path_size];
    if (!take_own_settings()) {
        test_skip(__FILE__, __LINE__, "needs the right to mount");
        return;
    }
    install_pocl();
    look();
    write_file("etc/env.d/gcc/config-x86_64-pc-linux-gnu",
            "CURRENT=x86_64-pc-linux-gnu-12\n");
    expect_new_driver();
    write_file("etc/env.d/gcc/config-x86_64-pc-linux-gnu",
            "CURRENT=x86_64-pc-linux-gnu-11\n");
    expect_new_driver();
    snprintf(text, sizeof text, "LDPATH=\"/usr/lib/gcc/none:%s\"\n",
            in_test("chosen"));
    write_file("etc/env.d/gcc/x86_64-pc-linux-gnu-11", text);
    expect_new_driver();
    write_file("chosen/libgcc.a", "one");
    expect_new_driver();
    write_file("chosen/libgcc.a", "two");
    expect_new_driver();
    EXPECT_EQ(0, umount("/etc"));
    identity_fini(&before);
}

TEST_C(IdentityFiles, ProgramsThatPoclIsToldToStartCount)
{
    install_pocl();
    write_program("tools/clang", "one");
    look();
    set_variable(4, "POCL_PATH_CLANG", in_test("tools/clang"));
    expect_changed("driver_environment, driver_components");
    write_program("tools/clang", "two");
    expect_new_driver();
    identity_fini(&before);
}

/* Other drivers start no linker: their IDs do not depend on the path. */
TEST_C(IdentityFiles, LinkersDoNotCountForOtherDrivers)
{
    install("libother-fake.so");
    set_variable(1, "PATH", in_test("first"));
    look();
    write_program("first/ld", "one");
    write_file("opencl-c-1.2-64.pch", "one");
    write_file("clang/15/include/opencl-c-base.h", "one");
    expect_changed("");
    set_variable(1, "PATH", in_test("second"));
    expect_changed("");
    identity_fini(&before);
}
