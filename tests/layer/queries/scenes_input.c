/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are not built from source alone. */
#include "answers.h"
#include "client.h"
#include "questions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Compile and link ---------------------------------------------------- */

static cl_program compile(const struct client *client, const char *name,
        const char *source, cl_program header)
{
    const char *header_name = "factor.h";
    cl_program program = make_program(client->context, name, source);

    if (program == NULL) return NULL;
    answer_status("compile",
            clCompileProgram(program, 1, &client->device, "-DBY=2",
                    header != NULL ? 1 : 0, header != NULL ? &header : NULL,
                    header != NULL ? &header_name : NULL, NULL, NULL));
    ask_object(name, program);
    ask_build(name, program, client->device);
    return program;
}

static cl_program link_all(const struct client *client, const char *name,
        const char *options, cl_uint count, const cl_program *programs)
{
    cl_int status = CL_SUCCESS;
    cl_program program = clLinkProgram(client->context, 1, &client->device,
            options, count, programs, NULL, NULL, &status);

    answer_status("link", status);
    if (program == NULL) return NULL;
    handle_set_name(program, name);
    ask_program(name, program, 0);
    ask_build(name, program, client->device);
    return program;
}

static void use_linked(const struct client *client, cl_program program)
{
    cl_kernel kernel = program != NULL ? make_kernel(program, "scale") : NULL;

    if (kernel == NULL) return;
    ask_kernel("linked", kernel);
    run_kernel(client->context, client->queue, "linked", kernel);
    forget_kernel(kernel);
}

void scene_link(const struct client *client)
{
    cl_program header = make_program(client->context, "header",
            "float factor(float by);\n#define MORE 3\n");
    cl_program parts[2] = {NULL, NULL}, linked = NULL, library = NULL;

    if (header == NULL) return;
    parts[0] = compile(client, "main part",
            "#include \"factor.h\"\n"
            "__kernel void scale(__global float *x, float by)\n"
            "{ x[get_global_id(0)] *= factor(by) * MORE; }\n",
            header);
    parts[1] = compile(client, "other part",
            "float factor(float by);\n"
            "float factor(float by) { return by * BY; }\n",
            NULL);
    if (parts[0] != NULL && parts[1] != NULL) {
        linked = link_all(client, "linked", "", 2, parts);
        use_linked(client, linked);
        library = link_all(client, "library", "-create-library", 1, &parts[1]);
        forget_program(link_all(client, "incomplete", "", 1, &parts[0]));
    }
    forget_program(linked);
    forget_program(library);
    forget_program(parts[0]);
    forget_program(parts[1]);
    forget_program(header);
}

/* Without headers, so that every part can be kept; twice, the second time with
 * the parts gone before the kernel is made. */
void scene_parts(const struct client *client)
{
    cl_program parts[2], linked;

    for (int i = 0; i < 2; i++) {
        parts[0] = compile(client, "first part",
                "float factor(float by);\n"
                "__kernel void scale(__global float *x, float by)\n"
                "{ x[get_global_id(0)] *= factor(by); }\n",
                NULL);
        parts[1] = compile(client, "second part",
                "float factor(float by);\n"
                "float factor(float by) { return by * BY + 1.0f; }\n",
                NULL);
        if (parts[0] == NULL || parts[1] == NULL) return;
        linked = link_all(client, "linked parts", NULL, 2, parts);
        if (i == 0) use_linked(client, linked);
        forget_program(parts[0]);
        forget_program(parts[1]);
        use_linked(client, linked);
        if (linked != NULL) ask_program("linked, used", linked, 0);
        forget_program(linked);
    }
}

/* The same object linked with "" and with no options, which are of one ID.
 * Drivers differ in whether they tell arguments then. */
void scene_link_options(const struct client *client)
{
    static const char *const options[] = {"", NULL, "", NULL};
    cl_program linked, object = compile(client, "object to link",
                               "__kernel void scale(__global float *x, "
                               "float by)\n"
                               "{ x[get_global_id(0)] *= by + BY; }\n",
                               NULL);

    if (object == NULL) return;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        linked =
                link_all(client, options[i] != NULL ? "linked" : "linked, none",
                        options[i], 1, &object);
        use_linked(client, linked);
        forget_program(linked);
    }
    forget_program(object);
}

/* The same program built, compiled and linked; lines are the same for both
 * options where the driver answers the same. */
static void use_options(const struct client *client, const char *options)
{
    cl_program linked, object,
            program = make_program(client->context, "built", scale_source);
    cl_kernel kernel;

    if (program == NULL) return;
    build_program(program, options);
    ask_program("built", program, 0);
    ask_build("built", program, client->device);
    kernel = make_kernel(program, "scale");
    if (kernel != NULL) ask_kernel("built", kernel);
    forget_kernel(kernel);
    try_program(client, program, options, "scale");
    forget_program(program);
    object = make_program(client->context, "object", scale_source);
    if (object == NULL) return;
    answer_status("compile", clCompileProgram(object, 1, &client->device,
                                     options, 0, NULL, NULL, NULL, NULL));
    ask_object("object", object);
    ask_build("object", object, client->device);
    linked = link_all(client, "linked", options, 1, &object);
    use_linked(client, linked);
    forget_program(linked);
    forget_program(object);
}

void scene_no_options(const struct client *client)
{
    use_options(client, NULL);
}

void scene_empty_options(const struct client *client)
{
    use_options(client, "");
}

static void compile_built(const struct client *client, cl_program program,
        const char *subject, const char *options)
{
    answer("%s", subject);
    answer_status("compile", clCompileProgram(program, 1, &client->device,
                                     options, 0, NULL, NULL, NULL, NULL));
    ask_program(subject, program, 0);
    ask_build(subject, program, client->device);
    use_linked(client, program);
}

static const char failing_source[] =
        "#ifdef WRONG\n#error this is wrong\n#endif\n"
        "__kernel void scale(__global float *x, float by)\n"
        "{ x[get_global_id(0)] *= by * BY; }\n";

/* A program that was built is compiled instead; the first build is of the same
 * options each time, so that it is loaded once another was kept. */
void scene_compile_built(const struct client *client)
{
    cl_program program = make_program(client->context, "built", failing_source);
    cl_kernel kernel;

    if (program == NULL) return;
    try_program(client, program, "-DBY=2", "scale");
    forget_program(program);
    program = make_program(client->context, "attached", failing_source);
    if (program == NULL) return;
    build_program(program, "-DBY=2");
    kernel = make_kernel(program, "scale");
    compile_built(client, program, "attached", "-DBY=2");
    forget_kernel(kernel);
    if (!client->is_fragile)
        compile_built(client, program, "failing", "-DBY=2 -DWRONG");
    forget_program(program);
}

/* ---- Binaries ------------------------------------------------------------ */

/* The caller frees it; NULL, and told, if there is none. */
static unsigned char *get_binary(cl_program program, size_t *size)
{
    unsigned char *binary;
    cl_int status = clGetProgramInfo(
            program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL);

    answer("size of the binary: %s, %s", status_name(status),
            *size > 0 ? "some" : "none");
    if (status != CL_SUCCESS || *size == 0) return NULL;
    binary = malloc(*size);
    if (binary == NULL) abort();
    status = clGetProgramInfo(
            program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL);
    if (answer_status("the binary", status)) return binary;
    free(binary);
    return NULL;
}

static void load(const struct client *client, const char *name,
        const unsigned char *binary, size_t size, const char *options)
{
    cl_int state = 4711, status = CL_SUCCESS;
    cl_program program = clCreateProgramWithBinary(client->context, 1,
            &client->device, &size, &binary, &state, &status);
    cl_kernel kernel;

    answer("from binary: %s, state %s", status_name(status),
            status_name(state));
    if (program == NULL) return;
    handle_set_name(program, name);
    if (!client->is_fragile) ask_program(name, program, 1);
    ask_build(name, program, client->device);
    build_program(program, options);
    ask_program(name, program, 1);
    ask_build(name, program, client->device);
    kernel = make_kernel(program, "scale");
    if (kernel != NULL) {
        ask_kernel(name, kernel);
        run_kernel(client->context, client->queue, name, kernel);
    }
    forget_kernel(kernel);
    forget_program(program);
}

void scene_binary(const struct client *client)
{
    cl_program program = make_program(client->context, "origin", scale_source);
    unsigned char *binary = NULL;
    size_t size = 0;

    if (program == NULL) return;
    try_program(client, program, "-DBY=2", "scale");
    binary = get_binary(program, &size);
    ask_program("origin", program, 1);
    if (binary != NULL) {
        load(client, "loaded", binary, size, "-DBY=2");
        load(client, "without options", binary, size, NULL);
    }
    free(binary);
    forget_program(program);
}

/* ---- Intermediate language, built-in kernels ------------------------------
 */

/* The first of the device's names; false: it has none, and the driver perhaps
 * not even the calls. */
static bool first_built_in(const struct client *client, char *name, size_t size)
{
    name[0] = 0;
    clGetDeviceInfo(
            client->device, CL_DEVICE_BUILT_IN_KERNELS, size, name, NULL);
    name[strcspn(name, ";")] = 0;
    return name[0] != 0;
}

static void use_built_in(const struct client *client)
{
    char name[4096];
    cl_int status = CL_SUCCESS;
    cl_program program;
    cl_kernel kernel;

    if (!first_built_in(client, name, sizeof(name))) {
        answer("nothing is built in");
        return;
    }
    clCreateProgramWithBuiltInKernels(
            client->context, 1, &client->device, "no such kernel", &status);
    answer_status("unknown built-in kernel", status);
    program = clCreateProgramWithBuiltInKernels(
            client->context, 1, &client->device, name, &status);
    answer("built-in kernel %s: %s", name, status_name(status));
    if (program == NULL) return;
    handle_set_name(program, "built in");
    ask_program("built in", program, 0);
    ask_build("built in", program, client->device);
    build_program(program, "");
    kernel = make_kernel(program, name);
    if (kernel != NULL) ask_kernel("built in", kernel);
    forget_kernel(kernel);
    forget_program(program);
}

/* Only the fake driver of the tests reads source behind SPIR-V's magic number;
 * others refuse it, or take no IL at all. */
void scene_input(const struct client *client)
{
    static const char il[] = "\x03\x02\x23\x07"
                             "kernel void scale(global float *x, float by) {}";
    static const cl_uint value = 3;
    cl_int status = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithIL(client->context, il, sizeof(il) - 1, &status);

    answer_status("from IL", status);
    if (program != NULL) {
        handle_set_name(program, "from IL");
        if (!client->is_fragile)
            answer_status(
                    "constant", clSetProgramSpecializationConstant(
                                        program, 1, sizeof(value), &value));
        ask_program("from IL", program, 0);
        try_program(client, program, "", "scale");
        ask_program("from IL", program, 0);
        ask_build("from IL", program, client->device);
        forget_program(program);
    }
    use_built_in(client);
}

void scene_unload(const struct client *client)
{
    cl_program program = make_program(client->context, "before", scale_source);
    cl_program other = make_program(client->context, "after", scale_source);

    if (program != NULL) try_program(client, program, "-DBY=2", "scale");
    answer_status("unload", clUnloadPlatformCompiler(client->platform));
    if (program != NULL) {
        ask_program("before", program, 0);
        ask_build("before", program, client->device);
        try_program(client, program, "-DBY=3", "scale");
    }
    if (other != NULL) try_program(client, other, "-DBY=2", "scale");
    forget_program(program);
    forget_program(other);
}

/* What a kernel prints stands between the lines of the client. */
void scene_printf(const struct client *client)
{
    cl_program program = make_program(client->context, "talking",
            "__kernel void scale(__global float *x, float by)\n"
            "{\n"
            "    if (get_global_id(0) == 3)\n"
            "        printf(\"printf: %d %s %v4hld\\n\", BY, \"text\",\n"
            "                (int4)(1, 2, 3, 4));\n"
            "    x[get_global_id(0)] *= by;\n"
            "}\n");

    if (program != NULL) try_program(client, program, "-DBY=2", "scale");
    forget_program(program);
}
