/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blob IDs of engines. What they are made of: test_identity.c. */
#include "bytes.h"
#include "dnnl_cache/sys/layer.h"
#include "log_capture.h"
#include "rig.h"

#include "test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

TEST_RIG(EngineId, NeedsNoEngineAndNoContext)
{
    unsigned long contexts = fake_opencl_count("clCreateContext");
    struct bytes id = engine_id(rig_device(0));
    EXPECT_GT(id.size, 0);
    EXPECT_EQ(contexts, fake_opencl_count("clCreateContext"));
    bytes_free(&id);
}

TEST_RIG(EngineId, BuildsNothing)
{
    struct bytes id = engine_id(rig->device);
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_builds());
    bytes_free(&id);
}

TEST_RIG(EngineId, FollowsTheRuleOfSizes)
{
    expect_size_query(query_engine_id, rig->device);
}

TEST_RIG(EngineId, StaysTheSame)
{
    struct bytes first = engine_id(rig->device);
    struct bytes blob = engine_blob(rig->engine); /* probes */
    struct bytes second = engine_id(rig->device);
    EXPECT_TRUE(bytes_equal(&first, &second));
    bytes_free(&first);
    bytes_free(&second);
    bytes_free(&blob);
}

TEST_RIG(EngineId, OfASubDeviceIsItsParents)
{
    cl_device_id half = sub_device_create(rig->device);
    struct bytes whole_id = engine_id(rig->device);
    struct bytes half_id = engine_id(half);
    EXPECT_TRUE(bytes_equal(&whole_id, &half_id));
    bytes_free(&whole_id);
    bytes_free(&half_id);
    clReleaseDevice(half);
}

TEST_C(EngineId, DiffersBetweenDevices)
{
    struct rig rig;
    fake_opencl_set("DEVICES", "3");
    fake_opencl_set("DEVICE_NAME_2", "Another");
    rig_open(&rig, 0);
    struct bytes one = engine_id(rig.device);
    struct bytes other = engine_id(rig_device(2));
    expect_id_diff("device_name", &one, &other);
    bytes_free(&one);
    bytes_free(&other);
    rig_close(&rig);
}

/* ---- What is in it ------------------------------------------------------- */

static void expect_field_of_device(const char *name, const char *value)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes id = engine_id(rig.device);
    expect_id_field(&id, name, value);
    bytes_free(&id);
    rig_close(&rig);
}

TEST_C(EngineId, HasTheDriversVersion)
{
    expect_field_of_device("driver_version", "1.0");
}

TEST_C(EngineId, HasTheLibrarysVersion)
{
    expect_field_of_device("library_version", dnnl_cache_version());
}

TEST_C(EngineId, HasTheDevicesName)
{
    expect_field_of_device("device_name", "Fake GPU");
}

TEST_C(EngineId, HasThePlatformsName)
{
    expect_field_of_device("platform_name", "Fake OpenCL");
}

enum { hash_size = 64 };

/* A line of 40 hexadecimal digits. */
static bool is_hash(const char *line)
{
    return strspn(line, "0123456789abcdef") == 40 && line[40] == '\n';
}

/* The commit that is checked out, if the source is a repository's top. */
static bool ask_git(char hash[hash_size])
{
    char top[hash_size] = "";
    char line[hash_size] = "";
    FILE *git = popen("git -C '" SOURCE_DIR
                      "' rev-parse --show-cdup HEAD 2>/dev/null",
            "r");
    if (git == NULL) return false;
    const bool is_told = fgets(top, sizeof top, git) != NULL
                         && fgets(line, sizeof line, git) != NULL;
    (void)pclose(git);
    if (!is_told || top[0] != '\n' || !is_hash(line)) return false;
    (void)snprintf(hash, hash_size, "%.40s", line);
    return true;
}

/* The commit that "git archive" wrote into what it made. */
static bool ask_archive(char hash[hash_size])
{
    char line[hash_size];
    bool is_told = false;
    FILE *file = fopen(SOURCE_DIR "/cmake/commit.txt", "r");
    if (file == NULL) return false;
    while (!is_told && fgets(line, sizeof line, file) != NULL)
        is_told = is_hash(line);
    (void)fclose(file);
    if (is_told) (void)snprintf(hash, hash_size, "%.40s", line);
    return is_told;
}

/* When it last became another one; 0: not known. */
static time_t time_of_head(void)
{
    char path[512] = "";
    struct stat st;
    FILE *git = popen("git -C '" SOURCE_DIR
                      "' rev-parse --git-path logs/HEAD 2>/dev/null",
            "r");
    if (git == NULL) return 0;
    if (fgets(path, sizeof path, git) == NULL) path[0] = '\0';
    (void)pclose(git);
    path[strcspn(path, "\n")] = '\0';
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "%s%s",
            path[0] == '/' ? "" : SOURCE_DIR "/", path);
    return stat(whole, &st) == 0 ? st.st_mtime : 0;
}

/* Has another commit been checked out, or one been made, since the library was
 * linked? */
static bool is_built_before_head(void)
{
    struct stat library;
    Dl_info info;
    const dnnl_version_t *(*const function)(void) = dnnl_version;
    const void *address = NULL;
    memcpy(&address, &function, sizeof address);
    return dladdr(address, &info) != 0 && stat(info.dli_fname, &library) == 0
           && time_of_head() > library.st_mtime;
}

TEST_C(EngineId, HasTheLibrarysHash)
{
    char hash[hash_size];
    const bool is_repository = ask_git(hash);
    expect_field_of_device("library_source_digest", NULL);
    expect_field_of_device("library_git_hash", dnnl_version()->hash);
    if (!is_repository && !ask_archive(hash))
        SKIP_TEST("neither git nor cmake/commit.txt tells the commit");
    if (is_repository && strcmp(hash, dnnl_version()->hash) != 0
            && is_built_before_head())
        SKIP_TEST("another commit is checked out than was built: build again");
    EXPECT_STR_EQ(hash, dnnl_version()->hash);
    expect_field_of_device("library_git_hash", hash);
}

/* ---- Without an identity ------------------------------------------------- */

TEST_C(EngineId, IsEmptyWithoutAnIdentity)
{
    struct rig rig;
    uint8_t byte = 0xa5;
    size_t size = 1;
    rig_open_unidentified(&rig);
    EXPECT_OK(
            dnnl_ocl_interop_engine_get_cache_blob_id(rig.device, &size, NULL));
    EXPECT_EQ(0, size);
    size = 1;
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob_id(
            rig.device, &size, &byte));
    EXPECT_EQ(0, size);
    EXPECT_EQ(0xa5, byte);
    rig_close(&rig);
}

/* In the log once, however often it is tried; no other test of this process
 * lets this query fail. */
TEST_C(EngineId, MissingIsExplained)
{
    struct rig rig;
    struct log_capture log;
    fake_opencl_set("DEVICES", "2");
    fake_opencl_set("OPENCL_C_VERSION_1", "!-5");
    rig_open(&rig, 1);
    for (int i = 0; i < 3; i++) {
        dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
        log_capture_start(&log);
        EXPECT_OK(dnnl_cache_engine_get_creation_info(rig.engine, &info));
        EXPECT_NOT_NULL(strstr(info.not_cacheable_reason, "opencl_c_version"));
        EXPECT_EQ(i == 0, log_capture_has(&log, dnnl_cache_log_warning,
                                  "opencl_c_version"));
        log_capture_stop(&log);
    }
    rig_close(&rig);
}

TEST_C(EngineId, MissingIsTriedAgain)
{
    struct rig rig;
    fake_opencl_set("DEVICES", "5");
    rig_open(&rig, 4);
    fake_opencl_set("DRIVER_VERSION_4", "!-5");
    struct bytes none = engine_id(rig.device);
    EXPECT_EQ(0, none.size);
    fake_opencl_set("DRIVER_VERSION_4", NULL);
    struct bytes some = engine_id(rig.device);
    EXPECT_GT(some.size, 0);
    bytes_free(&some);
    rig_close(&rig);
}

/* The parts of the fake driver: itself and libc at least, and each counts. */
TEST_RIG(EngineId, DriverPartsAreToldLineByLine)
{
    size_t size = 0;
    size_t again;
    EXPECT_OK(dnnl_cache_device_get_driver_parts(rig->device, &size, NULL));
    ASSERT_TRUE(size > 1);
    char *text = malloc(size);
    again = size - 1;
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_device_get_driver_parts(rig->device, &again, text));
    EXPECT_EQ(size, again);
    EXPECT_OK(dnnl_cache_device_get_driver_parts(rig->device, &again, text));
    EXPECT_EQ(size, strlen(text) + 1);
    size_t lines = 0;
    bool has_libc = false;
    for (const char *line = text; *line != '\0'; lines++) {
        char name[128], how[16], digest[160], bytes[24], path[512];
        /* No reason: it counts. */
        EXPECT_EQ(5, sscanf(line,
                             "%127[^\t]\t%15[^\t]\t%159[^\t]\t%23[^\t]\t\t"
                             "%511[^\n]",
                             name, how, digest, bytes, path));
        EXPECT_TRUE(
                strcmp(how, "build-id") == 0 || strcmp(how, "content") == 0);
        EXPECT_TRUE(strlen(digest) >= 16);
        EXPECT_TRUE(strtoull(bytes, NULL, 10) > 0);
        has_libc = has_libc || strcmp(name, "libc.so.6") == 0;
        line = strchr(line, '\n');
        ASSERT_NOT_NULL(line);
        EXPECT_EQ('/', path[0]);
        line++;
    }
    EXPECT_TRUE(lines >= 2);
    EXPECT_TRUE(has_libc);
    free(text);
}
