/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL's errors as names, statuses and messages. */
#include "src/gpu/device/cl_status.h"

#include "src/common/log.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = -72, LAST = -1 }; /* of OpenCL 3.0 */

/* The names in the header, by -code. */
static char names[-FIRST + 1][64];

static unsigned read_names(void)
{
    FILE *header = fopen(CL_HEADER, "r");
    if (header == NULL) return 0;
    unsigned count = 0;
    char line[512];
    char name[64];
    int code;
    while (fgets(line, sizeof line, header) != NULL)
        if (sscanf(line, "#define %63s %d", name, &code) == 2 && code >= FIRST
                && code <= LAST && strcmp(name, "CL_BUILD_NONE") != 0
                && strcmp(name, "CL_BUILD_ERROR") != 0
                && strcmp(name, "CL_BUILD_IN_PROGRESS") != 0) {
            EXPECT_STR_EQ("", names[-code]);
            (void)snprintf(names[-code], sizeof names[-code], "%s", name);
            count++;
        }
    (void)fclose(header);
    return count;
}

static char said[256];
static unsigned messages;

static void receive(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    EXPECT_EQ(dnnl_cache_log_error, level);
    messages++;
    (void)snprintf(said, sizeof said, "%s", text);
}

/* The code's message, or none. */
static void expect_said(int code, bool is_logged)
{
    char expected[256];
    (void)snprintf(expected, sizeof expected, "opencl: clCall failed: %s (%d)",
            names[-code], code);
    EXPECT_EQ(is_logged ? 1 : 0, messages);
    EXPECT_STR_EQ(is_logged ? expected : "", said);
    messages = 0;
    said[0] = '\0';
}

static dnnl_status_t usual_status(int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return dnnl_out_of_memory;
    default:
        return dnnl_runtime_error;
    }
}

/* That the application gave a wrong object is not logged. */
static bool is_about_object(int code)
{
    return code == CL_INVALID_DEVICE || code == CL_INVALID_CONTEXT
           || code == CL_INVALID_COMMAND_QUEUE || code == CL_INVALID_MEM_OBJECT
           || code == CL_INVALID_PROGRAM;
}

TEST_C(ClStatus, EveryErrorHasItsNameAndStatus)
{
    memset(names, 0, sizeof names);
    EXPECT_EQ(62, read_names());
    log_set_callback(receive, NULL);
    for (int code = FIRST; code <= LAST && !test_has_failed(); code++) {
        if (names[-code][0] == '\0') continue;
        EXPECT_STR_EQ(names[-code], cl_error_name(code));
        EXPECT_STATUS(usual_status(code), cl_status(code, "clCall"));
        expect_said(code, true);
        const bool about_object = is_about_object(code);
        EXPECT_STATUS(
                about_object ? dnnl_invalid_arguments : usual_status(code),
                cl_object_status(code, "clCall"));
        expect_said(code, !about_object);
    }
    log_set_callback(NULL, NULL);
}

TEST_C(ClStatus, SuccessIsNotLogged)
{
    log_set_callback(receive, NULL);
    EXPECT_STR_EQ("CL_SUCCESS", cl_error_name(CL_SUCCESS));
    EXPECT_OK(cl_status(CL_SUCCESS, "clCall"));
    EXPECT_OK(cl_object_status(CL_SUCCESS, "clCall"));
    EXPECT_EQ(0, messages);
    log_set_callback(NULL, NULL);
}

/* A driver's own. */
TEST_C(ClStatus, OtherErrorsAreNumbers)
{
    log_set_callback(receive, NULL);
    EXPECT_STR_EQ("CL error", cl_error_name(-1234));
    EXPECT_STATUS(dnnl_runtime_error, cl_status(-1234, "clCall"));
    EXPECT_STR_EQ("opencl: clCall failed: CL error (-1234)", said);
    log_set_callback(NULL, NULL);
    messages = 0;
    said[0] = '\0';
}
