/* SPDX-License-Identifier: Apache-2.0 */
/* Where the compilers of drivers look that are known. */
#include "include_helpers.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct include_driver unknown = {"", false};
static const struct include_driver pocl = {"Portable Computing Language", true};
static const struct include_driver pocl_gpu = {
        "Portable Computing Language", false};
static const struct include_driver rusticl = {"rusticl", true};
static const struct include_driver oclgrind = {"Oclgrind", true};

static const char skipped[] = "#ifndef __OPENCL_VERSION__\n"
                              "#include \"a.h\"\n#include <b/c.h>\n#endif\n";

static bool follows(struct includes *out, const struct include_driver *driver,
        const char *options, const char *source)
{
    memset(out, 0, sizeof *out);
    return includes_follow(out, NULL, driver, 1, &source, NULL, options);
}

/* True if the file appears in the digest when it is there. */
static bool appearing_changes(const struct include_driver *driver,
        const char *path, const char *options, const char *source)
{
    struct includes without;
    struct includes with;
    EXPECT_TRUE(follows(&without, driver, options, source));
    put_file(path, "int x;\n");
    EXPECT_TRUE(follows(&with, driver, options, source));
    remove_file(path);
    return !same_digest(&without, &with);
}

TEST_FILES(IncludeDrivers, PoclMissesAFileAtEachPlace)
{
    struct includes includes;
    setenv("POCL_CACHE_DIR", "cache", 1);
    setenv("POCL_EXTRA_BUILD_FLAGS", "-Iextra", 1);
    EXPECT_TRUE(follows(&includes, &pocl, "-I inc", skipped));
    EXPECT_EQ(2, includes.count);
    static const char *const paths[] = {"a.h", "b/c.h", "inc/a.h", "inc/b/c.h",
            "extra/a.h", "extra/b/c.h", "cache/a.h"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        EXPECT_TRUE(appearing_changes(&pocl, paths[i], "-I inc", skipped));
    /* Names in brackets are not looked for beside the source. */
    EXPECT_FALSE(appearing_changes(&pocl, "cache/b/c.h", "-I inc", skipped));
    /* Nor are those of headers. */
    put_file("inc/d.h", "#include \"a.h\"\n");
    EXPECT_FALSE(appearing_changes(
            &pocl, "cache/a.h", "-Iinc", "#include \"d.h\"\n"));
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    unsetenv("POCL_CACHE_DIR");
}

TEST_C(IncludeDrivers, PoclsCacheIsWhereItsVariablesSay)
{
    const char *const source = "#include \"a.h\"\n";
    char *home = strdup(getenv("HOME") != NULL ? getenv("HOME") : "");
    char *cache = getenv("XDG_CACHE_HOME");
    cache = cache != NULL ? strdup(cache) : NULL;
    enter_files();
    unsetenv("POCL_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "xdg", 1);
    EXPECT_TRUE(appearing_changes(&pocl, "xdg/pocl/kcache/a.h", NULL, source));
    EXPECT_TRUE(appearing_changes(&pocl, "xdg/pocl/uncached/a.h", "", source));
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "home", 1);
    EXPECT_TRUE(appearing_changes(
            &pocl, "home/.cache/pocl/kcache/a.h", NULL, source));
    setenv("HOME", home, 1);
    if (cache != NULL) setenv("XDG_CACHE_HOME", cache, 1);
    free(home);
    free(cache);
    leave_files();
}

TEST_FILES(IncludeDrivers, OthersMissNothing)
{
    struct includes includes;
    EXPECT_FALSE(follows(&includes, &unknown, "", skipped));
    EXPECT_NOT_NULL(strstr(includes.reason, "not found"));
    EXPECT_FALSE(follows(&includes, &pocl_gpu, "", skipped));
    EXPECT_FALSE(follows(&includes, &oclgrind, "", skipped));
    /* No clang is in this process. */
    EXPECT_FALSE(follows(&includes, &rusticl, "", skipped));
}

TEST_FILES(IncludeDrivers, VariablesAddOptions)
{
    const char *const source = "#include \"a.h\"\n";
    struct includes includes;
    put_file("extra/a.h", "1");
    setenv("POCL_EXTRA_BUILD_FLAGS", "-w -Iextra", 1);
    EXPECT_TRUE(follows(&includes, &pocl, "-cl-mad-enable", source));
    EXPECT_EQ(1, includes.count);
    EXPECT_TRUE(follows(&includes, &unknown, NULL, source));
    /* They are another driver's. */
    EXPECT_FALSE(follows(&includes, &oclgrind, "", source));
    setenv("POCL_EXTRA_BUILD_FLAGS", "-imacros extra/a.h", 1);
    EXPECT_FALSE(follows(&includes, &pocl, "", "int x;\n"));
    EXPECT_TRUE(includes.is_options);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    setenv("OCLGRIND_BUILD_OPTIONS", "-Iextra", 1);
    EXPECT_TRUE(follows(&includes, &oclgrind, "", source));
    unsetenv("OCLGRIND_BUILD_OPTIONS");
}

/* rusticl reads this file before a source, from where it finds it first. */
TEST_FILES(IncludeDrivers, RusticlReadsAHeaderUnasked)
{
    struct includes includes;
    EXPECT_TRUE(follows(&includes, &rusticl, "-I inc", "int x;\n"));
    EXPECT_EQ(0, includes.count);
    EXPECT_TRUE(appearing_changes(
            &rusticl, "opencl-c-base.h", "-I inc", "int x;\n"));
    EXPECT_TRUE(appearing_changes(
            &rusticl, "inc/opencl-c-base.h", "-I inc", "int x;\n"));
    EXPECT_FALSE(appearing_changes(&pocl, "opencl-c-base.h", NULL, "int x;\n"));
}

/* Where C compilers' variables name folders, one that is not known may look. */
TEST_FILES(IncludeDrivers, FoldersOfCompilersAreNotTrusted)
{
    static const char *const variables[] = {
            "CPATH", "C_INCLUDE_PATH", "OBJC_INCLUDE_PATH"};
    struct includes includes;
    put_file("a.h", "1");
    put_file("inc/a.h", "1");
    put_file("env/a.h", "2");
    put_file("env/metal_stdlib", "2");
    for (size_t i = 0; i < 3; i++) {
        setenv(variables[i], "none:env", 1);
        EXPECT_FALSE(follows(&includes, &unknown, "", "#include \"a.h\"\n"));
        EXPECT_NOT_NULL(strstr(includes.reason, "env/a.h"));
        EXPECT_FALSE(
                follows(&includes, &unknown, "", "#include <metal_stdlib>\n"));
        EXPECT_TRUE(follows(&includes, &pocl, "", "#include \"a.h\"\n"));
        unsetenv(variables[i]);
    }
    EXPECT_TRUE(follows(&includes, &unknown, "", "#include \"a.h\"\n"));
}

/* What has #pragma once is read once, by whatever name; an equal file is
 * another. */
TEST_FILES(IncludeDrivers, LinksAreInTheDigest)
{
    const char *const source = "#include \"one/a.h\"\n#include \"two/b.h\"\n";
    const char text[] = "#pragma once\nint x;\n";
    put_file("one/a.h", text);
    put_file("two/b.h", text);
    const struct includes copies = follow(NULL, source);
    remove_file("two/b.h");
    ASSERT_EQ(0, link("one/a.h", "two/b.h"));
    const struct includes hard = follow(NULL, source);
    remove_file("two/b.h");
    ASSERT_EQ(0, symlink("../one/a.h", "two/b.h"));
    const struct includes soft = follow(NULL, source);
    EXPECT_FALSE(same_digest(&copies, &hard));
    EXPECT_FALSE(same_digest(&copies, &soft));
    EXPECT_TRUE(same_digest(&hard, &soft));
}

TEST_FILES(IncludeDrivers, LinksInOneFolderAreInTheDigest)
{
    const char *const source = "#include \"a.h\"\n#include \"b.h\"\n";
    const char text[] = "#pragma once\nint x;\n";
    put_file("a.h", text);
    put_file("b.h", text);
    const struct includes copies = follow(NULL, source);
    remove_file("b.h");
    ASSERT_EQ(0, link("a.h", "b.h"));
    const struct includes hard = follow(NULL, source);
    EXPECT_FALSE(same_digest(&copies, &hard));
}

TEST_FILES(IncludeDrivers, PrecompiledHeadersAreNotTrusted)
{
    put_file("inc/a.h", "1");
    EXPECT_EQ(1, follow("-I inc -include a.h", "int x;\n").count);
    put_file("inc/a.h.pch", "1");
    EXPECT_TRUE(refuses("a.h.pch", "-I inc -include a.h", "int x;\n"));
    remove_file("inc/a.h.pch");
    ASSERT_EQ(0, mkdir("a.h.gch", 0700));
    EXPECT_TRUE(refuses("a.h.gch", "-I inc -include a.h", "int x;\n"));
    EXPECT_EQ(1, follow("-I inc", "#include \"a.h\"\n").count);
}
