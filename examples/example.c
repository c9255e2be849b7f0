/* SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- The command line ---------------------------------------------------- */

enum { exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_wrong = 3 };

/* Strings are those of argv. */
struct options {
    const char *path;
    const char *platform;
    bool help;
};

static bool mistake(const char *what, const char *argument)
{
    fprintf(stderr, "%s: %s%s (--help tells more)\n",
            program_invocation_short_name, what, argument);
    return false;
}

static bool parse(struct options *options, const struct example *example,
        int argc, char **argv)
{
    static const struct option known[] = {
            {"platform", required_argument, NULL, 'p'},
            {"help", no_argument, NULL, 'h'},
            {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == '?') return mistake("wrong usage", "");
        if (option == 'p') options->platform = optarg;
        if (option == 'h') return options->help = true;
    }
    if (optind + 1 < argc)
        return mistake("one argument too many: ", argv[optind + 1]);
    if (optind == argc || argv[optind][0] == '\0')
        return mistake("missing: ", example->path_name);
    options->path = argv[optind];
    return true;
}

static void print_help(const struct example *example)
{
    printf("usage: %s [--platform TEXT] %s\n\n%s\n"
           "  %-16s  where blobs are stored; created if missing\n"
           "  --platform TEXT   use an OpenCL platform with TEXT in its name\n"
           "  --help            show this help\n"
           "\n"
           "Exit status: 0 success; 1 the library or the driver failed; 2 "
           "usage\n"
           "error; 3 wrong results. If %s cannot be used, a warning is\n"
           "printed and everything is compiled.\n",
            program_invocation_short_name, example->path_name, example->purpose,
            example->path_name, example->path_name);
}

int example_main(const struct example *example, int argc, char **argv)
{
    struct options options = {.platform = ""};
    struct device device;
    bool right = false;
    if (!parse(&options, example, argc, argv)) return exit_usage;
    if (options.help) {
        print_help(example);
        return exit_ok;
    }
    /* A limit on file sizes must not end this program. */
    signal(SIGXFSZ, SIG_IGN);
    if (!device_open(&device, options.platform)) return exit_failed;
    const dnnl_status_t st = example->run(&device, options.path, &right);
    device_close(&device);
    if (st != dnnl_success) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name,
                dnnl_status2str(st));
        return exit_failed;
    }
    return right ? exit_ok : exit_wrong;
}

/* ---- What is printed ----------------------------------------------------- */

void example_print_time(unsigned long long compiled, double ms)
{
    if (compiled > 0)
        printf("compiled %llu program%s, result in %.1f ms\n", compiled,
                compiled == 1 ? "" : "s", ms);
    else
        printf("from the cache, result in %.1f ms, nothing compiled\n", ms);
}

void example_print_library_time(double ms)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    if (dnnl_cache_get_statistics(&statistics) == dnnl_success)
        example_print_time(statistics.programs_compiled, ms);
}

void example_print_result(double sum, bool right)
{
    printf("result: a sum of %.0f, %s\n", sum, right ? "right" : "WRONG");
}

void example_log(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info)
        fprintf(stderr, "%s: warning: %s\n", program_invocation_short_name,
                text);
}

/* ---- Where blobs are ----------------------------------------------------- */

void example_blob_path(char path[files_path_size], const char *folder,
        size_t id_size, const uint8_t *id)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < id_size; i++)
        hash = (hash ^ id[i]) * 0x100000001b3u;
    const int length = snprintf(
            path, files_path_size, "%s/%016" PRIx64 ".blob", folder, hash);
    if (id_size == 0 || length < 0 || length >= files_path_size) path[0] = '\0';
}

/* ---- A kernel ------------------------------------------------------------ */

bool example_run(const struct device *device, cl_kernel kernel, cl_uint count,
        size_t group, cl_uint *out)
{
    const size_t global = count, bytes = count * sizeof *out;
    cl_int error, ignored;
    cl_mem buffer = clCreateBuffer(
            device->context, CL_MEM_WRITE_ONLY, bytes, NULL, &ignored);
    cl_command_queue queue =
            clCreateCommandQueue(device->context, device->id, 0, &ignored);
    error = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(kernel, 1, sizeof count, &count);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(
                queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(
                queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    if (queue != NULL) clReleaseCommandQueue(queue);
    if (buffer != NULL) clReleaseMemObject(buffer);
    return error == CL_SUCCESS;
}
