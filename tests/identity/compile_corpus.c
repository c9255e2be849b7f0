/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: compile_corpus PLATFORM FILE ...
 * Compiles each file with each line of standard input as the options, and
 * prints file, options, status, size and a digest of the binary. Runs the
 * kernel "launched" of a file that has it. For two runs on drivers that differ
 * in a part: the lines must be equal.
 *
 * PoCL writes random names of temporary files into binaries. In this process
 * these functions of libc give names in order, so that all bytes can be
 * compared: the program is linked so that the driver finds them here.
 */
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* ---- Names of temporary files -------------------------------------------- */

#pragma GCC visibility push(default)
int mkstemp(char *name);
int mkostemp(char *name, int flags);
int mkstemps(char *name, int suffix);
int mkostemps(char *name, int suffix, int flags);
char *mkdtemp(char *name);
#pragma GCC visibility pop

/* False, and errno, if the name does not end with six X and so many others. */
static bool write_next_name(char *name, int suffix)
{
    static unsigned last;
    char number[7];
    const size_t size = strlen(name);
    const size_t after = suffix > 0 ? (size_t)suffix : 0;
    if (suffix < 0 || size < after + 6) {
        errno = EINVAL;
        return false;
    }
    snprintf(number, sizeof number, "%06u", ++last % 1000000);
    memcpy(name + size - after - 6, number, 6);
    return true;
}

int mkostemps(char *name, int suffix, int flags)
{
    if (!write_next_name(name, suffix)) return -1;
    return open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

int mkstemps(char *name, int suffix)
{
    return mkostemps(name, suffix, 0);
}
int mkostemp(char *name, int flags)
{
    return mkostemps(name, 0, flags);
}
int mkstemp(char *name)
{
    return mkostemps(name, 0, 0);
}

char *mkdtemp(char *name)
{
    return write_next_name(name, 0) && mkdir(name, 0700) == 0 ? name : NULL;
}

/* ---- Compiling ----------------------------------------------------------- */

enum { items = 64, most_files = 16, most_devices = 16 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void must(cl_int error, const char *what)
{
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "compile_corpus: %s: %d\n", what, error);
    exit(1);
}

static void find_device(const char *platform)
{
    cl_platform_id platforms[most_devices];
    cl_uint count = 0;
    cl_int error;
    must(clGetPlatformIDs(most_devices, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count && i < most_devices && device == NULL; i++) {
        char name[256] = "";
        must(clGetPlatformInfo(
                     platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL),
                "a platform's name");
        if (strstr(name, platform) != NULL)
            must(clGetDeviceIDs(
                         platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL),
                    "a device");
    }
    if (device == NULL) must(CL_DEVICE_NOT_FOUND, platform);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "a context");
}

/* When the first kernel is run: the OpenCL loader hangs in this call on
 * Oclgrind. */
static void create_queue(void)
{
    cl_int error;
    if (queue != NULL) return;
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    must(error, "a queue");
}

static char *read_file(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    if (file == NULL) must(CL_INVALID_VALUE, path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Is what it wrote right? */
static void launch(cl_program program)
{
    const size_t global = items;
    const size_t local = 8;
    cl_int out[items] = {0};
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "launched", &error);
    if (error == CL_INVALID_KERNEL_NAME) return;
    must(error, "launched");
    create_queue();
    cl_mem memory = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    must(error, "a buffer");
    must(clSetKernelArg(kernel, 0, sizeof memory, &memory), "an argument");
    must(clEnqueueNDRangeKernel(
                 queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "a launch");
    must(clEnqueueReadBuffer(
                 queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
            "reading");
    for (int i = 0; i < items; i++)
        if (out[i] != i * 7 + i % 8) must(CL_INVALID_VALUE, "a wrong result");
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
}

static void compile(const char *path, const char *options)
{
    const char *text = read_file(path);
    size_t size = 0;
    cl_int error;
    cl_program program =
            clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "a program");
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    const char *name = strrchr(path, '/');
    printf("%s %s|%d", name != NULL ? name + 1 : path, options, error);
    if (error == CL_SUCCESS) {
        must(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size,
                     &size, NULL),
                "a size");
        unsigned char *binary = malloc(size);
        must(binary == NULL || size == 0
                        ? CL_OUT_OF_HOST_MEMORY
                        : clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                sizeof binary, &binary, NULL),
                "a binary");
        const XXH128_hash_t digest = XXH3_128bits(binary, size);
        printf("|%zu|%016" PRIx64 "%016" PRIx64, size, (uint64_t)digest.high64,
                (uint64_t)digest.low64);
        if (strstr(text, "void launched(") != NULL) launch(program);
        free(binary);
    }
    printf("\n");
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    char options[1024];
    if (argc < 3) return 2;
    find_device(argv[1]);
    while (fgets(options, sizeof options, stdin) != NULL) {
        options[strcspn(options, "\n")] = '\0';
        for (int i = 2; i < argc; i++)
            compile(argv[i], options);
    }
    if (queue != NULL) clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return ferror(stdin) || fflush(stdout) != 0 ? 1 : 0;
}
