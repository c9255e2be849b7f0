// SPDX-License-Identifier: Apache-2.0
//
// framework.cpp: a small inference framework, seen from the driver: 30 programs
// with 78 kernels of various forms, each built and launched once, as at a
// start.
//
//     framework --mode plain                      every program is compiled
//     framework --mode library --store FOLDER     the same with this library
//     framework --mode library --store FOLDER     ... which compiled it before
//     framework --mode library --workers 2        serves while others compile
//     dnnl-cache-run -- framework --mode plain    the same with the layer
//
// In mode library a program is created in one call, and launches are reported;
// nothing else differs. With --workers the first program is created as ever,
// and the others are built in the background from its first result on. The
// kernels compute with integers, so every device has the same results. --json
// writes how long the process took until all results were there and until the
// first was, how long its end took (including what library and layer do at
// exit), and how much processor time all of it took.
//
extern "C" {
#include "support/clock.h"
#include "support/device.h"
#include "support/files.h"
}
#include <dnnl_cache/persistent_cache.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace
{

using numbers = std::vector<cl_uint>;

const size_t count = 4096; // numbers of the input
const int programs = 30, kernels = 78;

// ---- The forms of kernels
//
// Each has `in` and `out` of `count` numbers and is compiled with two numbers
// of its own: the rounds of a loop, and a factor.

struct launch {
    cl_uint dims;
    size_t offset[3], global[3], local[3]; // local 0: as the driver likes
};

struct form {
    const char *name;
    const char *source; // NAME, ROUNDS and FACTOR are replaced
    launch how;
    // The result at i.
    cl_uint (*value)(const numbers &, size_t i, cl_uint, cl_uint);
};

cl_uint scramble(cl_uint n, cl_uint rounds, cl_uint factor)
{
    for (cl_uint r = 0; r < rounds; r++)
        n = (n ^ (n >> 7)) * factor + r;
    return n;
}

#define SCRAMBLE                               \
    "    for (uint r = 0; r < ROUNDSu; r++)\n" \
    "        n = (n ^ (n >> 7)) * FACTORu + r;\n"
#define HEAD \
    "__kernel void NAME(__global uint *out, __global const uint *in)\n{\n"

constexpr form forms[] = {
        {"map",
                HEAD "    size_t i = get_global_id(0);\n"
                     "    uint n = in[i];\n" SCRAMBLE "    out[i] = n;\n}\n",
                {1, {0, 0, 0}, {count, 1, 1}, {64, 1, 1}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    return scramble(in[i], rounds, factor);
                }},
        {"transpose",
                HEAD "    __local uint tile[8][8];\n"
                     "    size_t x = get_local_id(0), y = get_local_id(1);\n"
                     "    size_t i = get_global_id(1) * 64 + "
                     "get_global_id(0);\n"
                     "    tile[y][x] = in[i];\n"
                     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "    uint n = tile[x][y];\n" SCRAMBLE
                     "    out[i] = n;\n}\n",
                {2, {0, 0, 0}, {64, 64, 1}, {8, 8, 1}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    const size_t x = i % 64, y = i / 64;
                    const size_t at = (y / 8 * 8 + x % 8) * 64 //
                                      + x / 8 * 8 + y % 8;
                    return scramble(in[at], rounds, factor);
                }},
        {"reduce",
                HEAD "    __local uint sum[32];\n"
                     "    size_t i = get_global_id(0), l = get_local_id(0);\n"
                     "    sum[l] = in[i];\n"
                     "    for (uint s = 16; s > 0; s >>= 1) {\n"
                     "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "        if (l < s) sum[l] += sum[l + s];\n"
                     "    }\n"
                     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "    uint n = sum[0] + in[i];\n" SCRAMBLE
                     "    out[i] = n;\n}\n",
                {1, {0, 0, 0}, {count, 1, 1}, {32, 1, 1}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    cl_uint sum = in[i];
                    for (size_t k = 0; k < 32; k++)
                        sum += in[i / 32 * 32 + k];
                    return scramble(sum, rounds, factor);
                }},
        {"row",
                HEAD "    size_t i = get_global_id(1) * get_global_size(0) + "
                     "get_global_id(0);\n"
                     "    size_t row = i / 128 * 128;\n"
                     "    uint n = 0;\n"
                     "    for (uint k = 0; k < 128; k++)\n"
                     "        n = n * 3u + in[row + k];\n"
                     "    n += in[i];\n" SCRAMBLE "    out[i] = n;\n}\n",
                {2, {0, 0, 0}, {128, count / 128, 1}, {0, 0, 0}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    cl_uint n = 0;
                    for (size_t k = 0; k < 128; k++)
                        n = n * 3 + in[i / 128 * 128 + k];
                    return scramble(n + in[i], rounds, factor);
                }},
        {"wide",
                HEAD "    size_t i = get_global_id(0);\n"
                     "    uint4 n = vload4(i, in);\n"
                     "    for (uint r = 0; r < ROUNDSu; r++)\n"
                     "        n = (n ^ (n >> 7)) * FACTORu + r;\n"
                     "    vstore4(n, i, out);\n}\n",
                {1, {0, 0, 0}, {count / 4, 1, 1}, {16, 1, 1}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    return scramble(in[i], rounds, factor);
                }},
        {"part",
                HEAD "    size_t i = get_global_id(0);\n"
                     "    uint n = in[i] + in[i - 1024];\n" SCRAMBLE
                     "    out[i] = n;\n}\n",
                {1, {1024, 0, 0}, {count - 1024, 1, 1}, {64, 1, 1}},
                [](const numbers &in, size_t i, cl_uint rounds,
                        cl_uint factor) {
                    return i < 1024 ? 0
                                    : scramble(in[i] + in[i - 1024], rounds,
                                            factor);
                }},
};
const size_t form_count = sizeof forms / sizeof *forms;

// Kernel number k of program p: three in the first 18, two in the others.
int kernels_of(int p)
{
    return p < kernels - 2 * programs ? 3 : 2;
}
const form &form_of(int p, int k)
{
    return forms[static_cast<size_t>(p + k) % form_count];
}
cl_uint rounds_of(int p, int k)
{
    return static_cast<cl_uint>(3 + (p * 3 + k) % 11);
}
cl_uint factor_of(int p, int k)
{
    return static_cast<cl_uint>(2 * (100 * p + 10 * k) + 5);
}
std::string name_of(int p, int k)
{
    return std::string(form_of(p, k).name) + "_" + std::to_string(k);
}

void replace(std::string &text, const char *what, const std::string &by)
{
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;)
        text.replace(at, std::strlen(what), by);
}

std::string source_of(int p)
{
    std::string all;
    for (int k = 0; k < kernels_of(p); k++) {
        std::string one = form_of(p, k).source;
        replace(one, "NAME", name_of(p, k));
        replace(one, "ROUNDS", std::to_string(rounds_of(p, k)));
        replace(one, "FACTOR", std::to_string(factor_of(p, k)));
        all += one;
    }
    return all;
}

// ---- The framework

void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS)
        throw std::runtime_error(
                std::string(what) + ": error " + std::to_string(error));
}
void check(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success)
        throw std::runtime_error(
                std::string(what) + ": " + dnnl_status2str(status));
}

// One program of either mode.
struct program {
    cl_program plain = nullptr;
    dnnl_cache_program_t cached = nullptr;
};

struct framework {
    struct device device = {};
    cl_command_queue queue = nullptr;
    cl_mem in = nullptr, out = nullptr;
    dnnl_engine_t engine = nullptr;             // mode library
    dnnl_cache_build_queue_t builds = nullptr;  // --workers
    std::vector<dnnl_cache_build_job_t> coming; // from the second program on
    std::vector<program> made;
};

const char options[] = "-cl-std=CL1.2";

dnnl_cache_program_desc_t describe(const framework &f, int p)
{
    const std::string text = source_of(p);
    const char *source = text.c_str();
    dnnl_cache_program_desc_t desc;
    check(dnnl_cache_program_desc_create(
                  &desc, f.engine, 1, &source, nullptr, options),
            "dnnl_cache_program_desc_create");
    return desc;
}

// All but the first program; what is needed first is built first.
void submit_rest(framework &f, int wanted_programs)
{
    for (int p = 1; p < wanted_programs; p++) {
        dnnl_cache_build_job_t job = nullptr;
        dnnl_cache_program_desc_t desc = describe(f, p);
        const dnnl_status_t st = dnnl_cache_build_queue_submit(
                f.builds, desc, -p, nullptr, nullptr, &job);
        dnnl_cache_program_desc_destroy(desc);
        check(st, "dnnl_cache_build_queue_submit");
        f.coming.push_back(job);
    }
}

program make_program(const framework &f, int p)
{
    const std::string text = source_of(p);
    const char *source = text.c_str();
    program made;
    if (!f.coming.empty()) {
        // Without a limit: if no worker has begun it, it is built here.
        check(dnnl_cache_build_job_wait(f.coming[static_cast<size_t>(p - 1)],
                      UINT64_MAX, &made.cached),
                "dnnl_cache_build_job_wait");
        return made;
    }
    if (f.engine != nullptr) {
        dnnl_cache_program_desc_t desc = describe(f, p);
        const dnnl_status_t st = dnnl_cache_program_create(&made.cached, desc);
        dnnl_cache_program_desc_destroy(desc);
        check(st, "dnnl_cache_program_create");
        return made;
    }
    cl_int error;
    made.plain = clCreateProgramWithSource(
            f.device.context, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(
                  made.plain, 1, &f.device.id, options, nullptr, nullptr),
            "clBuildProgram");
    return made;
}

cl_kernel make_kernel(const program &from, const char *name)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = nullptr;
    if (from.cached != nullptr)
        check(dnnl_cache_program_get_kernel(from.cached, name, &kernel),
                "dnnl_cache_program_get_kernel");
    else
        kernel = clCreateKernel(from.plain, name, &error);
    check(error, "clCreateKernel");
    return kernel;
}

// Launches a kernel on the input; the sum of its results, which are checked.
uint64_t run_kernel(const framework &f, const program &from, int p, int k,
        const numbers &input)
{
    const form &form = form_of(p, k);
    const launch &how = form.how;
    const cl_uint zero = 0;
    const std::string name = name_of(p, k);
    numbers result(count);
    cl_kernel kernel = make_kernel(from, name.c_str());
    check(clSetKernelArg(kernel, 0, sizeof f.out, &f.out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof f.in, &f.in), "clSetKernelArg");
    check(clEnqueueFillBuffer(f.queue, f.out, &zero, sizeof zero, 0,
                  count * sizeof zero, 0, nullptr, nullptr),
            "clEnqueueFillBuffer");
    const size_t *offset = how.offset[0] > 0 ? how.offset : nullptr;
    const size_t *local = how.local[0] > 0 ? how.local : nullptr;
    check(clEnqueueNDRangeKernel(f.queue, kernel, how.dims, offset, how.global,
                  local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    if (from.cached != nullptr)
        check(dnnl_cache_program_note_launch(from.cached, name.c_str(),
                      how.dims, offset, how.global, local),
                "dnnl_cache_program_note_launch");
    check(clEnqueueReadBuffer(f.queue, f.out, CL_TRUE, 0, count * sizeof zero,
                  result.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    clReleaseKernel(kernel);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (result[i] != form.value(input, i, rounds_of(p, k), factor_of(p, k)))
            throw std::domain_error("program " + std::to_string(p) + ", kernel "
                                    + name + ": wrong result "
                                    + std::to_string(i));
        sum += result[i];
    }
    return sum;
}

void start(framework &f, const numbers &input)
{
    cl_int error;
    f.queue = clCreateCommandQueue(f.device.context, f.device.id, 0, &error);
    check(error, "clCreateCommandQueue");
    f.in = clCreateBuffer(f.device.context, CL_MEM_COPY_HOST_PTR,
            count * sizeof(cl_uint), const_cast<cl_uint *>(input.data()),
            &error);
    check(error, "clCreateBuffer");
    f.out = clCreateBuffer(
            f.device.context, 0, count * sizeof(cl_uint), nullptr, &error);
    check(error, "clCreateBuffer");
}

// The first kernel of each program alone, or all; the sum of all results.
// *first receives when those of the first program were there.
uint64_t serve(framework &f, int wanted_programs, bool half, double *first)
{
    numbers input(count);
    for (size_t i = 0; i < count; i++)
        input[i] = scramble(static_cast<cl_uint>(i), 3, 2654435761u);
    start(f, input);
    uint64_t sum = 0;
    for (int p = 0; p < wanted_programs; p++) {
        f.made.push_back(make_program(f, p));
        const int wanted = half ? 1 : kernels_of(p);
        for (int k = 0; k < wanted; k++)
            sum += run_kernel(f, f.made.back(), p, k, input);
        if (p > 0) continue;
        *first = clock_ms();
        if (f.builds != nullptr) submit_rest(f, wanted_programs);
    }
    return sum;
}

void end(framework &f)
{
    dnnl_cache_build_queue_destroy(f.builds);
    for (dnnl_cache_build_job_t job : f.coming)
        dnnl_cache_build_job_destroy(job);
    for (const program &p : f.made) {
        dnnl_cache_program_destroy(p.cached);
        if (p.plain != nullptr) clReleaseProgram(p.plain);
    }
    if (f.out != nullptr) clReleaseMemObject(f.out);
    if (f.in != nullptr) clReleaseMemObject(f.in);
    if (f.queue != nullptr) clReleaseCommandQueue(f.queue);
    dnnl_engine_destroy(f.engine);
    device_close(&f.device);
}

// ---- The command

struct report {
    std::string path; // "": none
    double first_ms = 0, ready_ms = 0, end_began_ms = 0;
    uint64_t checksum = 0;
} report;

double seconds(const timeval &time)
{
    return static_cast<double>(time.tv_sec)
           + 1e-6 * static_cast<double>(time.tv_usec);
}

// Registered before the first call of OpenCL, so that it runs after what
// driver, library and layer do at exit.
void write_report()
{
    rusage used;
    if (report.path.empty()) return;
    getrusage(RUSAGE_SELF, &used);
    std::FILE *file = std::fopen(report.path.c_str(), "w");
    bool written = file != nullptr;
    if (file != nullptr)
        written = std::fprintf(file,
                          "{\"first\": %.3f, \"ready\": %.3f, "
                          "\"exit\": %.3f, \"cpu\": %.6f, "
                          "\"checksum\": %llu}\n",
                          report.first_ms, report.ready_ms,
                          clock_ms() - report.end_began_ms,
                          seconds(used.ru_utime) + seconds(used.ru_stime),
                          static_cast<unsigned long long>(report.checksum))
                  > 0;
    if (file != nullptr && std::fclose(file) != 0) written = false;
    if (written) return;
    files_warn(report.path.c_str(), "cannot be written");
    std::_Exit(1); // the process is at its end: nothing else sets its status
}

struct arguments {
    std::string mode, store, platform, json;
    int programs = ::programs;
    int workers = 0; // 0: no queue
    bool half = false, help = false;
};

// Of --programs and --workers; 0 if it is none.
int number_of(const char *text, int most)
{
    char *end;
    const long number = std::strtol(text, &end, 10);
    return *end == '\0' && number > 0 && number <= most
                   ? static_cast<int>(number)
                   : 0;
}

bool parse(int argc, char **argv, arguments &a)
{
    static const option known[] = {{"mode", required_argument, nullptr, 'm'},
            {"store", required_argument, nullptr, 's'},
            {"half", no_argument, nullptr, 'h'},
            {"programs", required_argument, nullptr, 'n'},
            {"workers", required_argument, nullptr, 'w'},
            {"json", required_argument, nullptr, 'j'},
            {"platform", required_argument, nullptr, 'p'},
            {"help", no_argument, nullptr, '?' + 1}, {nullptr, 0, nullptr, 0}};
    for (int c; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (c) {
        case 'm':
            a.mode = optarg;
            break;
        case 's':
            a.store = optarg;
            break;
        case 'h':
            a.half = true;
            break;
        case 'n':
            a.programs = number_of(optarg, programs);
            if (a.programs == 0) return false;
            break;
        case 'w':
            a.workers = number_of(optarg, DNNL_CACHE_MAX_BUILD_WORKERS);
            if (a.workers == 0) return false;
            break;
        case 'j':
            a.json = optarg;
            break;
        case 'p':
            a.platform = optarg;
            break;
        case '?' + 1:
            a.help = true;
            break;
        default:
            return false;
        }
    }
    return a.help
           || (optind == argc
                   && (a.mode == "library"
                           || (a.mode == "plain" && a.workers == 0)));
}

const char usage[] =
        "usage: framework --mode plain|library [--store FOLDER] [--half]\n"
        "                 [--programs N] [--workers N] [--json FILE]\n"
        "                 [--platform TEXT]\n"
        "30 programs with 78 kernels, each compiled (plain) or created by the\n"
        "library, which keeps them in FOLDER; without a folder it keeps none.\n"
        "--half launches the first kernel of each program only; --programs\n"
        "makes the first N alone; --workers (mode library) builds all but the\n"
        "first on N threads besides. Exit status: 0 success; 1 the library or\n"
        "the driver failed; 2 wrong usage; 3 wrong results.\n";

int run(const arguments &a, double began)
{
    framework f;
    int code = 0;
    try {
        if (!device_open(&f.device, a.platform.c_str())) return 1;
        if (a.mode == "library") {
            if (!a.store.empty()) {
                check(dnnl_cache_persistent_set_dir(a.store.c_str()),
                        "dnnl_cache_persistent_set_dir");
                check(dnnl_cache_persistent_set_capacity(256),
                        "dnnl_cache_persistent_set_capacity");
            }
            check(dnnl_ocl_interop_engine_create(
                          &f.engine, f.device.id, f.device.context),
                    "dnnl_ocl_interop_engine_create");
        }
        if (a.workers > 0) {
            dnnl_cache_build_queue_options_t wanted =
                    DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
            wanted.workers = static_cast<uint32_t>(a.workers);
            check(dnnl_cache_build_queue_create(&f.builds, &wanted),
                    "dnnl_cache_build_queue_create");
        }
        double first_ms = 0;
        report.checksum = serve(f, a.programs, a.half, &first_ms);
        report.first_ms = first_ms - began;
        report.ready_ms = clock_ms() - began;
    } catch (const std::exception &e) {
        files_warn(a.mode.c_str(), e.what());
        code = dynamic_cast<const std::domain_error *>(&e) != nullptr ? 3 : 1;
    }
    report.end_began_ms = clock_ms();
    end(f);
    if (code == 0)
        std::printf("ready in %.0f ms, checksum %016llx\n", report.ready_ms,
                static_cast<unsigned long long>(report.checksum));
    if (code == 0 && std::fflush(stdout) != 0) {
        files_warn("standard output", "cannot be written");
        code = 1;
    }
    return code;
}

} // namespace

int main(int argc, char **argv)
{
    const double began = clock_ms();
    arguments a;
    if (!parse(argc, argv, a)) {
        std::fputs(usage, stderr);
        return 2;
    }
    if (a.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    std::atexit(write_report);
    const int code = run(a, began);
    if (code == 0) report.path = a.json;
    return code;
}
