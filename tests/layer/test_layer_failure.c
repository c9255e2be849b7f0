/* SPDX-License-Identifier: Apache-2.0 */
/* Records of builds that fail, the logs that they may have, where they are. */
#include "tools/common/id/failure.h"
#include "tools/common/id/failure_log.h"
#include "tools/common/state/failed_place.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Records ------------------------------------------------------------- */

#define ANSWER(text)                                      \
    {                                                     \
        CL_SUCCESS, sizeof(text), (const uint8_t *)(text) \
    }

static const cl_build_status failed = CL_BUILD_ERROR;
static const cl_program_binary_type none = CL_PROGRAM_BINARY_TYPE_NONE;

static struct failure_device device_with(const char *log)
{
    return (struct failure_device){{
            [failure_status] = {CL_SUCCESS, sizeof failed,
                    (const uint8_t *)&failed},
            [failure_options] = ANSWER("-DA"),
            [failure_log] = {CL_SUCCESS, strlen(log) + 1, (const uint8_t *)log},
            [failure_binary_type] = {CL_SUCCESS, sizeof none,
                    (const uint8_t *)&none},
            [failure_global_bytes] = {CL_INVALID_VALUE, 0, NULL},
    }};
}

static struct failure failure_of(struct failure_device *devices, uint32_t count)
{
    return (struct failure){.state = failure_kept,
            .when_s = 1234567,
            .process = {1, 2},
            .compile_ns = 5000000,
            .returned = CL_BUILD_PROGRAM_FAILURE,
            .number_error = CL_INVALID_PROGRAM_EXECUTABLE,
            .names_error = CL_INVALID_PROGRAM_EXECUTABLE,
            .kernel_error = CL_INVALID_PROGRAM_EXECUTABLE,
            .kernels_error = CL_INVALID_PROGRAM_EXECUTABLE,
            .device_count = count,
            .devices = devices};
}

TEST_C(LayerFailure, IsReadAsItWasWritten)
{
    struct failure_device devices[] = {
            device_with("a.cl:1:2: error: x\n"), device_with("")};
    const struct failure written = failure_of(devices, 2);
    struct failure read;
    struct bytes record;
    ASSERT_TRUE(failure_encode(&written, &record));
    ASSERT_TRUE(failure_decode(&read, record.data, record.size));
    EXPECT_EQ(failure_kept, read.state);
    EXPECT_EQ(1234567, read.when_s);
    EXPECT_EQ(2, read.process[1]);
    EXPECT_EQ(5000000, read.compile_ns);
    EXPECT_TRUE(failure_is_same(&written, &read));
    EXPECT_STR_EQ("a.cl:1:2: error: x\n",
            (const char *)read.devices[0].answers[failure_log].bytes);
    failure_fini(&read);
    free(record.data);
}

/* As long as it is read, each byte of it is what was written. */
TEST_C(LayerFailure, IsRefusedIfItIsCutOrLonger)
{
    struct failure_device devices[] = {device_with("a.cl:1:2: error: x\n")};
    const struct failure written = failure_of(devices, 1);
    struct failure read;
    struct bytes record;
    ASSERT_TRUE(failure_encode(&written, &record));
    uint8_t *more = calloc(1, record.size + 1);
    memcpy(more, record.data, record.size);
    for (size_t size = 0; size <= record.size + 1; size++) {
        if (size == record.size) continue;
        EXPECT_FALSE(failure_decode(&read, more, size));
        EXPECT_NULL(read.devices);
    }
    free(more);
    free(record.data);
}

static bool is_read(const struct failure *written)
{
    struct failure read;
    struct bytes record;
    if (!failure_encode(written, &record)) return false;
    const bool is = failure_decode(&read, record.data, record.size);
    failure_fini(&read);
    free(record.data);
    return is;
}

/* What an application might take for a program that was built. */
TEST_C(LayerFailure, IsRefusedIfItTellsOfSuccess)
{
    static const cl_build_status built = CL_BUILD_SUCCESS;
    static const cl_build_status not_built = CL_BUILD_NONE;
    static const cl_build_status is_built = CL_BUILD_IN_PROGRESS;
    struct failure_device devices[] = {device_with("a.cl:1:2: error: x\n")};
    struct failure f = failure_of(devices, 1);
    EXPECT_TRUE(is_read(&f));
    f.returned = 1;
    EXPECT_FALSE(is_read(&f));
    f = failure_of(devices, 1);
    f.kernel_error = CL_SUCCESS;
    EXPECT_FALSE(is_read(&f));
    f = failure_of(devices, 1);
    devices[0].answers[failure_status].bytes = (const uint8_t *)&built;
    EXPECT_FALSE(is_read(&f));
    devices[0].answers[failure_status].bytes = (const uint8_t *)&not_built;
    EXPECT_FALSE(is_read(&f)); /* no device has failed */
    devices[0].answers[failure_status].bytes = (const uint8_t *)&is_built;
    EXPECT_FALSE(is_read(&f));
    devices[0] = device_with("a.cl:1:2: error: x\n");
    devices[0].answers[failure_log].size--; /* without its NUL */
    EXPECT_FALSE(is_read(&f));
    f.device_count = 0;
    EXPECT_FALSE(is_read(&f));
}

TEST_C(LayerFailure, IsAnotherIfAnAnswerIs)
{
    struct failure_device a[] = {device_with("/tmp/a.cl:1:2: error: x\n")};
    struct failure_device b[] = {device_with("/tmp/b.cl:1:2: error: x\n")};
    struct failure_device c[] = {device_with("/tmp/a.cl:1:3: error: x\n")};
    const struct failure first = failure_of(a, 1);
    struct failure second = failure_of(b, 1);
    const struct failure third = failure_of(c, 1);
    EXPECT_TRUE(failure_is_same(&first, &second));
    EXPECT_FALSE(failure_is_same(&first, &third));
    second.names_error = CL_INVALID_VALUE;
    EXPECT_FALSE(failure_is_same(&first, &second));
}

/* ---- Keys ---------------------------------------------------------------- */

TEST_C(LayerFailure, KeyTellsOptionsAndDevicesInOrder)
{
    static const uint8_t one[] = "one";
    static const uint8_t two[] = "other";
    const struct failure_id ids[] = {{sizeof one, one}, {sizeof two, two}};
    const struct failure_id turned[] = {ids[1], ids[0]};
    const char *const options[] = {"-DA", "", NULL};
    struct bytes keys[5];
    for (size_t i = 0; i < 3; i++)
        ASSERT_TRUE(failure_key_make(&keys[i], options[i], false, 2, ids));
    ASSERT_TRUE(failure_key_make(&keys[3], options[0], false, 2, turned));
    ASSERT_TRUE(failure_key_make(&keys[4], options[0], true, 2, ids));
    for (size_t i = 0; i < COUNT(keys); i++) {
        for (size_t k = 0; k < i; k++)
            EXPECT_FALSE(
                    keys[i].size == keys[k].size
                    && memcmp(keys[i].data, keys[k].data, keys[i].size) == 0);
        EXPECT_TRUE(
                failure_key_has(keys[i].size, keys[i].data, sizeof one, one));
        EXPECT_TRUE(
                failure_key_has(keys[i].size, keys[i].data, sizeof two, two));
        EXPECT_FALSE(failure_key_has(
                keys[i].size, keys[i].data, sizeof one - 1, one));
        EXPECT_FALSE(failure_key_has(
                keys[i].size - 1, keys[i].data, sizeof one, one));
        EXPECT_FALSE(failure_key_has(sizeof one, one, sizeof one, one));
    }
    for (size_t i = 0; i < COUNT(keys); i++)
        free(keys[i].data);
}

/* ---- Logs ---------------------------------------------------------------- */

static bool blames_source(const char *log)
{
    return failure_log_blames_source(log, strlen(log) + 1);
}

TEST_C(LayerFailure, BlamesASourceForErrorsWithPlaces)
{
    EXPECT_TRUE(blames_source(
            "input.cl:7:13: error: use of undeclared identifier 'x'\n"
            "    return x;\n           ^\n1 error generated.\n"));
    EXPECT_TRUE(blames_source(
            "error: /tmp/pocl/tempfile_a.cl:1:2: no such thing\n"));
    EXPECT_TRUE(blames_source("<kernel>:1:10: fatal error: 'a.h' file not "
                              "found\n"));
    EXPECT_TRUE(blames_source("a.cl:1:2: warning: w\na.cl:1:3: error: e\n"
                              "fatal error: too many errors emitted, stopping "
                              "now [-ferror-limit=]\n"));
    EXPECT_TRUE(failure_log_blames_source("a.cl:1:2: error: e", 18));
}

TEST_C(LayerFailure, BlamesNoSourceForWhatTheMachineMayHaveDone)
{
    static const char *const logs[] = {
            "",
            "error: no such thing\n",
            "a.cl: error: no such thing\n",
            "a.cl:7: error: no such thing\n",
            "a.cl:7:13: warning: no such thing\n",
            ":7:13: error: no name\n",
            "a.cl:7:1234567890: error: no such column\n",
            "a.cl:7:13: error: e\nerror: linking failed\n",
            "a.cl:7:13: error: e\nld returned 1 exit status\n",
            "a.cl:7:13: error: e\nLLVM ERROR: IO failure on output stream: No "
            "space left on device\n",
            "a.cl:1:10: fatal error: cannot open file './a.h': Too many open "
            "files\n",
            "a.cl:1:10: fatal error: error reading 'a.h': Input/output "
            "error\n",
            "a.cl:7:13: error: e\nerror: unable to execute command: Killed\n",
            "a.cl:7:13: error: e\nstd::bad_alloc\n",
            "a.cl:7:13: error: e\nCannot allocate memory\n",
            "a.cl:7:13: error: e\nPLEASE submit a bug report to LLVM\n",
    };
    for (size_t i = 0; i < COUNT(logs); i++)
        if (blames_source(logs[i]))
            test_fail(__FILE__, __LINE__, "blames the source: %s", logs[i]);
    test_asserts();
}

static bool are_same(const char *a, const char *b)
{
    return failure_log_is_same(a, strlen(a) + 1, b, strlen(b) + 1);
}

TEST_C(LayerFailure, LogsAreTheSameButForNamesOfFiles)
{
    EXPECT_TRUE(
            are_same("a.cl:1:2: error: e\n x\n", "b.cl:1:2: error: e\n x\n"));
    EXPECT_TRUE(are_same("error: /a/b:1:2: e\n", "error: /c:1:2: e\n"));
    EXPECT_TRUE(are_same("warning: /a/b:1:2: e\n", "warning: /c:1:2: e\n"));
    EXPECT_FALSE(are_same("a.cl:1:2: error: e\n", "a.cl:2:2: error: e\n"));
    EXPECT_FALSE(are_same("a.cl:1:2: error: e\n", "a.cl:1:2: error: f\n"));
    EXPECT_FALSE(are_same("a.cl:1:2: error: e\n", "a.cl:1:2: warning: e\n"));
    EXPECT_FALSE(are_same("a.cl:1:2: error: e\n", "a.cl:1:2: error: e\nx\n"));
    EXPECT_FALSE(are_same("a b\n", "a c\n"));
}

/* ---- Places -------------------------------------------------------------- */

static void find_store(char path[512])
{
    (void)snprintf(path, 512, "%s/store", test_directory());
    ASSERT_EQ(0, mkdir(path, 0700));
}

static bool can_open(const char *store, enum failed_access access)
{
    dnnl_cache_store_handle_t *opened =
            failed_place_open(store, false, access, NULL, NULL);
    dnnl_cache_store_close(opened);
    return opened != NULL;
}

TEST_C(LayerFailure, PlaceIsMadeWhenItIsWrittenTo)
{
    char store[512];
    find_store(store);
    EXPECT_FALSE(can_open(store, failed_access_read));
    EXPECT_FALSE(can_open(store, failed_access_change));
    EXPECT_TRUE(can_open(store, failed_access_make));
    EXPECT_TRUE(can_open(store, failed_access_change));
    EXPECT_TRUE(can_open(store, failed_access_read));
}

TEST_C(LayerFailure, PlaceIsThisUsersAlone)
{
    char store[512];
    char folder[600];
    find_store(store);
    EXPECT_TRUE(can_open(store, failed_access_make));
    (void)snprintf(folder, sizeof folder, "%s/layer", store);
    EXPECT_EQ(0, chmod(store, 0770)); /* a group's */
    EXPECT_FALSE(can_open(store, failed_access_make));
    EXPECT_EQ(0, chmod(store, 0700));
    EXPECT_EQ(0, chmod(folder, 0722));
    EXPECT_FALSE(can_open(store, failed_access_make));
    EXPECT_EQ(0, chmod(folder, 0700));
    if (getuid() == 0) {
        EXPECT_EQ(0, chown(store, 65534, 65534));
        EXPECT_FALSE(can_open(store, failed_access_make));
        EXPECT_EQ(0, chown(store, 0, 0));
    }
    EXPECT_TRUE(can_open(store, failed_access_read));
}
