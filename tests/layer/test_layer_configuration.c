/* SPDX-License-Identifier: Apache-2.0 */
/* Settings in files, and the lists of applications. */
#include "layer/settings/settings.h"
#include "layer_process.h"
#include "test.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/configuration.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Variables for one reading, and what was said about them. */
struct said {
    const char *variables[4][2];
    unsigned reports;
    char report[2 * configuration_path_size];
};

static const char *get(void *user, const char *name)
{
    const struct said *said = user;
    for (size_t i = 0; i < 4 && said->variables[i][0] != NULL; i++)
        if (strcmp(said->variables[i][0], name) == 0)
            return said->variables[i][1];
    return NULL;
}

static void note(void *user, const char *text)
{
    struct said *said = user;
    said->reports++;
    (void)snprintf(said->report, sizeof said->report, "%s", text);
}

static void write_file(
        const char *path, mode_t mode, const char *text, size_t size)
{
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(size, fwrite(text, 1, size, file));
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, chmod(path, mode));
}

static struct configuration *read_one(struct said *said, const char *path)
{
    const struct configuration_reader reader = {get, note, said};
    said->reports = 0;
    said->report[0] = '\0';
    return configuration_read_file(&reader, path, false);
}

/* test.h finds no two NULLs alike. */
static const char *or_none(const char *text)
{
    return text != NULL ? text : "none";
}

/* The value of DNNL_CACHE_MAX_SIZE that a file of this text gives. */
static void expect_size(
        const char *expected, unsigned reports, const char *text, size_t size)
{
    struct said said = {.reports = 0};
    const char *path = in_test("layer.conf");
    write_file(path, 0600, text, size);
    struct configuration *files = read_one(&said, path);
    EXPECT_STR_EQ(or_none(expected),
            or_none(configuration_get(files, "DNNL_CACHE_MAX_SIZE", NULL)));
    EXPECT_EQ(reports, said.reports);
    if (reports > 0) EXPECT_NOT_NULL(strstr(said.report, path));
    configuration_free(files);
}

#define TEXT(text) text, sizeof text - 1

TEST_C(Configuration, ReadsNamesAndValues)
{
    expect_size("5", 0, TEXT("DNNL_CACHE_MAX_SIZE=5"));
    expect_size("5 6", 0, TEXT("# x\n\n \t DNNL_CACHE_MAX_SIZE \t= 5 6 \r\n"));
    expect_size("a=b#c", 0, TEXT("DNNL_CACHE_MAX_SIZE = a=b#c\n"));
    expect_size(
            "2", 0, TEXT("DNNL_CACHE_MAX_SIZE = 1\nDNNL_CACHE_MAX_SIZE = 2\n"));
    expect_size(NULL, 0, TEXT("DNNL_CACHE_MAX_SIZE =\n"));
    expect_size(NULL, 0, TEXT(""));
}

TEST_C(Configuration, IgnoresOneLineOfAnUnknownName)
{
    expect_size("5", 1, TEXT("FUTURE = 1\nDNNL_CACHE_MAX_SIZE = 5\n"));
    expect_size(
            "5", 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\nDNNL_CACHE_RECORD = /r"));
    expect_size("5", 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\nHOME = /h"));
}

TEST_C(Configuration, IgnoresAFileThatCannotBeParsed)
{
    expect_size(NULL, 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\nwhat\n"));
    expect_size(NULL, 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\n= 7\n"));
    expect_size(NULL, 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\n\0"));
    expect_size(NULL, 1, TEXT("DNNL_CACHE_MAX_SIZE = 5\n#\x1b[2J\n"));
    expect_size(NULL, 1, TEXT("export DNNL_CACHE_MAX_SIZE=5\n"));
}

TEST_C(Configuration, SaysInWhichLine)
{
    struct said said = {.reports = 0};
    write_file(in_test("layer.conf"), 0600, TEXT("#\n\nDNNL_CACHE_DIR\n"));
    configuration_free(read_one(&said, in_test("layer.conf")));
    EXPECT_NOT_NULL(strstr(said.report, "ignored: line 3: expected NAME"));
}

/* What a file must not be: each is reported, and nothing of it is used. */
static void expect_refused(const char *path, const char *why)
{
    struct said said = {.reports = 0};
    struct configuration *files = read_one(&said, path);
    EXPECT_NULL(configuration_get(files, "DNNL_CACHE_MAX_SIZE", NULL));
    EXPECT_EQ(why != NULL, said.reports);
    if (why != NULL && strstr(said.report, why) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", why, said.report);
    configuration_free(files);
}

static const char good[] = "DNNL_CACHE_MAX_SIZE = 5\n";

TEST_C(Configuration, RefusesWhatOthersMayWriteTo)
{
    EXPECT_EQ(0, mkdir(in_test("safe"), 0700));
    EXPECT_EQ(0, mkdir(in_test("open"), 0700));
    EXPECT_EQ(0, chmod(in_test("open"), 0777));
    write_file(in_test("safe/all"), 0606, TEXT(good));
    write_file(in_test("safe/group"), 0660, TEXT(good));
    write_file(in_test("safe/good"), 0644, TEXT(good));
    write_file(in_test("open/good"), 0644, TEXT(good));
    expect_refused(in_test("safe/all"), "other users may write to it");
    expect_refused(in_test("safe/group"), "other users may write to it");
    expect_refused(in_test("open/good"), "other users may write to it");
    /* A link leads to a file, which is looked at itself. */
    EXPECT_EQ(0, symlink("all", in_test("safe/link")));
    expect_refused(in_test("safe/link"), "other users may write to it");
    EXPECT_EQ(0, unlink(in_test("safe/link")));
    EXPECT_EQ(0, symlink("good", in_test("safe/link")));
    struct said said = {.reports = 0};
    struct configuration *files = read_one(&said, in_test("safe/link"));
    EXPECT_STR_EQ("5", configuration_get(files, "DNNL_CACHE_MAX_SIZE", NULL));
    EXPECT_EQ(0, said.reports);
    configuration_free(files);
    if (geteuid() != 0) return;
    EXPECT_EQ(0, chown(in_test("safe/good"), 4711, 4711));
    expect_refused(in_test("safe/good"), "belongs to another user");
    EXPECT_EQ(0, chown(in_test("safe/good"), 0, 0));
    EXPECT_EQ(0, chown(in_test("safe"), 4711, 4711));
    expect_refused(in_test("safe/good"), "belongs to another user");
}

TEST_C(Configuration, RefusesWhatIsNoSmallFile)
{
    write_file(in_test("large"), 0600, TEXT(good));
    EXPECT_EQ(0, truncate(in_test("large"), 1 << 30));
    expect_refused(in_test("large"), "larger than 65536 bytes");
    EXPECT_EQ(0, mkfifo(in_test("pipe"), 0600));
    expect_refused(in_test("pipe"), "not a regular file");
    EXPECT_EQ(0, mkdir(in_test("folder"), 0700));
    expect_refused(in_test("folder"), "not a regular file");
}

TEST_C(Configuration, SaysNothingOfWhatIsNotThere)
{
    expect_refused(in_test("missing"), NULL);
    expect_refused(in_test("missing/layer.conf"), NULL);
    EXPECT_EQ(0, symlink("loop", in_test("loop")));
    expect_refused(in_test("loop"), NULL);
    write_file(in_test("file"), 0600, TEXT(good));
    expect_refused(in_test("file/layer.conf"), NULL);
}

/* ---- Which file ---------------------------------------------------------- */

static char *size_with(struct said *said)
{
    const struct configuration_reader reader = {get, note, said};
    struct configuration *files = configuration_read(&reader);
    const char *value = configuration_get(files, "DNNL_CACHE_MAX_SIZE", NULL);
    char *copy = value != NULL ? strdup(value) : NULL;
    configuration_free(files);
    return copy;
}

static void expect_size_with(const char *expected, unsigned reports,
        const char *config, const char *xdg, const char *home)
{
    struct said said = {.variables = {{"DNNL_CACHE_CONFIG", config},
                                {"XDG_CONFIG_HOME", xdg}, {"HOME", home}}};
    char *size = size_with(&said);
    EXPECT_STR_EQ(or_none(expected), or_none(size));
    EXPECT_EQ(reports, said.reports);
    free(size);
}

TEST_C(Configuration, IsWhereTheVariablesSay)
{
    static const char *const folders[] = {"home", "home/.config",
            "home/.config/dnnl_cache", "xdg", "xdg/dnnl_cache"};
    char home[PATH_MAX];
    char xdg[PATH_MAX];
    char file[PATH_MAX];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        EXPECT_EQ(0, mkdir(in_test(folders[i]), 0700));
    (void)snprintf(home, sizeof home, "%s", in_test("home"));
    (void)snprintf(xdg, sizeof xdg, "%s", in_test("xdg"));
    (void)snprintf(file, sizeof file, "%s", in_test("third"));
    write_file(in_test("home/.config/dnnl_cache/layer.conf"), 0600,
            TEXT("DNNL_CACHE_MAX_SIZE = 1\n"));
    write_file(in_test("xdg/dnnl_cache/layer.conf"), 0600,
            TEXT("DNNL_CACHE_MAX_SIZE = 2\n"));
    write_file(file, 0600, TEXT("DNNL_CACHE_MAX_SIZE = 3\n"));
    expect_size_with("1", 0, NULL, NULL, home);
    expect_size_with("2", 0, NULL, xdg, home);
    expect_size_with("2", 0, "1", xdg, home);
    expect_size_with("1", 0, "", "relative", home);
    expect_size_with("3", 0, file, xdg, home);
    expect_size_with(NULL, 0, "0", xdg, home);
    expect_size_with("2", 1, "yes", xdg, home);
    expect_size_with(NULL, 0, in_test("missing"), xdg, home);
}

/* ---- Applications -------------------------------------------------------- */

TEST_C(Applications, AreNamedByNameOrPath)
{
    static const char path[] = "/usr/bin/my app";
    EXPECT_TRUE(applications_name("my app", path));
    EXPECT_TRUE(applications_name("x::my app:y", path));
    EXPECT_TRUE(applications_name("my*", path));
    EXPECT_TRUE(applications_name("[lm]y?app", path));
    EXPECT_TRUE(applications_name("/usr/bin/my app", path));
    EXPECT_TRUE(applications_name("/usr/*", path));
    EXPECT_TRUE(applications_name("*/my app", path));
    EXPECT_FALSE(applications_name(NULL, path));
    EXPECT_FALSE(applications_name("", path));
    EXPECT_FALSE(applications_name(":::", path));
    EXPECT_FALSE(applications_name("my", path));
    EXPECT_FALSE(applications_name("my app2", path));
    EXPECT_FALSE(applications_name("usr", path));
    EXPECT_FALSE(applications_name("/bin/my app", path));
    EXPECT_TRUE(applications_name("a[b", "/x/a[b")); /* not a pattern */
    EXPECT_TRUE(applications_name("a\nb", "/x/a\nb"));
    char longer[2 * PATH_MAX];
    memset(longer, '*', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    EXPECT_FALSE(applications_name(longer, path));
}

TEST_C(Applications, AreAdmittedIfAllowedAndNotDenied)
{
    EXPECT_TRUE(applications_admit(NULL, NULL, "/bin/a"));
    EXPECT_TRUE(applications_admit("", "", "/bin/a"));
    EXPECT_TRUE(applications_admit("a:b", NULL, "/bin/a"));
    EXPECT_FALSE(applications_admit("b", NULL, "/bin/a"));
    EXPECT_FALSE(applications_admit(NULL, "a", "/bin/a"));
    EXPECT_FALSE(applications_admit("a", "a", "/bin/a"));
    EXPECT_FALSE(applications_admit(":", NULL, "/bin/a"));
    EXPECT_TRUE(applications_admit(NULL, ":", "/bin/a"));
}

/* ---- A process ----------------------------------------------------------- */

static int exit_with_settings(void *user)
{
    const struct layer_settings *s = layer_settings();
    (void)user;
    return (layer_settings_is_on(s) ? 1 : 0) + (s->statistics.on ? 2 : 0)
           + (s->max_size == 5 ? 4 : 0);
}

static char *config_variable(const char *text)
{
    char *variable;
    write_file(in_test("layer.conf"), 0600, text, strlen(text));
    EXPECT_TRUE(
            asprintf(&variable, "DNNL_CACHE_CONFIG=%s", in_test("layer.conf"))
            > 0);
    return variable;
}

static void expect_settings(int expected, const char *text,
        const char *variable, const char *complaint)
{
    char *config = config_variable(text);
    const char *variables[] = {config, variable, NULL};
    char *said = NULL;
    EXPECT_EQ(expected,
            layer_process_listen(&said, variables, exit_with_settings, NULL));
    ASSERT_NOT_NULL(said);
    if (complaint == NULL)
        EXPECT_STR_EQ("", said);
    else if (strstr(said, complaint) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", complaint, said);
    free(said);
    free(config);
}

TEST_C(LayerProcess, TakesSettingsFromAFile)
{
    expect_settings(1 + 2 + 4,
            "DNNL_CACHE_STATS = /dev/null\nDNNL_CACHE_MAX_SIZE = 5\n", NULL,
            NULL);
    expect_settings(
            1 + 4, "DNNL_CACHE_MAX_SIZE = 5\n", "DNNL_CACHE_MAX_SIZE=", NULL);
    expect_settings(
            1, "DNNL_CACHE_MAX_SIZE = 5\n", "DNNL_CACHE_MAX_SIZE=6", NULL);
    expect_settings(1, "DNNL_CACHE_MAX_SIZE = five\n", NULL, "(in /");
    expect_settings(1, "DNNL_CACHE_MAX_SIZE = 5\n", "DNNL_CACHE_MAX_SIZE=five",
            "five: expected");
    expect_settings(1, "DNNL_CACHE_MAX_SIZE = 5\nx\n", NULL, "ignored");
}

/* This program is test_layer_parts. */
TEST_C(LayerProcess, IsOffWhereItIsDenied)
{
    expect_settings(
            0, "DNNL_CACHE_APPLICATIONS_DENY = x:test_layer_*\n", NULL, NULL);
    expect_settings(0, "DNNL_CACHE_APPLICATIONS_ALLOW = x\n", NULL, NULL);
    expect_settings(1, "DNNL_CACHE_APPLICATIONS_ALLOW = test_layer_parts\n",
            NULL, NULL);
    expect_settings(
            0, "", "DNNL_CACHE_APPLICATIONS_DENY=*/test_layer_parts", NULL);
    expect_settings(1, "DNNL_CACHE_APPLICATIONS_DENY = *\n",
            "DNNL_CACHE_APPLICATIONS_DENY=:", NULL);
    expect_settings(0,
            "DNNL_CACHE_APPLICATIONS_DENY = *\nDNNL_CACHE_PRINT_DEBUG = 1\n",
            NULL, "is in DNNL_CACHE_APPLICATIONS_DENY");
}
