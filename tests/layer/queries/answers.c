/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HANDLES = 128, MAX_NAME = 64 };

static const char *scene = "";

static struct named_handle {
    const void *handle;
    char name[MAX_NAME];
} handles[MAX_HANDLES];

static const struct status {
    cl_int status;
    const char *name;
} statuses[] = {
#define STATUS(name) \
    {                \
        name, #name  \
    }
        STATUS(CL_SUCCESS),
        STATUS(CL_DEVICE_NOT_FOUND),
        STATUS(CL_DEVICE_NOT_AVAILABLE),
        STATUS(CL_COMPILER_NOT_AVAILABLE),
        STATUS(CL_OUT_OF_RESOURCES),
        STATUS(CL_OUT_OF_HOST_MEMORY),
        STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
        STATUS(CL_BUILD_PROGRAM_FAILURE),
        STATUS(CL_COMPILE_PROGRAM_FAILURE),
        STATUS(CL_LINKER_NOT_AVAILABLE),
        STATUS(CL_LINK_PROGRAM_FAILURE),
        STATUS(CL_DEVICE_PARTITION_FAILED),
        STATUS(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
        STATUS(CL_INVALID_VALUE),
        STATUS(CL_INVALID_DEVICE),
        STATUS(CL_INVALID_CONTEXT),
        STATUS(CL_INVALID_BINARY),
        STATUS(CL_INVALID_BUILD_OPTIONS),
        STATUS(CL_INVALID_PROGRAM),
        STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
        STATUS(CL_INVALID_KERNEL_NAME),
        STATUS(CL_INVALID_KERNEL_DEFINITION),
        STATUS(CL_INVALID_KERNEL),
        STATUS(CL_INVALID_ARG_INDEX),
        STATUS(CL_INVALID_ARG_VALUE),
        STATUS(CL_INVALID_ARG_SIZE),
        STATUS(CL_INVALID_KERNEL_ARGS),
        STATUS(CL_INVALID_WORK_DIMENSION),
        STATUS(CL_INVALID_WORK_GROUP_SIZE),
        STATUS(CL_INVALID_OPERATION),
        STATUS(CL_INVALID_COMPILER_OPTIONS),
        STATUS(CL_INVALID_LINKER_OPTIONS),
        STATUS(CL_INVALID_DEVICE_PARTITION_COUNT),
        STATUS(CL_INVALID_SPEC_ID),
        STATUS(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
#undef STATUS
};

void answers_begin(const char *name)
{
    scene = name;
}

void answer(const char *format, ...)
{
    va_list arguments;

    printf("%s: ", scene);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    /* A driver prints what kernels print by ways of its own. */
    fflush(stdout);
}

const char *status_name(cl_int status)
{
    static _Thread_local char number[24];

    for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
        if (statuses[i].status == status) return statuses[i].name;
    snprintf(number, sizeof(number), "status %d", status);
    return number;
}

bool answer_status(const char *what, cl_int status)
{
    answer("%s: %s", what, status_name(status));
    return status == CL_SUCCESS;
}

/* ---- Text ---------------------------------------------------------------- */

static bool is_path_character(char c)
{
    return isalnum((unsigned char)c) || strchr("/._-+~", c) != NULL;
}

/* The length of the absolute path that begins here; 0: none does. */
static size_t path_length(const char *text, size_t at, size_t size)
{
    size_t end = at;

    if (text[at] != '/' || (at > 0 && is_path_character(text[at - 1])))
        return 0;
    while (end < size && text[end] != 0 && is_path_character(text[end]))
        end++;
    return end - at > 2 ? end - at : 0;
}

/* The length of the number in front of a compiler's message: Intel's driver for
 * CPUs counts the sources that it compiled in this process. 0: none is here. */
static size_t source_length(const char *text, size_t at, size_t size)
{
    size_t end = at;
    size_t line;

    if (at > 0 && text[at - 1] != '\n') return 0;
    while (end < size && isdigit((unsigned char)text[end]))
        end++;
    line = end + 1;
    if (end == at || line >= size || text[end] != ':') return 0;
    return isdigit((unsigned char)text[line]) ? end - at : 0;
}

char *quoted_text(const char *text, size_t size)
{
    char *quoted = NULL;
    size_t quoted_size = 0;
    FILE *out = open_memstream(&quoted, &quoted_size);

    if (out == NULL) abort();
    putc('"', out);
    for (size_t i = 0; i < size; i++) {
        size_t path = path_length(text, i, size);
        size_t source = source_length(text, i, size);

        if (source != 0) {
            fputs("SOURCE", out);
            i += source - 1;
        } else if (path != 0) {
            fputs("PATH", out);
            i += path - 1;
        } else if (text[i] == '\n') {
            fputs("\\n", out);
        } else if (text[i] == '"' || text[i] == '\\') {
            fprintf(out, "\\%c", text[i]);
        } else if (isprint((unsigned char)text[i])) {
            putc(text[i], out);
        } else {
            fprintf(out, "\\x%02x", (unsigned char)text[i]);
        }
    }
    putc('"', out);
    if (fclose(out) != 0) abort();
    return quoted;
}

/* ---- Handles ------------------------------------------------------------- */

static struct named_handle *find_handle(const void *handle)
{
    for (size_t i = 0; i < MAX_HANDLES; i++)
        if (handles[i].handle == handle) return &handles[i];
    return NULL;
}

void handle_set_name(const void *handle, const char *name)
{
    struct named_handle *place;

    if (handle == NULL) return;
    place = find_handle(handle);
    if (place == NULL) place = find_handle(NULL);
    if (place == NULL) abort();
    place->handle = handle;
    snprintf(place->name, sizeof(place->name), "%s", name);
}

void handle_forget(const void *handle)
{
    struct named_handle *place = find_handle(handle);

    if (handle != NULL && place != NULL) place->handle = NULL;
}

const char *handle_name(const void *handle)
{
    struct named_handle *place = find_handle(handle);

    if (handle == NULL) return "none";
    return place != NULL ? place->name : "unknown";
}
