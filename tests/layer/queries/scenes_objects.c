/* SPDX-License-Identifier: Apache-2.0 */
/* The lives of programs and kernels, and what is no program or kernel. */
#include "answers.h"
#include "client.h"
#include "questions.h"

#include <stdint.h>
#include <string.h>

static void count(const char *when, cl_program program, cl_kernel kernel)
{
    answer("%s: program %u, kernel %u", when,
            program != NULL ? program_references(program) : 0,
            kernel != NULL ? kernel_references(kernel) : 0);
}

static void count_clone(
        const struct client *client, cl_program program, cl_kernel kernel)
{
    cl_int status = CL_SUCCESS;
    cl_kernel clone = clCloneKernel(kernel, &status);

    answer_status("clone", status);
    count("cloned", program, kernel);
    if (clone == NULL) return;
    handle_set_name(clone, "clone");
    ask_kernel("clone", clone);
    run_kernel(client->context, client->queue, "clone", clone);
    forget_kernel(clone);
    count("clone released", program, kernel);
}

void scene_references(const struct client *client)
{
    cl_program program = make_program(client->context, "counted", scale_source);
    cl_kernel kernel;

    if (program == NULL) return;
    count("made", program, NULL);
    clRetainProgram(program);
    count("retained", program, NULL);
    build_program(program, "-DBY=2");
    count("built", program, NULL);
    kernel = make_kernel(program, "scale");
    count("kernel", program, kernel);
    if (kernel != NULL) {
        clRetainKernel(kernel);
        count("kernel retained", program, kernel);
        count_clone(client, program, kernel);
        clReleaseKernel(kernel);
        count("kernel released", program, kernel);
        forget_kernel(kernel);
    }
    count("no kernel", program, NULL);
    clReleaseProgram(program);
    count("program released", program, NULL);
    forget_program(program);
}

/* The kernel keeps its program, to which it leads. */
void scene_outlive(const struct client *client)
{
    cl_program program = make_program(client->context, "gone", scale_source);
    cl_program found = NULL;
    cl_kernel kernel, other;

    if (program == NULL) return;
    build_program(program, "-DBY=2");
    kernel = make_kernel(program, "scale");
    answer_status("release", clReleaseProgram(program));
    if (kernel == NULL) return;
    ask_kernel("survivor", kernel);
    clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(found), &found, NULL);
    answer("it is of <%s>", handle_name(found));
    if (found != NULL && !client->is_fragile) {
        ask_program("gone", found, 0);
        ask_build("gone", found, client->device);
        other = make_kernel(found, "scale");
        forget_kernel(other);
    }
    run_kernel(client->context, client->queue, "survivor", kernel);
    forget_kernel(kernel);
    handle_forget(program);
}

/* ---- What is wrong ------------------------------------------------------- */

static void make_wrong_programs(const struct client *client)
{
    const char *source = scale_source, *none = NULL;
    cl_int status = CL_SUCCESS;

    clCreateProgramWithSource(NULL, 1, &source, NULL, &status);
    answer_status("source without a context", status);
    clCreateProgramWithSource(client->context, 0, &source, NULL, &status);
    answer_status("no strings", status);
    clCreateProgramWithSource(client->context, 1, &none, NULL, &status);
    answer_status("a string that is none", status);
    clCreateProgramWithIL(client->context, NULL, 0, &status);
    answer_status("no IL", status);
}

static void load_wrong_binaries(const struct client *client)
{
    static const unsigned char garbage[] = "this is no binary of any driver";
    const unsigned char *binary = garbage, *none = NULL;
    size_t size = sizeof(garbage), nothing = 0;
    cl_int states[1] = {4711}, status = CL_SUCCESS;

    clCreateProgramWithBinary(
            client->context, 0, NULL, &size, &binary, states, &status);
    answer_status("binary for no device", status);
    clCreateProgramWithBinary(client->context, 1, &client->device, &nothing,
            &binary, states, &status);
    answer("empty binary: %s, state %s", status_name(status),
            status_name(states[0]));
    clCreateProgramWithBinary(
            client->context, 1, &client->device, &size, &none, states, &status);
    answer("no binary: %s, state %s", status_name(status),
            status_name(states[0]));
    clCreateProgramWithBinary(
            client->context, 1, &client->device, NULL, NULL, NULL, &status);
    answer_status("no arrays", status);
}

static void CL_CALLBACK never(cl_program program, void *user)
{
    (void)program;
    *(unsigned *)user += 1;
}

static void build_wrongly(const struct client *client, cl_program program)
{
    unsigned calls = 0;

    answer_status(
            "build nothing", clBuildProgram(NULL, 0, NULL, "", NULL, NULL));
    answer_status("devices without number",
            clBuildProgram(program, 0, &client->device, "", NULL, NULL));
    answer_status("number without devices",
            clBuildProgram(program, 1, NULL, "", NULL, NULL));
    answer_status("user data without a callback",
            clBuildProgram(program, 0, NULL, "", NULL, &calls));
    answer_status("compile nothing",
            clCompileProgram(NULL, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    answer_status("build with a callback, wrongly",
            clBuildProgram(program, 1, NULL, "", never, &calls));
    answer("which came %u times", calls);
    ask_build("never built", program, client->device);
}

static void use_nothing(cl_program program)
{
    cl_int status = CL_SUCCESS;

    answer_status("retain no program", clRetainProgram(NULL));
    answer_status("release no program", clReleaseProgram(NULL));
    answer_status("retain no kernel", clRetainKernel(NULL));
    answer_status("release no kernel", clReleaseKernel(NULL));
    clCreateKernel(NULL, "scale", &status);
    answer_status("kernel of no program", status);
    clCreateKernel(program, NULL, &status);
    answer_status("kernel without a name", status);
    clCreateKernel(program, "scale", &status);
    answer_status("kernel of no build", status);
    answer_status("kernels of no program",
            clCreateKernelsInProgram(NULL, 0, NULL, NULL));
    clCloneKernel(NULL, &status);
    answer_status("clone of no kernel", status);
    ask_program("no program", NULL, 1);
    ask_build("no program", NULL, NULL);
    ask_kernel("no kernel", NULL);
    ask_work_groups("no kernel", NULL, NULL);
}

void scene_errors(const struct client *client)
{
    cl_program program = make_program(client->context, "misused", scale_source);

    if (program == NULL) return;
    make_wrong_programs(client);
    load_wrong_binaries(client);
    build_wrongly(client, program);
    use_nothing(program);
    answer("references %u", program_references(program));
    forget_program(program);
}
