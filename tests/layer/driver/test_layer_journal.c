/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layer leaves to "dnnl-cache refresh": builds and launches for a
 * driver that compiles to return binaries, in the journal of the store. And
 * when a driver is not asked for binaries at all.
 */
#include "application.h"

#include "dnnl_cache/journal.h"
#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define POCL "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language"
#define BUDGET(seconds) "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=" seconds

static const char *const never[] = {POCL, BUDGET("0"), NULL};
static const char *const always[] = {POCL, BUDGET("unlimited"), NULL};

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

/* ---- The journal --------------------------------------------------------- */

struct notes {
    unsigned builds;
    unsigned launches;
    char launch[16][64]; /* "one 64-1-1", in order */
};

/* A dimension that is not there has one item. */
static size_t size_of(size_t noted)
{
    return noted > 0 ? noted : 1;
}

static bool add_note(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    struct notes *notes = user;
    const dnnl_cache_note_t *note = item->note;
    EXPECT_EQ(dnnl_cache_note_layer, note->origin);
    if (note->kind == dnnl_cache_note_launch && notes->launches < 16) {
        (void)snprintf(notes->launch[notes->launches++], 64,
                "%s %zu-%zu-%zu%s%s", note->kernel, note->local_size[0],
                size_of(note->local_size[1]), size_of(note->local_size[2]),
                note->has_offset ? " offset" : "",
                note->is_small_grid ? "" : " large");
        return true;
    }
    notes->builds++;
    EXPECT_EQ(dnnl_cache_note_executable, note->type);
    EXPECT_EQ(1, note->source_count);
    EXPECT_NOT_NULL(strstr(note->sources[0], "kernel void one"));
    EXPECT_STR_EQ("-DA=1", note->options);
    EXPECT_EQ(0, note->reads_files);
    EXPECT_GE(note->compile_ns, 20000000);
    return true;
}

static dnnl_cache_store_handle_t *open_store(void)
{
    char path[512];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    (void)snprintf(path, sizeof path, "%s/store", test_directory());
    options.path = path;
    EXPECT_STATUS(
            dnnl_success, dnnl_cache_store_open(&store, "flat", &options));
    return store;
}

static struct notes read_notes(void)
{
    struct notes notes = {.builds = 0};
    dnnl_cache_store_handle_t *store = open_store();
    EXPECT_STATUS(dnnl_success,
            dnnl_cache_store_journal_read(store, add_note, &notes));
    dnnl_cache_store_close(store);
    return notes;
}

static void expect_notes(unsigned builds, unsigned launches)
{
    const struct notes notes = read_notes();
    EXPECT_EQ(builds, notes.builds);
    EXPECT_EQ(launches, notes.launches);
}

/* ---- Included files ------------------------------------------------------ */

static bool expect_file(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    static const uint8_t none[32];
    const dnnl_cache_note_t *note = item->note;
    ++*(unsigned *)user;
    EXPECT_EQ(1, note->reads_files);
    EXPECT_NOT_NULL(note->directory);
    EXPECT_EQ(1, note->file_count);
    if (note->file_count != 1) return true;
    EXPECT_NOT_NULL(strstr(note->files[0].path, "/included.h"));
    EXPECT_NE(0, memcmp(none, note->files[0].digest, sizeof none));
    return true;
}

static void build_with_file(void *user)
{
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a,
            "#ifdef NEVER\n#include \"included.h\"\n#endif\n"
            "kernel void one(global float *x) { *x = 1.0f; }");
    build(program, user);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

TEST_C(LayerJournal, HasTheFilesThatAProgramIncludes)
{
    static const char *const cpu[] = {
            POCL, BUDGET("0"), "FAKE_OPENCL_DEVICE_TYPE=cpu", NULL};
    char options[512];
    char path[512];
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "%s/included.h", test_directory());
    FILE *file = fopen(path, "we");
    ASSERT_TRUE(file != NULL && fputs("#define X 1\n", file) >= 0
                && fclose(file) == 0);
    (void)snprintf(options, sizeof options, "-I%s", test_directory());
    ASSERT_EQ(0, run_application(cpu, build_with_file, options));
    EXPECT_EQ(1, counted("deferred"));
    dnnl_cache_store_handle_t *store = open_store();
    EXPECT_STATUS(dnnl_success,
            dnnl_cache_store_journal_read(store, expect_file, &count));
    EXPECT_EQ(1, count);
    dnnl_cache_store_close(store);
}

/* ---- Launches ------------------------------------------------------------ */

struct step {
    size_t global[3];
    size_t local[3]; /* 0: none */
    size_t offset;
};

struct plan {
    bool asks;           /* for the binary, first */
    bool is_built_again; /* and that is released before a launch */
    bool is_killed;
    unsigned count;
    struct step steps[8];
};

static void launch(
        const struct application *a, cl_kernel kernel, const struct step *step)
{
    const size_t offset[3] = {step->offset};
    cl_int error = CL_SUCCESS;
    cl_uint dimensions = 1;
    while (dimensions < 3 && step->global[dimensions] != 0)
        dimensions++;
    cl_command_queue queue =
            clCreateCommandQueue(a->context, a->devices[0], 0, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueNDRangeKernel(queue, kernel, dimensions,
                    step->offset != 0 ? offset : NULL, step->global,
                    step->local[0] != 0 ? step->local : NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
}

static void build_alone(const struct application *a)
{
    cl_program program = program_of_source(a, source);
    build(program, "-DA=1");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

static void launch_all(void *user)
{
    const struct plan *plan = user;
    struct application a;
    size_t size;
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA=1");
    if (plan->is_built_again) build_alone(&a);
    if (plan->asks)
        EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                      sizeof size, &size, NULL));
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    cl_mem memory = clCreateBuffer(a.context, 0, 64, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    for (unsigned i = 0; i < plan->count; i++)
        launch(&a, kernel, &plan->steps[i]);
    if (plan->is_killed) raise(SIGKILL);
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

static struct plan of_16 = {.count = 1, .steps = {{{64}, {16}, 0}}};
static struct plan of_32 = {.count = 1, .steps = {{{64}, {32}, 0}}};

TEST_C(LayerJournal, HasEachClassOfLaunchesOnce)
{
    struct plan plan = {.count = 7,
            .steps = {{{64}, {16}, 0}, {{128}, {16}, 0}, {{64}, {16}, 4},
                    {{65536}, {16}, 0}, {{65520}, {16}, 0}, {{8, 8}, {4, 2}, 0},
                    {{8, 8, 8}, {4, 2, 1}, 0}}};
    ASSERT_EQ(0, run_application(never, launch_all, &plan));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(1, counted("deferred"));
    EXPECT_EQ(0, counted("capture_ns"));
    const struct notes notes = read_notes();
    EXPECT_EQ(1, notes.builds);
    EXPECT_STR_EQ("one 16-1-1", notes.launch[0]);
    EXPECT_STR_EQ("one 16-1-1 offset", notes.launch[1]);
    EXPECT_STR_EQ("one 16-1-1 large", notes.launch[2]);
    EXPECT_STR_EQ("one 4-2-1", notes.launch[3]);
    EXPECT_EQ(4, notes.launches);
    ASSERT_EQ(0, run_application(never, launch_all, &plan));
    expect_notes(1, 4);
}

TEST_C(LayerJournal, OutlivesAKill)
{
    struct plan plan = of_16;
    plan.is_killed = true;
    EXPECT_EQ(128 + SIGKILL, run_application(never, launch_all, &plan));
    expect_notes(1, 1);
}

TEST_C(LayerJournal, HasNothingOfWhatIsKept)
{
    ASSERT_EQ(0, run_application(never, launch_all, &of_16));
    expect_notes(1, 1);
    ASSERT_EQ(0, run_application(always, launch_all, &of_16));
    EXPECT_EQ(1, counted("kept"));
    expect_notes(0, 0);
}

/* What another process launched is not in this one's binary. */
TEST_C(LayerJournal, StaysIfAnotherLaunchIsMissing)
{
    ASSERT_EQ(0, run_application(never, launch_all, &of_16));
    ASSERT_EQ(0, run_application(always, launch_all, &of_32));
    EXPECT_EQ(1, counted("kept"));
    expect_notes(1, 2);
}

TEST_C(LayerJournal, HasWhatALoadedProgramLacks)
{
    /* On a busy machine, too, a load is faster. */
    static const char *const slow[] = {
            POCL, BUDGET("unlimited"), "FAKE_OPENCL_BUILD_MS=500", NULL};
    ASSERT_EQ(0, run_application(slow, launch_all, &of_16));
    ASSERT_EQ(0, run_application(slow, launch_all, &of_16));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("incomplete_hits"));
    EXPECT_GT(counted("saved_ns"), 0);
    expect_notes(0, 0);
    ASSERT_EQ(0, run_application(slow, launch_all, &of_32));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("incomplete_hits"));
    EXPECT_EQ(0, counted("saved_ns"));
    expect_notes(1, 2); /* what the entry has, too */
}

/* So many launches, each of another class. */
struct sizes {
    size_t from, count;
};

enum { most_classes = 1024 };

/* A group has at most 256 items. */
static struct step step_of(size_t i)
{
    if (i >= most_classes)
        return (struct step){{i % 200 + 17}, {i % 200 + 17}, 0};
    const size_t x = i % 16 + 1;
    const size_t y = i / 16 % 4 + 1;
    const size_t z = i / 64 % 4 + 1;
    const size_t groups = i / 256 % 2 == 0 ? 1 : 65536;
    return (struct step){{x * groups, y, z}, {x, y, z}, i / 512 % 2};
}

static void launch_sizes(void *user)
{
    const struct sizes *sizes = user;
    struct application a;
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA=1");
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    cl_mem memory = clCreateBuffer(a.context, 0, 64, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    for (size_t i = sizes->from; i < sizes->from + sizes->count; i++) {
        const struct step step = step_of(i);
        launch(&a, kernel, &step);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

/* Else each start would note others, and have the entry made again. */
TEST_C(LayerJournal, HasNothingForAnEntryThatIsFull)
{
    struct sizes most = {0, most_classes};
    struct sizes others = {most_classes, 20};
    struct sizes few = {0, 100};
    ASSERT_EQ(0, run_application(always, launch_sizes, &most));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(never, launch_sizes, &others));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("incomplete_hits"));
    expect_notes(0, 0);
    ASSERT_EQ(0, run_application(always, launch_sizes, &few));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("incomplete_hits"));
    expect_notes(0, 0);
}

/* As pyopencl, which builds one program to ask for its limits, and the same
 * again to launch it. The entry of the former is there first if it is kept at
 * once; at the end of a process it may be either. */
static void expect_complete(const char *const settings[])
{
    struct plan plan = of_16;
    plan.is_built_again = true;
    ASSERT_EQ(0, run_application(settings, launch_all, &plan));
    EXPECT_EQ(2, counted("misses"));
    expect_notes(0, 0);
    ASSERT_EQ(0, run_application(settings, launch_all, &of_16));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("incomplete_hits"));
}

TEST_C(LayerJournal, IsNotNeededForASecondBuildKeptLater)
{
    static const char *const now[] = {POCL, "DNNL_CACHE_CAPTURE_NOW=1", NULL};
    expect_complete(now);
}

TEST_C(LayerJournal, IsNotNeededForASecondBuildKeptAtTheEnd)
{
    expect_complete(always);
}

/* As x264: the driver returns that binary for ever. */
TEST_C(LayerJournal, HasWhatWasLaunchedAfterAQueryForTheBinary)
{
    struct plan plan = of_16;
    plan.asks = true;
    ASSERT_EQ(0, run_application(always, launch_all, &plan));
    EXPECT_EQ(1, counted("kept"));
    expect_notes(1, 1);
    ASSERT_EQ(0, run_application(always, launch_all, &plan));
    EXPECT_EQ(1, counted("incomplete_hits"));
}

/* Nothing is noted where a binary has all, but for NVIDIA's machine code, which
 * is tried at the end. */
TEST_C(LayerJournal, IsNotForDriversThatAnswerAtOnce)
{
    static const char *const drivers[] = {
            "NVIDIA CUDA", "rusticl", "Oclgrind", "Another"};
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        char name[128];
        const char *const variables[] = {
                name, i == 0 ? BUDGET("1") : BUDGET("0"), NULL};
        (void)snprintf(
                name, sizeof name, "FAKE_OPENCL_PLATFORM_NAME=%s", drivers[i]);
        ASSERT_EQ(0, run_application(variables, launch_all, &of_16));
        EXPECT_EQ(1, counted("kept"));
        EXPECT_EQ(0, counted("deferred"));
        expect_notes(0, 0);
    }
}

/* ---- Drivers that are slow ----------------------------------------------- */

static void build_after_the_first(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "one", "-DA=2");
    expect_no_programs(); /* it has been captured */
    use_program(&a, "one", "-DA=1");
    application_close(&a);
}

TEST_C(LayerJournal, IsForAnUnknownDriverThatIsSlow)
{
    static const char *const slow[] = {"FAKE_OPENCL_SIZES_MS=600",
            "FAKE_OPENCL_BUILD_MS=20", BUDGET("0"), NULL};
    ASSERT_EQ(0, run_application(slow, build_after_the_first, NULL));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(1, counted("deferred"));
    expect_notes(1, 0);
}

/* Compiling has taken the application an hour, it was told. */
TEST_C(LayerJournal, IsNotForADriverThatCompilesMoreSlowly)
{
    static const char *const slow[] = {
            "FAKE_OPENCL_SIZES_MS=600", BUDGET("0"), NULL};
    ASSERT_EQ(0, run_application(slow, build_after_the_first, NULL));
    EXPECT_EQ(2, counted("kept"));
    expect_notes(0, 0);
}

/* ---- The budget ---------------------------------------------------------- */

enum { programs = 6 };

static void build_many(void *user)
{
    const char *said = user;
    struct application a;
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_EQ(STDERR_FILENO, dup2(fd, STDERR_FILENO));
    application_open(&a, 1);
    for (int i = 0; i < programs; i++) {
        char options[16];
        (void)snprintf(options, sizeof options, "-DN=%d", i);
        use_program(&a, "one", options);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

/* One program more than fits at most. */
TEST_C(LayerJournal, GetsWhatDoesNotFitIntoTheBudget)
{
    static const char *const variables[] = {POCL, BUDGET("2"),
            "FAKE_OPENCL_SIZES_MS=800", "DNNL_CACHE_PRINT_DEBUG=1", NULL};
    char path[512];
    (void)snprintf(path, sizeof path, "%s/said", test_directory());
    ASSERT_EQ(0, run_application(variables, build_many, path));
    EXPECT_GE(counted("kept"), 1);
    EXPECT_LE(counted("kept"), 3);
    EXPECT_EQ(programs, counted("kept") + counted("deferred"));
    char *said = layer_process_read_file(path);
    ASSERT_NOT_NULL(said);
    EXPECT_NOT_NULL(strstr(said, " of 6 programs, "));
    free(said);
}

/* Each program is made once: by the process that drains the journal. */
TEST_C(LayerJournal, IsLeftToAProcessThatDrainsIt)
{
    dnnl_cache_store_handle_t *store = open_store();
    ASSERT_STATUS(dnnl_success, dnnl_cache_store_journal_begin_drain(store, 0));
    ASSERT_EQ(0, run_application(always, launch_all, &of_16));
    EXPECT_EQ(1, counted("deferred"));
    EXPECT_EQ(0, counted("capture_ns"));
    dnnl_cache_store_journal_end_drain(store);
    ASSERT_EQ(0, run_application(always, launch_all, &of_16));
    EXPECT_EQ(1, counted("kept"));
    dnnl_cache_store_close(store);
    expect_notes(0, 0);
}

/* ---- Nothing can be kept ------------------------------------------------- */

static void expect_not_asked(const char *const *variables)
{
    ASSERT_EQ(0, run_application(variables, launch_all, &of_16));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(1, counted("not_kept"));
    EXPECT_EQ(0, counted("deferred"));
    EXPECT_EQ(0, counted("capture_ns"));
}

TEST_C(LayerJournal, IsNotForAStoreThatIsFull)
{
    static const char *const full[] = {"DNNL_CACHE_MAX_SIZE=1000", NULL};
    static const char *const full_late[] = {
            "DNNL_CACHE_MAX_SIZE=1000", POCL, BUDGET("unlimited"), NULL};
    expect_not_asked(full);
    expect_not_asked(full_late);
}

TEST_C(LayerJournal, IsNotForAPlaceWithoutAStore)
{
    char place[560];
    const char *const variables[] = {place, POCL, BUDGET("unlimited"), NULL};
    char path[512];
    (void)snprintf(path, sizeof path, "%s/file", test_directory());
    (void)snprintf(place, sizeof place, "DNNL_CACHE_DIR=%s", path);
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_TRUE(fd >= 0 && close(fd) == 0);
    expect_not_asked(variables);
}

/* ---- At once ------------------------------------------------------------- */

/* As a worker of "dnnl-cache refresh" runs. */
TEST_C(LayerJournal, IsNotWrittenWhereAllIsKeptAtOnce)
{
    static const char *const now[] = {
            POCL, BUDGET("0"), "DNNL_CACHE_CAPTURE_NOW=1", NULL};
    ASSERT_EQ(0, run_application(now, launch_all, &of_16));
    EXPECT_EQ(1, counted("kept"));
    expect_notes(0, 0);
}

/* ---- The size of all files ----------------------------------------------- */

enum { writers = 8, programs_each = 40, max_size = 200000 };

static void write_much(void *user)
{
    const int *writer = user;
    static char text[3000];
    struct application a;
    application_open(&a, 1);
    for (int i = 0; i < programs_each; i++) {
        char options[64];
        memset(text, ' ', sizeof text - 1);
        memcpy(text, source, strlen(source));
        (void)snprintf(options, sizeof options, "-DA=%d", *writer * 1000 + i);
        (void)snprintf(text + 2000, sizeof text - 2000, "/* %s */", options);
        cl_program program = program_of_source(&a, text);
        build(program, options);
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

static unsigned long long bytes_seen;

/* What the layer keeps of its own has bounds of its own. */
static int add_bytes(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    if (type == FTW_F
            && (strstr(path, "/layer/") == NULL
                    || strcmp(strrchr(path, '/'), "/record") == 0))
        bytes_seen += (unsigned long long)st->st_size;
    return 0;
}

/* While no writer runs: a file that is renamed would be counted twice. False:
 * all have ended. */
static bool look_at_folder(const pid_t pids[writers], const char *folder)
{
    bool any = false;
    siginfo_t info;
    for (int i = 0; i < writers; i++)
        (void)kill(pids[i], SIGSTOP);
    for (int i = 0; i < writers; i++) {
        info.si_code = 0;
        (void)waitid(P_PID, (id_t)pids[i], &info, WSTOPPED | WEXITED | WNOWAIT);
        any = any || info.si_code == CLD_STOPPED;
    }
    bytes_seen = 0;
    (void)nftw(folder, add_bytes, 16, FTW_PHYS);
    for (int i = 0; i < writers; i++)
        (void)kill(pids[i], SIGCONT);
    return any;
}

/* Entries, journal and record, whoever writes which of them. */
TEST_C(LayerJournal, AndAllOtherFilesAreWithinTheSizeThatIsSet)
{
    char folder[512];
    char path[600];
    char record[700];
    pid_t pids[writers];
    int numbers[writers];
    unsigned long long most = 0;
    (void)snprintf(folder, sizeof folder, "%s/store", test_directory());
    (void)snprintf(path, sizeof path, "%s/layer", folder);
    (void)snprintf(record, sizeof record, "DNNL_CACHE_RECORD=%s/record", path);
    const char *const notes[] = {POCL, BUDGET("0"), record,
            "DNNL_CACHE_MAX_SIZE=200000", "FAKE_OPENCL_BUILD_MS=1", NULL};
    const char *const entries[] = {record, "DNNL_CACHE_MAX_SIZE=200000",
            "FAKE_OPENCL_BUILD_MS=1", NULL};
    ASSERT_EQ(0, run_application(entries, build_with_file, "-DA=1"));
    (void)mkdir(path, 0700);
    for (int i = 0; i < writers; i++) {
        numbers[i] = i;
        pids[i] = start_application(
                i % 2 == 0 ? notes : entries, write_much, &numbers[i]);
    }
    while (look_at_folder(pids, folder)) {
        if (bytes_seen > most) most = bytes_seen;
        (void)usleep(2000);
    }
    for (int i = 0; i < writers; i++)
        EXPECT_EQ(0, layer_process_wait(pids[i]));
    EXPECT_LE((long long)most, max_size);
    EXPECT_GT((long long)most, max_size / 2);
}
