/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"
#include "play.h"
#include "questions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_value = 4096 };

struct text {
    size_t length;
    char bytes[8192];
};

static void add(struct text *text, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text->bytes + text->length,
            sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
    text->length += (size_t)size;
    if (text->length >= sizeof text->bytes)
        text->length = sizeof text->bytes - 1;
}

/* An answer, or the status in its place. */
static void add_number(
        struct text *text, const char *what, cl_int status, const void *number)
{
    cl_uint value;
    memcpy(&value, number, sizeof value);
    if (status == CL_SUCCESS)
        add(text, " %s %d", what, (int)value);
    else
        add(text, " %s %s", what, status_name(status));
}

static void add_text(
        struct text *text, const char *what, cl_int status, const char *value)
{
    if (status != CL_SUCCESS) {
        add(text, " %s %s", what, status_name(status));
        return;
    }
    char *quoted = quoted_text(value, strlen(value));
    add(text, " %s %s", what, quoted);
    free(quoted);
}

/* ---- Programs ------------------------------------------------------------ */

/* rusticl (22.3) adds the kernels of all builds: of a program that was loaded
 * there is one. */
static void add_kernels(struct text *text, cl_program program)
{
    char names[most_value] = "";
    size_t kernels = 0;
    cl_int status = clGetProgramInfo(
            program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
    add_number(text, "kernels", status, &kernels);
    status = clGetProgramInfo(
            program, CL_PROGRAM_KERNEL_NAMES, sizeof names - 1, names, NULL);
    add_text(text, "names", status, names);
}

static void add_program(
        struct text *text, const struct world *world, cl_program program)
{
    cl_uint references = 0;
    const cl_int status = clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
            sizeof references, &references, NULL);
    add_number(text, "references", status, &references);
    if (!world->is_rusticl) add_kernels(text, program);
}

/* Intel's driver for CPUs (2026.22) adds to the log of the build before. */
static void add_log(struct text *text, cl_program program, cl_device_id device)
{
    char value[most_value] = "";
    const cl_int status = clGetProgramBuildInfo(program, device,
            CL_PROGRAM_BUILD_LOG, sizeof value - 1, value, NULL);
    add_text(text, "log", status, value);
}

static void add_build(struct text *text, const struct world *world,
        cl_program program, cl_device_id device)
{
    char value[most_value] = "";
    cl_build_status build_status = -77;
    cl_program_binary_type type = 77;
    add(text, " <%s>", handle_name(device));
    cl_int status = clGetProgramBuildInfo(program, device,
            CL_PROGRAM_BUILD_STATUS, sizeof build_status, &build_status, NULL);
    add_number(text, "status", status, &build_status);
    status = clGetProgramBuildInfo(
            program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
    add_number(text, "type", status, &type);
    status = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
            sizeof value - 1, value, NULL);
    add_text(text, "options", status, value);
    if (!world->is_intel) add_log(text, program, device);
}

/* ---- Kernels ------------------------------------------------------------- */

static void add_kernel(
        struct text *text, const struct place *place, cl_kernel kernel)
{
    char name[most_value] = "";
    cl_uint number = 0;
    cl_program program = NULL;
    size_t sizes[3] = {77, 77, 77};
    cl_int status = clGetKernelInfo(
            kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    add_text(text, "name", status, name);
    status = clGetKernelInfo(
            kernel, CL_KERNEL_REFERENCE_COUNT, sizeof number, &number, NULL);
    add_number(text, "references", status, &number);
    status = clGetKernelInfo(
            kernel, CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL);
    add_number(text, "arguments", status, &number);
    status = clGetKernelInfo(
            kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    add_text(text, "program", status, handle_name(program));
    memset(name, 0, sizeof name);
    status = clGetKernelInfo(
            kernel, CL_KERNEL_ATTRIBUTES, sizeof name - 1, name, NULL);
    add_text(text, "attributes", status, name);
    memset(name, 0, sizeof name);
    status = clGetKernelArgInfo(
            kernel, 1, CL_KERNEL_ARG_NAME, sizeof name - 1, name, NULL);
    add_text(text, "argument", status, name);
    for (cl_uint d = 0; d < place->count; d++) {
        status = clGetKernelWorkGroupInfo(kernel, place->devices[d],
                CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL);
        add_number(text, "size", status, &sizes[0]);
    }
}

/* ---- What a walk does ---------------------------------------------------- */

static void tell_change(struct held *held, const struct text *text)
{
    if (strcmp(held->seen, text->bytes) == 0) return;
    memcpy(held->seen, text->bytes, text->length + 1);
    answer("  %s:%s", held->name, text->bytes);
}

void look_at_all(struct player *player)
{
    static struct text text;
    for (size_t i = 0; i < walk_programs; i++) {
        struct held *held = &player->programs[i];
        if (held->references == 0) continue;
        text.length = 0;
        add_program(&text, player->world, held->program);
        for (cl_uint d = 0; d < player->place->count; d++)
            add_build(&text, player->world, held->program,
                    player->place->devices[d]);
        tell_change(held, &text);
    }
    for (size_t i = 0; i < walk_kernels; i++) {
        struct held *held = &player->kernels[i];
        if (held->references == 0) continue;
        text.length = 0;
        add_kernel(&text, player->place, held->kernel);
        tell_change(held, &text);
    }
}

void examine(struct player *player, struct held *program)
{
    if (program->references == 0) return;
    if (!player->world->is_rusticl) ask_object(program->name, program->program);
    for (cl_uint d = 0; d < player->place->count && !player->world->is_intel;
            d++)
        ask_build(program->name, program->program, player->place->devices[d]);
    for (size_t i = 0; i < walk_kernels; i++) {
        struct held *kernel = &player->kernels[i];
        if (kernel->references == 0) continue;
        ask_kernel(kernel->name, kernel->kernel);
        ask_work_groups(
                kernel->name, kernel->kernel, player->place->devices[0]);
    }
}
