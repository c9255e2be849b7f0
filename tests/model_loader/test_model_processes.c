/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_loader as its users run it: processes that start cold, warm, at once,
 * and that are killed. On a real driver, DNNL_CACHE_TEST_PLATFORM or PoCL;
 * every process has an empty cache of the driver's own, unless it has to
 * compile what another one of its test did.
 */
#include "example_process.h"
#include "model/onnx/tensor_file.h"
#include "model_text.h"
#include "nginx_server.h"
#include "redis_server.h"
#include "src/drivers/pocl_stand_in_file.h"
#include "test.h"
#include "test_platform.h"

#include <dnnl_cache/store.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define DATA DNNL_CACHE_TEST_DATA_DIR "/onnx/"

enum { max_arguments = 24 };

/* ---- One run ------------------------------------------------------------- */

/* The next process shares the driver's cache, which is on, with those of its
 * test that did, too: what the first of them compiles the others find there. */
static bool shares_cache;

static void set_environment(const char *directory, const char *name)
{
    const char *cache = shares_cache ? "compiled" : name;
    setenv("POCL_CACHE_DIR", example_file(directory, cache, "pocl").text, 1);
    setenv("POCL_KERNEL_CACHE", shares_cache ? "1" : "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("BUILD_COUNTER_FILE", example_file(directory, name, "counts").text,
            1);
    setenv("OPENCL_LAYERS", BUILD_COUNTER_LAYER, 1);
    /* LLVM sets a signal stack of its own in the loader's threads. */
    setenv("ASAN_OPTIONS", "detect_leaks=0:use_sigaltstack=0", 1);
}

/* The same, and dies after a while, wherever it is: an alarm outlives exec. */
static int dies_after_ms;
static void set_alarm(const char *directory, const char *name)
{
    const struct itimerval after = {
            .it_value = {dies_after_ms / 1000, dies_after_ms % 1000 * 1000}};
    set_environment(directory, name);
    setitimer(ITIMER_REAL, &after, NULL);
}

/* Runs a network of the test data, or of a path less its ending, with more
 * arguments, NULL behind the last; it notes NAME.json and NAME.pb. */
static int run_with(const char *directory, const char *name,
        const char *network, void (*in_child)(const char *, const char *),
        const char *const *more)
{
    char model[4096];
    const struct example_path store = example_path(directory, "store"),
                              json = example_file(directory, name, "json"),
                              output = example_file(directory, name, "pb");
    const char *argv[max_arguments] = {MODEL_LOADER, model, "--store",
            store.text, "--platform", test_platform_name(), "--json", json.text,
            "--output", output.text};
    int n = 10;
    snprintf(model, sizeof model, "%s%s.onnx",
            network[0] == '/' ? "" : DATA "networks/", network);
    for (; more != NULL && *more != NULL; more++)
        argv[n++] = *more;
    return example_run(directory, name, (char *const *)argv, in_child);
}

static int run(const char *directory, const char *name, const char *network)
{
    return run_with(directory, name, network, set_environment, NULL);
}

/* One of several in which the driver has to compile the same. */
static int run_to_compile(
        const char *directory, const char *name, const char *network)
{
    shares_cache = true;
    const int status = run(directory, name, network);
    shares_cache = false;
    return status;
}

/* A number of what was measured; -1 if it is not there. */
static double measured(
        const char *directory, const char *name, const char *what)
{
    char quoted[64];
    char *text =
            example_contents(example_file(directory, name, "json").text, NULL);
    snprintf(quoted, sizeof quoted, "\"%s\": ", what);
    const char *at = strstr(text, quoted);
    const double number = at != NULL ? strtod(at + strlen(quoted), NULL) : -1.0;
    EXPECT_NOT_NULL(at);
    free(text);
    return number;
}

/* How often the layer below the library saw something, in all processes of a
 * run. */
static unsigned long counted(
        const char *directory, const char *name, const char *what)
{
    char quoted[64];
    char *text = example_contents(
            example_file(directory, name, "counts").text, NULL);
    unsigned long sum = 0;
    snprintf(quoted, sizeof quoted, "\"%s\":", what);
    for (const char *at = text; (at = strstr(at, quoted)) != NULL;) {
        at += strlen(quoted);
        sum += strtoul(at, NULL, 10);
    }
    free(text);
    return sum;
}

static void expect_same_output(
        const char *directory, const char *expected, const char *actual)
{
    size_t size_a, size_b;
    char *a = example_contents(
            example_file(directory, expected, "pb").text, &size_a);
    char *b = example_contents(
            example_file(directory, actual, "pb").text, &size_b);
    EXPECT_GT(size_a, 0);
    EXPECT_BYTES_EQ(a, size_a, b, size_b);
    free(a);
    free(b);
}

/* Nothing, first launches included. */
static void expect_nothing_compiled(const char *directory, const char *name)
{
    EXPECT_TRUE(measured(directory, name, "programs_compiled") == 0.0);
    EXPECT_FALSE(
            example_says(example_file(directory, name, "err").text, "Built a"));
    EXPECT_EQ(0, counted(directory, name, "programs_from_source"));
    EXPECT_EQ(0, counted(directory, name, "source_builds"));
    EXPECT_EQ(0, counted(directory, name, "binaries_queries"));
}

/* NULL: networks can be run here. */
static const char *why_no_network(void)
{
    if (test_platform_device() == NULL)
        return "no platform of that name is here";
    return test_platform_is_interpreted() ? "a run of a network takes minutes"
                                          : NULL;
}

static bool is_pocl(void)
{
    return strstr("Portable Computing Language", test_platform_name()) != NULL;
}

static const char *platform_version(void)
{
    static char version[256];
    cl_platform_id platform = NULL;
    if (clGetDeviceInfo(test_platform_device(), CL_DEVICE_PLATFORM,
                sizeof platform, &platform, NULL)
                    != CL_SUCCESS
            || clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                       version, NULL)
                       != CL_SUCCESS)
        version[0] = '\0';
    return version;
}

/* ---- Cold and warm ------------------------------------------------------- */

static const char *const cached_only[] = {"--cached-only", NULL};

/* A cold start; at most so many programs, and the engine's probe. */
static void start_cold(const char *directory, const char *network, int programs)
{
    EXPECT_EQ(0, run(directory, "cold", network));
    const double compiled = measured(directory, "cold", "programs_compiled");
    EXPECT_TRUE(compiled >= 2.0 && compiled <= programs + 1.0);
    /* Each of them once, whichever process did it. */
    if (counted(directory, "cold", "programs_from_binary") > 0)
        EXPECT_EQ((int)compiled, counted(directory, "cold", "source_builds"));
    /* What is launched, and nothing more to keep it. */
    if (is_pocl() && pocl_stand_ins_are_tested(platform_version()))
        EXPECT_FALSE(example_says(example_file(directory, "cold", "err").text,
                "Built a generic"));
}

/* A warm one; after how many milliseconds it was ready. */
static double start_warm(
        const char *directory, const char *name, const char *network)
{
    EXPECT_EQ(0,
            run_with(directory, name, network, set_environment, cached_only));
    expect_nothing_compiled(directory, name);
    expect_same_output(directory, "cold", name);
    return measured(directory, name, "ready");
}

/* Two folders for two hosts, and a server that both have, which is gone in the
 * end. The place is a URL that ends with an option. note_cold() may look at the
 * server when one host has run the model. */
static void expect_warm_elsewhere(
        const char *place, void (*note_cold)(void), void (*end_server)(void))
{
    static const char network[] = DATA "models/Conv1d";
    const struct example_path key = example_path(test_directory(), "key");
    const struct example_path here = example_path(test_directory(), "here");
    const struct example_path there = example_path(test_directory(), "there");
    char url[5000];
    EXPECT_OK(dnnl_cache_store_key_file_make(key.text));
    EXPECT_EQ(0, mkdir(here.text, 0700));
    EXPECT_EQ(0, mkdir(there.text, 0700));
    (void)snprintf(url, sizeof url, "%s&key_file=%s", place, key.text);
    const char *const arguments[] = {
            "--weights", "random:1", "--remote", url, "--cached-only", NULL};
    const char *const cold[] = {"--weights", "random:1", "--remote", url, NULL};
    EXPECT_EQ(0, run_with(here.text, "cold", network, set_environment, cold));
    EXPECT_GT(measured(here.text, "cold", "programs_compiled"), 0.0);
    if (note_cold != NULL) note_cold();
    EXPECT_EQ(0,
            run_with(there.text, "warm", network, set_environment, arguments));
    expect_nothing_compiled(there.text, "warm");
    end_server();
    /* It has copied what it found. */
    const char *const alone[] = {
            "--weights", "random:1", "--cached-only", NULL};
    EXPECT_EQ(
            0, run_with(there.text, "alone", network, set_environment, alone));
}

static struct {
    struct redis_process server;
    long long entries, gets, reads; /* after the cold start */
} redis;
static struct nginx_process nginx;

static void note_redis(void)
{
    redis.entries = redis_number(&redis.server, "DBSIZE");
    redis.gets = redis_gets(&redis.server);
    redis.reads = redis_reads(&redis.server);
}

/* The warm start asked for the list of what the model needs, and then for all
 * of it at once. */
static void end_redis(void)
{
    EXPECT_LT(2, redis.entries);
    EXPECT_EQ(redis.gets + 2, redis_gets(&redis.server));
    EXPECT_LE(redis_reads(&redis.server) - redis.reads, 10);
    redis_kill(&redis.server);
}

static void end_nginx(void)
{
    nginx_kill(&nginx);
}

TEST_C(ModelProcesses, AnotherHostCompilesNothing)
{
    char place[4096];
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    if (!redis_is_there()) return;
    redis_start(&redis.server, test_directory(), NULL);
    (void)snprintf(place, sizeof place, "unix://%s?timeout_ms=20000",
            redis.server.socket);
    expect_warm_elsewhere(place, note_redis, end_redis);
}

TEST_C(ModelProcesses, AnotherHostCompilesNothingOverHttp)
{
    char place[4096];
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    if (!nginx_is_there()) return;
    nginx_start(&nginx, NULL);
    (void)snprintf(place, sizeof place,
            "http://127.0.0.1:%u/models?timeout_ms=20000", nginx.port);
    expect_warm_elsewhere(place, NULL, end_nginx);
}

/* Of warm starts the fastest counts: others may have the machine meanwhile. */
static void expect_ready_soon(const char *network, int programs)
{
    const char *directory = test_directory();
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    start_cold(directory, network, programs);
    double ready = start_warm(directory, "warm0", network);
    for (int i = 1; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "warm%d", i);
        ready = fmin(ready, start_warm(directory, name, network));
    }
    const double cold = measured(directory, "cold", "ready");
    printf("%s: ready in %.0f ms cold, %.0f ms warm\n", network, cold, ready);
    if (is_pocl()) EXPECT_TRUE(ready > 0.0 && ready <= 0.05 * cold);
}

TEST_C(ModelProcesses, SqueezeNetIsReadySoonTheSecondTime)
{
    expect_ready_soon("light_squeezenet", 6);
}

TEST_C(ModelProcesses, ResNet50IsReadySoonTheSecondTime)
{
    expect_ready_soon("light_resnet50", 12);
}

/* The first of them again, whatever time it takes. */
TEST_C(ModelProcesses, SqueezeNetIsWarmTheSecondTime)
{
    const char *directory = test_directory();
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    start_cold(directory, "light_squeezenet", 6);
    EXPECT_TRUE(start_warm(directory, "warm", "light_squeezenet") > 0.0);
}

TEST_C(ModelProcesses, CompilesNothingIfToldSo)
{
    const char *directory = test_directory();
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    EXPECT_EQ(1, run_with(directory, "cold", "light_squeezenet",
                         set_environment, cached_only));
    EXPECT_TRUE(example_says(
            example_file(directory, "cold", "err").text, "cache_miss"));
    EXPECT_EQ(0, counted(directory, "cold", "source_builds"));
}

/* ---- Trouble ------------------------------------------------------------- */

TEST_C(ModelProcesses, GoesOnFromWhereItWasKilled)
{
    static const int moments[] = {50, 200, 900, 2500};
    int killed = 0;
    const char *directory = test_directory();
    char name[16];
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        snprintf(name, sizeof name, "killed%zu", i);
        dies_after_ms = moments[i];
        const int status =
                run_with(directory, name, "light_squeezenet", set_alarm, NULL);
        EXPECT_TRUE(status == 0 || status == -SIGALRM);
        killed += status == -SIGALRM;
    }
    EXPECT_GT(killed, 0);
    EXPECT_EQ(0, run(directory, "whole", "light_squeezenet"));
    EXPECT_EQ(0, run_with(directory, "warm", "light_squeezenet",
                         set_environment, cached_only));
    expect_nothing_compiled(directory, "warm");
    expect_same_output(directory, "whole", "warm");
}

static void *run_beside(void *status)
{
    *(int *)status = run(test_directory(), "second", "light_squeezenet");
    return NULL;
}

TEST_C(ModelProcesses, TwoThatStartAtOnceShareTheWork)
{
    const char *directory = test_directory();
    pthread_t thread;
    int status = -1;
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    ASSERT_EQ(0, pthread_create(&thread, NULL, run_beside, &status));
    EXPECT_EQ(0, run(directory, "first", "light_squeezenet"));
    pthread_join(thread, NULL);
    EXPECT_EQ(0, status);
    expect_same_output(directory, "first", "second");
    EXPECT_EQ(0, run_with(directory, "warm", "light_squeezenet",
                         set_environment, cached_only));
    expect_nothing_compiled(directory, "warm");
    /* Each program once, and the engine's probe. */
    const double programs = measured(directory, "warm", "programs_loaded") + 1;
    EXPECT_TRUE(measured(directory, "first", "programs_compiled")
                        + measured(directory, "second", "programs_compiled")
                == programs);
}

TEST_C(ModelProcesses, HealsADamagedStore)
{
    static void (*const damages[])(const char *) = {
            example_flip_middle, example_cut_in_half};
    const char *directory = test_directory();
    char name[16];
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    EXPECT_EQ(0, run_to_compile(directory, "cold", "light_squeezenet"));
    for (size_t i = 0; i < 2; i++) {
        example_damage_files(example_path(directory, "store").text, damages[i]);
        snprintf(name, sizeof name, "damaged%zu", i);
        EXPECT_EQ(0, run_to_compile(directory, name, "light_squeezenet"));
        expect_same_output(directory, "cold", name);
    }
    EXPECT_EQ(0, run_with(directory, "healed", "light_squeezenet",
                         set_environment, cached_only));
    expect_nothing_compiled(directory, "healed");
}

/* ---- Results that cannot be written -------------------------------------- */

static void print_to(int fd)
{
    if (fd < 0)
        close(STDOUT_FILENO);
    else
        dup2(fd, STDOUT_FILENO);
}

static void print_to_full_disk(const char *directory, const char *name)
{
    set_environment(directory, name);
    print_to(open("/dev/full", O_WRONLY));
}

static void print_to_nobody(const char *directory, const char *name)
{
    int ends[2] = {-1, -1};
    set_environment(directory, name);
    signal(SIGPIPE, SIG_DFL);
    if (pipe(ends) == 0) close(ends[0]);
    print_to(ends[1]);
}

static void print_to_nothing(const char *directory, const char *name)
{
    set_environment(directory, name);
    print_to(-1);
}

/* The exit status tells, and nothing of it gets into the store, whose file
 * might have had the number of standard output. Who reads no more ("| head")
 * has what it wanted. */
TEST_C(ModelProcesses, SaysThatResultsCannotBeWritten)
{
    static const struct {
        const char *name;
        void (*in_child)(const char *, const char *);
        int status;
        bool is_told;
    } cases[] = {{"full", print_to_full_disk, 4, true},
            {"nobody", print_to_nobody, 0, false},
            {"nothing", print_to_nothing, 4, true}};
    static const char *const no_json[] = {"--json", "/dev/full", NULL},
                             *const no_output[] = {
                                     "--output", "/no/such/file", NULL};
    const char *directory = test_directory();
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    EXPECT_EQ(0, run(directory, "cold", "../nodes/relu"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        EXPECT_EQ(cases[i].status, run_with(directory, name, "../nodes/relu",
                                           cases[i].in_child, cached_only));
        EXPECT_EQ(cases[i].is_told,
                example_says(example_file(directory, name, "err").text,
                        "cannot write to standard output"));
        expect_same_output(directory, "cold", name);
    }
    EXPECT_EQ(4, run_with(directory, "json", "../nodes/relu", set_environment,
                         no_json));
    EXPECT_TRUE(example_says(
            example_file(directory, "json", "err").text, "/dev/full"));
    EXPECT_EQ(4, run_with(directory, "output", "../nodes/relu", set_environment,
                         no_output));
    EXPECT_TRUE(example_says(
            example_file(directory, "output", "err").text, "/no/such/file"));
    EXPECT_EQ(0, run_with(directory, "warm", "../nodes/relu", set_environment,
                         cached_only));
    expect_nothing_compiled(directory, "warm");
}

/* Who fills a store or makes a record for later would not notice. */
TEST_C(ModelProcesses, SaysThatWhatIsForLaterCannotBeWritten)
{
    static const char *const no_record[] = {"--record", "/no/such/file", NULL},
                             *const no_file[] = {"--record", "/dev/full", NULL},
                             *const no_store[] = {"--prepare", "--store",
                                     "/dev/full/store", NULL},
                             *const store[] = {"--prepare", NULL};
    const char *directory = test_directory();
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    EXPECT_EQ(4, run_with(directory, "record", "../nodes/relu", set_environment,
                         no_record));
    EXPECT_TRUE(example_says(
            example_file(directory, "record", "err").text, "/no/such/file"));
    EXPECT_EQ(4, run_with(directory, "file", "../nodes/relu", set_environment,
                         no_file));
    EXPECT_EQ(4, run_with(directory, "nowhere", "../nodes/relu",
                         set_environment, no_store));
    EXPECT_EQ(0, run_with(directory, "prepared", "../nodes/relu",
                         set_environment, store));
}

/* ---- Files of float16 ---------------------------------------------------- */

/* What such a model takes and gives are such files. */
TEST_C(ModelProcesses, GivesHalvesForHalves)
{
    const char *directory = test_directory();
    const struct example_path output = example_file(directory, "first", "pb"),
                              path = example_path(directory, "halves");
    const char *const again[] = {
            "--expect", output.text, "--input", output.text, NULL};
    struct model_text model;
    struct graph_tensor tensor = {0};
    struct failure failure = {""};
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    model_text_init(&model, "opset 13\ninput x f16 2,3\nRelu x -> y\n"
                            "output y f16 2,3");
    example_write(example_file(directory, "halves", "onnx").text, model.bytes,
            model.size);
    model_text_fini(&model);
    EXPECT_EQ(0, run(directory, "first", path.text));
    ASSERT_TRUE(tensor_file_read(&tensor, output.text, &failure));
    EXPECT_TRUE(tensor.is_half);
    /* 1 / 6, the nearest half. */
    EXPECT_TRUE(((const float *)tensor.data)[1] == 0x1.554p-3F);
    tensor_file_fini(&tensor);
    EXPECT_EQ(
            0, run_with(directory, "again", path.text, set_environment, again));
    EXPECT_TRUE(example_says(
            example_file(directory, "again", "out").text, "as expected"));
}

/* Beyond halves it is infinite, in the file and to whoever compares. */
TEST_C(ModelProcesses, ComparesHalvesAsItWritesThem)
{
    const char *directory = test_directory();
    const struct example_path output = example_file(directory, "first", "pb"),
                              path = example_path(directory, "beyond");
    const char *const again[] = {"--expect", output.text, NULL};
    struct model_text model;
    struct graph_tensor tensor = {0};
    struct failure failure = {""};
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    model_text_init(&model, "opset 13\ninput x f16 2\nconst c f16 2 = 60000 1\n"
                            "Add x,c -> a\nAdd a,c -> y\noutput y f16 2");
    example_write(example_file(directory, "beyond", "onnx").text, model.bytes,
            model.size);
    model_text_fini(&model);
    EXPECT_EQ(0, run(directory, "first", path.text));
    ASSERT_TRUE(tensor_file_read(&tensor, output.text, &failure));
    EXPECT_TRUE(isinf(((const float *)tensor.data)[0]));
    EXPECT_TRUE(((const float *)tensor.data)[1] == 2.5F);
    tensor_file_fini(&tensor);
    EXPECT_EQ(
            0, run_with(directory, "again", path.text, set_environment, again));
}

/* ---- Each layer ---------------------------------------------------------- */

/* Names of tensors are a file's: they lead to no other folder. */
TEST_C(ModelProcesses, DumpsWhatEachLayerComputes)
{
    const char *directory = test_directory();
    const struct example_path path = example_path(directory, "layers"),
                              folder = example_path(directory, "dump");
    const char *const into[] = {"--dump", folder.text, NULL},
                      *const nowhere[] = {"--dump", "/no/such/folder", NULL};
    struct model_text model;
    struct graph_tensor first = {0}, last = {0}, output = {0};
    struct failure failure = {""};
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    model_text_init(&model,
            "opset 13\ninput x f32 1,2,4,4\n"
            "MaxPool x -> ../../pool kernel_shape=[2,2] strides=[2,2]\n"
            "Softmax ../../pool -> y axis=1\noutput y f32 1,2,2,2");
    example_write(example_file(directory, "layers", "onnx").text, model.bytes,
            model.size);
    model_text_fini(&model);
    EXPECT_EQ(0, run_with(directory, "run", path.text, set_environment, into));
    ASSERT_TRUE(tensor_file_read(&first,
            example_path(folder.text, "0000_.._.._pool.pb").text, &failure));
    EXPECT_STR_EQ("../../pool", first.name);
    EXPECT_TRUE(((const float *)first.data)[0] == 5.0F / 32.0F);
    ASSERT_TRUE(tensor_file_read(
            &last, example_path(folder.text, "0001_y.pb").text, &failure));
    ASSERT_TRUE(tensor_file_read(
            &output, example_file(directory, "run", "pb").text, &failure));
    EXPECT_BYTES_EQ(output.data, graph_tensor_size(&output), last.data,
            graph_tensor_size(&last));
    tensor_file_fini(&first);
    tensor_file_fini(&last);
    tensor_file_fini(&output);
    EXPECT_EQ(4,
            run_with(directory, "again", path.text, set_environment, nowhere));
    EXPECT_TRUE(example_says(
            example_file(directory, "again", "err").text, "/no/such/folder"));
}

/* ---- A store that keeps nothing ------------------------------------------ */

/* Lets nobody write to the store, readers go on: the lock of its writers. Works
 * for root as well, whom no mode stops. */
static int lock_store(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/programs/config.file",
            example_path(directory, "store").text);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(0, flock(fd, LOCK_EX | LOCK_NB));
    return fd;
}

static int count_text(const char *path, const char *text)
{
    char *contents = example_contents(path, NULL);
    int count = 0;
    for (const char *at = contents; (at = strstr(at, text)) != NULL; at++)
        count++;
    free(contents);
    return count;
}

/* With a store that has the engine's blob and one that has nothing; of the
 * first one workers send what they compiled. */
TEST_C(ModelProcesses, CompilesOnceWhereNothingIsKept)
{
    const char *directory = test_directory();
    if (why_no_network() != NULL) SKIP_TEST(why_no_network());
    EXPECT_EQ(0, run_to_compile(directory, "kept", "light_squeezenet"));
    const double programs = measured(directory, "kept", "programs_compiled");
    for (int has_engine = 0; has_engine < 2; has_engine++) {
        const char *name = has_engine ? "engine" : "nothing";
        example_remove(example_path(directory, "store").text);
        if (has_engine)
            EXPECT_EQ(0, run(directory, "relu", "../nodes/relu"));
        else
            EXPECT_EQ(1, run_with(directory, "empty", "light_squeezenet",
                                 set_environment, cached_only));
        const int lock = lock_store(directory);
        EXPECT_EQ(0, run_to_compile(directory, name, "light_squeezenet"));
        close(lock);
        EXPECT_TRUE(measured(directory, name, "programs_compiled")
                    == programs - has_engine);
        if (counted(directory, name, "programs_from_binary") > 0)
            EXPECT_EQ((int)programs - has_engine,
                    counted(directory, name, "source_builds"));
        EXPECT_EQ(1, count_text(example_file(directory, name, "err").text,
                             "does not keep"));
        expect_same_output(directory, "kept", name);
    }
}

TEST_C(ModelProcesses, NamesWhatItCannotDoBeforeAnythingIsCompiled)
{
    const char *directory = test_directory();
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    EXPECT_EQ(1, run(directory, "none", "no_such_network"));
    EXPECT_TRUE(example_says(
            example_file(directory, "none", "err").text, "no_such_network"));
    EXPECT_EQ(0, counted(directory, "none", "source_builds"));
    static const char *const names[] = {"--input", "--expect"};
    for (size_t i = 0; i < 2; i++) {
        const char *const missing[] = {names[i], "/no/such/tensor", NULL};
        EXPECT_EQ(1, run_with(directory, names[i], "light_squeezenet",
                             set_environment, missing));
        EXPECT_TRUE(example_says(example_file(directory, names[i], "err").text,
                "cannot open /no/such/tensor"));
        EXPECT_EQ(0, counted(directory, names[i], "source_builds"));
    }
    example_write(example_file(directory, "text", "onnx").text, "a text\n", 7);
    EXPECT_EQ(1, run(directory, "text", example_path(directory, "text").text));
    EXPECT_TRUE(example_says(example_file(directory, "text", "err").text,
            "text.onnx: not a model"));
}
