/* SPDX-License-Identifier: Apache-2.0 */
#include "test_world.h"

#include <string.h>

static const char *const scale_source =
        "__kernel void scale(__global float *data, float factor)\n"
        "{ data[get_global_id(0)] *= factor; }\n";

struct binary {
    unsigned char bytes[1024];
    size_t size;
};

static struct binary get_binary(cl_program program)
{
    struct binary binary = {.size = 0};
    unsigned char *to = binary.bytes;

    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof(binary.size), &binary.size, NULL));
    EXPECT_LT(binary.size, sizeof(binary.bytes));
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                  sizeof(to), &to, NULL));
    return binary;
}

static cl_program from_binary(const struct world *world,
        const struct binary *binary, cl_int *state, cl_int *st)
{
    const unsigned char *bytes = binary->bytes;

    return clCreateProgramWithBinary(world->context, 1, &world->device,
            &binary->size, &bytes, state, st);
}

static void expect_log(const struct world *world, cl_program program,
        cl_build_status status, const char *log)
{
    cl_build_status actual = CL_BUILD_NONE;
    char text[256] = "";

    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, world->device,
                    CL_PROGRAM_BUILD_STATUS, sizeof(actual), &actual, NULL));
    EXPECT_EQ(status, actual);
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, world->device, CL_PROGRAM_BUILD_LOG,
                    sizeof(text), text, NULL));
    EXPECT_STR_EQ(log, text);
}

TEST_WORLD(FakeProgram, BuildsSources)
{
    const char *parts[] = {"kernel void a() {}  ", "kernel void b() {}"};
    const size_t lengths[] = {18, 0};
    cl_program program;
    char text[128];
    size_t count = 0;
    cl_int st;

    program = clCreateProgramWithSource(world->context, 2, parts, lengths, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE,
            clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
                    &count, NULL));
    expect_log(world, program, CL_BUILD_NONE, "");
    fake_opencl_set("BUILD_LOG", "hello\n");
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    expect_log(world, program, CL_BUILD_SUCCESS, "hello\n");
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_builds());
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
                                  sizeof(text), text, NULL));
    EXPECT_STR_EQ("a;b", text);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_SOURCE,
                                  sizeof(text), text, NULL));
    EXPECT_STR_EQ("kernel void a() {}kernel void b() {}", text);
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, world->device,
                    CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL));
    EXPECT_STR_EQ("-cl-std=CL1.2", text);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeProgram, TellsWhyABuildFailed)
{
    const char *source = "#ifdef BAD\n#error no good\n#endif";
    cl_program program;
    cl_int st;

    fake_opencl_set("BUILD_LOG", "log: ");
    program = clCreateProgramWithSource(world->context, 1, &source, NULL, &st);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DBAD", NULL, NULL));
    expect_log(world, program, CL_BUILD_ERROR, "log: error: #error no good\n");
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_log(world, program, CL_BUILD_SUCCESS, "log: ");
    EXPECT_EQ(CL_INVALID_BUILD_OPTIONS,
            clBuildProgram(program, 0, NULL, "nonsense", NULL, NULL));
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeProgram, FailsAsItIsTold)
{
    const char *source = "kernel void a() {}";
    cl_program program;
    cl_int st;

    program = clCreateProgramWithSource(world->context, 1, &source, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    fake_opencl_set("BUILD_ERROR", "-6");
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(CL_OUT_OF_HOST_MEMORY,
                clBuildProgram(program, 0, NULL, "", NULL, NULL));
    EXPECT_EQ(3, fake_opencl_source_builds());
    expect_log(world, program, CL_BUILD_ERROR, "");
    fake_opencl_set("BUILD_ERROR", NULL);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    clReleaseProgram(program);
}

TEST_WORLD(FakeProgram, LoadsWhatItStored)
{
    struct binary binary, again;
    cl_program program;
    cl_kernel kernel;
    cl_int st, state = 1;
    char text[8] = "none";

    program = world_build(world, scale_source, "-DA=1");
    binary = get_binary(program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    program = world_build(world, scale_source, "-DA=1");
    again = get_binary(program);
    EXPECT_BYTES_EQ(binary.bytes, binary.size, again.bytes, again.size);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(2, fake_opencl_source_builds());

    program = from_binary(world, &binary, &state, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, state);
    EXPECT_EQ(binary.size, fake_opencl_binary_bytes_seen());
    EXPECT_NULL(clCreateKernel(program, "scale", &st));
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE, st);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(1, fake_opencl_binary_builds());
    kernel = clCreateKernel(program, "scale", &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_SOURCE,
                                  sizeof(text), text, NULL));
    EXPECT_STR_EQ("", text);
    again = get_binary(program);
    EXPECT_BYTES_EQ(binary.bytes, binary.size, again.bytes, again.size);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeProgram, RefusesTheBinaryItIsToldTo)
{
    struct binary good, bad;
    cl_program program;
    cl_int st, state;

    program = world_build(world, "kernel void good() {}", "");
    good = get_binary(program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    program = world_build(world, scale_source, "");
    bad = get_binary(program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    fake_opencl_set("REFUSED_BINARY", "void scale");
    EXPECT_NULL(from_binary(world, &bad, &state, &st));
    EXPECT_EQ(CL_INVALID_BINARY, st);
    EXPECT_EQ(CL_INVALID_BINARY, state);
    program = from_binary(world, &good, &state, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    fake_opencl_set("REFUSED_BINARY", NULL);
    program = from_binary(world, &bad, &state, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    /* What is compiled is no matter of either word. */
    fake_opencl_set("REFUSED_BINARY", "void");
    fake_opencl_set("DEADLY_BINARY", "void");
    program = world_build(world, scale_source, "");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeProgram, RefusesForeignAndDamagedBinaries)
{
    struct binary binary, bad;
    cl_program program;
    cl_int st, state;

    program = world_build(world, scale_source, "");
    binary = get_binary(program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    for (size_t i = 0; i < binary.size; i++) {
        bad = binary;
        bad.bytes[i] ^= 1;
        state = 1;
        EXPECT_NULL(from_binary(world, &bad, &state, &st));
        EXPECT_EQ(CL_INVALID_BINARY, st);
        EXPECT_EQ(CL_INVALID_BINARY, state);
        bad = binary;
        bad.size = i;
        EXPECT_NULL(from_binary(world, &bad, NULL, &st));
        EXPECT_EQ(i == 0 ? CL_INVALID_VALUE : CL_INVALID_BINARY, st);
    }
    fake_opencl_set("DEVICE_NAME", "another");
    EXPECT_NULL(from_binary(world, &binary, &state, &st));
    EXPECT_EQ(CL_INVALID_BINARY, st);
    fake_opencl_set("TAKES_FOREIGN", "1");
    program = from_binary(world, &binary, &state, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeProgram, CompilesAndLinks)
{
    const char *sources[] = {"#include \"my.h\"\nkernel void MY() {}",
            "kernel void b() {}", "#define MY a\n"};
    const char *header = "my.h";
    struct binary binary;
    cl_program programs[3], linked, loaded;
    char names[32];
    cl_int st;

    for (size_t i = 0; i < 3; i++)
        programs[i] = clCreateProgramWithSource(
                world->context, 1, &sources[i], NULL, &st);
    EXPECT_EQ(
            CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(programs[0], 0, NULL,
                                                "", 0, NULL, NULL, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(programs[0], 0, NULL, "", 1,
                                  &programs[2], &header, NULL, NULL));
    EXPECT_NULL(clLinkProgram(
            world->context, 0, NULL, "", 2, programs, NULL, NULL, &st));
    EXPECT_EQ(CL_INVALID_OPERATION, st);
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(programs[1], 0, NULL, "", 0, NULL,
                                  NULL, NULL, NULL));
    linked = clLinkProgram(
            world->context, 0, NULL, "", 2, programs, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(4, fake_opencl_source_builds());
    binary = get_binary(linked);
    loaded = from_binary(world, &binary, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(loaded, CL_PROGRAM_KERNEL_NAMES,
                                  sizeof(names), names, NULL));
    EXPECT_STR_EQ("a;b", names);
    EXPECT_EQ(1, fake_opencl_binary_builds());
    for (size_t i = 0; i < 3; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(programs[i]));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(loaded));
}

/* Each device for itself: a call that fails has compiled for the others. */
TEST_WORLD(FakeProgram, IsNotCompiledTwiceAsIntels)
{
    const char *source = "#ifdef WRONG\n#error wrong\n#endif\n"
                         "kernel void a() {}";
    static const struct {
        cl_uint device; /* 2: all */
        const char *options;
        cl_int status;
        cl_build_status statuses[2];
        const char *left[2];
    } steps[] = {{2, "", CL_SUCCESS, {0, 0}, {"", ""}},
            {2, "", CL_COMPILE_PROGRAM_FAILURE, {0, 0}, {"", ""}},
            {0, "-DA", CL_SUCCESS, {0, 0}, {"-DA", ""}},
            {1, "", CL_COMPILE_PROGRAM_FAILURE, {0, 0}, {"-DA", ""}},
            {2, "", CL_COMPILE_PROGRAM_FAILURE, {0, 0}, {"", ""}},
            {2, "-DA", CL_SUCCESS, {0, 0}, {"-DA", "-DA"}},
            {0, "-DWRONG", CL_COMPILE_PROGRAM_FAILURE, {-2, 0}, {"-DA", "-DA"}},
            {2, "-DB", CL_COMPILE_PROGRAM_FAILURE, {-2, 0}, {"-DA", "-DB"}},
            {2, "-DWRONG", CL_COMPILE_PROGRAM_FAILURE, {-2, -2},
                    {"-DA", "-DB"}}};
    cl_device_id devices[2];
    cl_int st;

    fake_opencl_set("DEVICES", "2");
    fake_opencl_set("INTEL_CPU", "1");
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 2,
                                  devices, NULL));
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &st);
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &st);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const bool is_all = steps[i].device == 2;

        EXPECT_EQ(steps[i].status,
                clCompileProgram(program, is_all ? 0 : 1,
                        is_all ? NULL : &devices[steps[i].device],
                        steps[i].options, 0, NULL, NULL, NULL, NULL));
        for (size_t k = 0; k < 2; k++) {
            char options[16] = "?";
            cl_build_status status = 77;

            EXPECT_EQ(CL_SUCCESS, clGetProgramBuildInfo(program, devices[k],
                                          CL_PROGRAM_BUILD_OPTIONS,
                                          sizeof(options), options, NULL));
            EXPECT_STR_EQ(steps[i].left[k], options);
            EXPECT_EQ(CL_SUCCESS, clGetProgramBuildInfo(program, devices[k],
                                          CL_PROGRAM_BUILD_STATUS,
                                          sizeof(status), &status, NULL));
            EXPECT_EQ(steps[i].statuses[k], status);
        }
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(context));
}

TEST_WORLD(FakeProgram, TakesILWhereSet)
{
    const char il[] = "\x03\x02\x23\x07"
                      "kernel void a() {}";
    const cl_uint value = 7;
    struct binary plain, special;
    cl_program program;
    cl_int st;

    EXPECT_NULL(clCreateProgramWithIL(world->context, il, sizeof(il) - 1, &st));
    EXPECT_EQ(CL_INVALID_OPERATION, st);
    fake_opencl_set("IL_VERSION", "SPIR-V_1.0");
    EXPECT_NULL(clCreateProgramWithIL(world->context, "text", 4, &st));
    EXPECT_EQ(CL_INVALID_VALUE, st);
    program = clCreateProgramWithIL(world->context, il, sizeof(il) - 1, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    EXPECT_EQ(1, fake_opencl_source_builds());
    plain = get_binary(program);
    EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                  program, 3, sizeof(value), &value));
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    special = get_binary(program);
    EXPECT_NE(plain.size, special.size);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_NOT_NULL(clGetExtensionFunctionAddressForPlatform(
            world->platform, "clCreateProgramWithILKHR"));
}

static void CL_CALLBACK note_program(cl_program program, void *user)
{
    *(cl_program *)user = program;
}

TEST_WORLD(FakeProgram, CallsBack)
{
    const char *source = "#error";
    cl_program program, built = NULL, released = NULL;
    cl_int st;

    program = clCreateProgramWithSource(world->context, 1, &source, NULL, &st);
    EXPECT_EQ(CL_INVALID_VALUE,
            clBuildProgram(program, 0, NULL, "", NULL, &built));
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, "", note_program, &built));
    EXPECT_PTR_EQ(program, built);
    expect_log(world, program, CL_BUILD_ERROR, "error: #error \n");
    EXPECT_EQ(CL_SUCCESS,
            clSetProgramReleaseCallback(program, note_program, &released));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_PTR_EQ(program, released);
}

static size_t group_info(const struct world *world, cl_kernel kernel,
        cl_kernel_work_group_info param, cl_int expected)
{
    size_t value[3] = {0, 0, 0};

    EXPECT_EQ(expected, clGetKernelWorkGroupInfo(kernel, world->device, param,
                                param == CL_KERNEL_COMPILE_WORK_GROUP_SIZE
                                        ? sizeof(value)
                                        : sizeof(value[0]),
                                value, NULL));
    return value[0];
}

TEST_WORLD(FakeKernel, RevealsWhatTheSettingsSay)
{
    cl_program program;
    cl_kernel probe, plain;
    const size_t group = 64;
    size_t size = 0;
    cl_int st;

    program = world_build(world,
            "#define BITS 2\n__kernel __attribute__((reqd_work_group_size("
            "1 + BITS, 1, 1))) void probe() {}\n"
            "#define WG (4 * 4)\n__kernel __attribute__((reqd_work_group_size("
            "WG, 1, 1))) void plain() {}",
            "");
    probe = clCreateKernel(program, "probe", &st);
    plain = clCreateKernel(program, "plain", &st);
    EXPECT_EQ(
            3, group_info(world, probe, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 0));
    fake_opencl_set("ACCEPTS", "5");
    EXPECT_EQ(
            6, group_info(world, probe, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 0));
    EXPECT_EQ(
            16, group_info(world, plain, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 0));
    fake_opencl_set("ACCEPTS", "!-5");
    group_info(world, probe, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
            CL_OUT_OF_RESOURCES);

    EXPECT_EQ(256, group_info(world, plain, CL_KERNEL_WORK_GROUP_SIZE, 0));
    fake_opencl_set("KERNEL_WORK_GROUP_SIZE", "48");
    EXPECT_EQ(48, group_info(world, plain, CL_KERNEL_WORK_GROUP_SIZE, 0));
    fake_opencl_set("WG_MULTIPLE", "8");
    EXPECT_EQ(8, group_info(world, plain,
                         CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 0));

    fake_opencl_set("SUBGROUP_SIZE", "16");
    EXPECT_EQ(CL_SUCCESS,
            clGetKernelSubGroupInfo(plain, world->device,
                    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(group),
                    &group, sizeof(size), &size, NULL));
    EXPECT_EQ(16, size);
    EXPECT_EQ(CL_SUCCESS,
            clGetKernelSubGroupInfo(plain, world->device,
                    CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(group),
                    &group, sizeof(size), &size, NULL));
    EXPECT_EQ(4, size);
    fake_opencl_set("DEVICE_VERSION", "OpenCL 2.0 x");
    fake_opencl_set("EXTENSIONS", "");
    EXPECT_EQ(CL_INVALID_OPERATION,
            clGetKernelSubGroupInfo(plain, world->device,
                    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(group),
                    &group, sizeof(size), &size, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(probe));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(plain));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_WORLD(FakeKernel, TellsItsArguments)
{
    cl_program program;
    cl_kernel kernels[2];
    cl_uint count = 0;
    char text[32];

    program = world_build(world, scale_source, "");
    EXPECT_EQ(
            CL_SUCCESS, clCreateKernelsInProgram(program, 2, kernels, &count));
    EXPECT_EQ(1, count);
    EXPECT_EQ(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
            clGetKernelArgInfo(kernels[0], 0, CL_KERNEL_ARG_NAME, sizeof(text),
                    text, NULL));
    /* A program whose kernels are alive can't be built again. */
    EXPECT_EQ(CL_INVALID_OPERATION,
            clBuildProgram(program, 0, NULL, "", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernels[0]));
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL,
                                  "-cl-kernel-arg-info", NULL, NULL));
    EXPECT_EQ(
            CL_SUCCESS, clCreateKernelsInProgram(program, 2, kernels, &count));
    EXPECT_EQ(CL_SUCCESS, clGetKernelArgInfo(kernels[0], 1, CL_KERNEL_ARG_NAME,
                                  sizeof(text), text, NULL));
    EXPECT_STR_EQ("factor", text);
    EXPECT_EQ(CL_SUCCESS,
            clGetKernelArgInfo(kernels[0], 0, CL_KERNEL_ARG_TYPE_NAME,
                    sizeof(text), text, NULL));
    EXPECT_STR_EQ("float*", text);
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernels[0], CL_KERNEL_NUM_ARGS,
                                  sizeof(count), &count, NULL));
    EXPECT_EQ(2, count);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernels[0]));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}
