/* SPDX-License-Identifier: Apache-2.0 */
/* Build queues whose workers have processes of their own. What goes wrong there
 * is done by scripts in the place of the worker. */
#include "dnnl_cache/sys/layer.h"
#include "in_memory.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"
#include "src/worker/worker.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { path_size = 512 };

/* Only a failure comes near it. */
static const uint64_t minutes = 120000000000u;

struct bench {
    struct rig rig;
    dnnl_cache_build_queue_t queue;
};

static dnnl_cache_build_queue_options_t options_of(
        uint32_t workers, const char *worker)
{
    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    options.workers = workers;
    options.processes = dnnl_cache_build_processes_always;
    options.worker = worker;
    return options;
}

static void bench_open(
        struct bench *b, const dnnl_cache_build_queue_options_t *options)
{
    rig_open(&b->rig, 0);
    EXPECT_OK(dnnl_cache_build_queue_create(&b->queue, options));
}

/* No process is left, running or to be waited for. */
static void bench_close(struct bench *b)
{
    EXPECT_OK(dnnl_cache_build_queue_destroy(b->queue));
    EXPECT_EQ(-1, waitpid(-1, NULL, WNOHANG));
    EXPECT_EQ(ECHILD, errno);
    rig_close(&b->rig);
}

/* Takes the descriptor over. */
static dnnl_cache_build_job_t submit(
        const struct bench *b, dnnl_cache_program_desc_t desc)
{
    dnnl_cache_build_job_t job = NULL;
    EXPECT_OK(
            dnnl_cache_build_queue_submit(b->queue, desc, 0, NULL, NULL, &job));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return job;
}

/* Not the queue's own worker, or this thread would build. */
static void expect_end(dnnl_cache_build_job_t job, dnnl_status_t status)
{
    EXPECT_STATUS(status, dnnl_cache_build_job_wait(job, minutes, NULL));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
}

static size_t by_processes(const struct bench *b)
{
    dnnl_cache_build_progress_t progress = DNNL_CACHE_BUILD_PROGRESS_INIT;
    EXPECT_OK(dnnl_cache_build_queue_get_progress(b->queue, &progress));
    return progress.by_processes;
}

/* A script in the test's directory. */
static const char *script(const char *text)
{
    static char path[path_size];
    snprintf(path, sizeof path, "%s/worker", test_directory());
    FILE *file = fopen(path, "w");
    EXPECT_NOT_NULL(file);
    if (file == NULL) return path;
    fprintf(file, "#!/bin/sh\n%s\n", text);
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, chmod(path, 0700));
    return path;
}

/* ---- Compiling ----------------------------------------------------------- */

TEST_C(BuildProcess, CompilesWhatTheWorkerWould)
{
    enum { count = 6 };
    const dnnl_cache_build_queue_options_t options = options_of(2, NULL);
    struct bench b;
    dnnl_cache_build_job_t jobs[count];
    bench_open(&b, &options);
    for (unsigned i = 0; i < count; i++)
        jobs[i] = submit(&b, describe_number(b.rig.engine, i));
    for (unsigned i = 0; i < count; i++) {
        dnnl_cache_program_t program = NULL;
        EXPECT_OK(dnnl_cache_build_job_wait(jobs[i], minutes, &program));
        EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_EQ(count, by_processes(&b));
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_EQ(count, fake_opencl_binary_builds());
    bench_close(&b);
}

TEST_C(BuildProcess, IsStartedOnlyWhereItIsOfUse)
{
    static const dnnl_cache_build_processes_t uses[] = {
            dnnl_cache_build_processes_never,
            dnnl_cache_build_processes_where_useful};
    for (unsigned i = 0; i < 2; i++) {
        dnnl_cache_build_queue_options_t options = options_of(1, NULL);
        struct bench b;
        options.processes = uses[i];
        bench_open(&b, &options);
        expect_end(submit(&b, describe_number(b.rig.engine, i)), dnnl_success);
        EXPECT_EQ(0, by_processes(&b));
        EXPECT_EQ(1, fake_opencl_source_builds());
        bench_close(&b);
    }
}

/* All that belongs to an ID goes over. */
TEST_C(BuildProcess, GetsHeadersOptionsAndKeys)
{
    const dnnl_cache_build_queue_options_t options = options_of(1, NULL);
    struct bench b;
    char text[path_size];
    bench_open(&b, &options);
    dnnl_cache_program_desc_t desc = describe(b.rig.engine,
            "#include \"a.h\"\n__kernel void k(__global int *x) { x[0] = A; }",
            "-DX=1 -cl-std=CL1.2");
    EXPECT_OK(dnnl_cache_program_desc_add_header(
            desc, "a.h", 0, "#include \"b/b.h\"\n"));
    EXPECT_OK(dnnl_cache_program_desc_add_header(
            desc, "b/b.h", 0, "#define A 5\n"));
    EXPECT_OK(dnnl_cache_program_desc_add_key(desc, 3, "key"));
    EXPECT_OK(dnnl_cache_program_desc_add_key(desc, 5, "other"));
    expect_cacheable(desc, true, "");
    expect_end(submit(&b, desc), dnnl_success);

    /* Read by the library, or by the caller. */
    snprintf(text, sizeof text, "%s/file.h", test_directory());
    FILE *file = fopen(text, "w");
    ASSERT_NOT_NULL(file);
    fputs("#define B 6\n", file);
    EXPECT_EQ(0, fclose(file));
    snprintf(text, sizeof text, "-I%s", test_directory());
    for (int follows = 0; follows < 2; follows++) {
        desc = describe(b.rig.engine,
                "#if 0\n#include \"file.h\"\n#endif\n" /* it knows no files */
                "__kernel void k(__global int *x) { x[0] = 0; }",
                text);
        EXPECT_OK(
                follows ? dnnl_cache_program_desc_set_include_following(desc, 1)
                        : dnnl_cache_program_desc_set_includes_known(desc));
        expect_cacheable(desc, true, "");
        expect_end(submit(&b, desc), dnnl_success);
    }
    EXPECT_EQ(3, by_processes(&b));
    EXPECT_EQ(0, fake_opencl_source_builds());
    bench_close(&b);
}

TEST_C(BuildProcess, TellsWhatTheCompilerSays)
{
    const dnnl_cache_build_queue_options_t options = options_of(1, NULL);
    struct bench b;
    char log[4096] = "";
    size_t size = sizeof log;
    dnnl_cache_build_job_t job = NULL;
    bench_open(&b, &options);
    dnnl_cache_program_desc_t desc =
            describe(b.rig.engine, "FAKE_BUILD_FAILURE\n", "");
    EXPECT_OK(
            dnnl_cache_build_queue_submit(b.queue, desc, 0, NULL, NULL, &job));
    expect_end(job, dnnl_runtime_error);
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_GT(strlen(log), 0);
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    expect_end(submit(&b, describe_number(b.rig.engine, 1)), dnnl_success);
    EXPECT_EQ(1, by_processes(&b)); /* the same process goes on */
    bench_close(&b);
}

TEST_C(BuildProcess, LeavesItToItsParentToPut)
{
    const dnnl_cache_build_queue_options_t options = options_of(1, NULL);
    struct bench b;
    struct memory_store store;
    dnnl_cache_program_t program = NULL;
    memory_store_open(&store);
    bench_open(&b, &options);
    EXPECT_OK(dnnl_cache_engine_set_store(b.rig.engine, &store.callbacks));
    dnnl_cache_build_job_t job = submit(&b, describe_number(b.rig.engine, 1));
    EXPECT_OK(dnnl_cache_build_job_wait(job, minutes, &program));
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(1, memory_store_count(&store, dnnl_cache_blob_kind_program));
    EXPECT_EQ(1, by_processes(&b));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);

    /* And what the store has is not compiled. */
    bench_open(&b, &options);
    EXPECT_OK(dnnl_cache_engine_set_store(b.rig.engine, &store.callbacks));
    expect_end(submit(&b, describe_number(b.rig.engine, 1)), dnnl_success);
    EXPECT_EQ(0, by_processes(&b));
    EXPECT_EQ(0, fake_opencl_source_builds());
    bench_close(&b);
    memory_store_close(&store);
}

/* ---- Failures ------------------------------------------------------------ */

TEST_C(BuildProcess, ThatCannotBeStartedIsDoneWithout)
{
    const char *const workers[] = {"/nonexistent/worker", NULL};
    for (unsigned i = 0; i < 2; i++) {
        dnnl_cache_build_queue_options_t options = options_of(1, workers[i]);
        struct bench b;
        /* One that is there and is no program. */
        if (i == 1) {
            options.worker = script("");
            EXPECT_EQ(0, truncate(options.worker, 0));
        }
        bench_open(&b, &options);
        for (unsigned n = 0; n < 2; n++)
            expect_end(
                    submit(&b, describe_number(b.rig.engine, n)), dnnl_success);
        EXPECT_EQ(0, by_processes(&b));
        EXPECT_EQ(2, fake_opencl_source_builds());
        bench_close(&b);
    }
}

/* As a shell or the dynamic linker says that it cannot be run, and the program
 * itself that the library is of another version. */
TEST_C(BuildProcess, ThatCannotServeIsDoneWithout)
{
    static const char *const ends[] = {"exit 126", "exit 127", "exit 125"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        const dnnl_cache_build_queue_options_t options =
                options_of(1, script(ends[i]));
        struct bench b;
        bench_open(&b, &options);
        for (unsigned n = 0; n < 2; n++)
            expect_end(
                    submit(&b, describe_number(b.rig.engine, n)), dnnl_success);
        EXPECT_EQ(0, by_processes(&b));
        EXPECT_EQ(2, fake_opencl_source_builds());
        bench_close(&b);
        if (test_has_failed()) printf("%s\n", ends[i]);
    }
}

/* Sends the worker the head of a message without items, and the end. Returns
 * its exit status. */
static int status_after(uint32_t magic, uint32_t version)
{
    uint8_t head[message_head_size] = {[6] = message_of_build};
    int ends[2];
    int status = -1;
    for (unsigned i = 0; i < 4; i++)
        head[i] = (uint8_t)(magic >> 8 * i);
    for (unsigned i = 0; i < 2; i++)
        head[4 + i] = (uint8_t)(version >> 8 * i);
    EXPECT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    const pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], STDIN_FILENO) == STDIN_FILENO)
            execl(BUILD_WORKER, BUILD_WORKER, (char *)NULL);
        _exit(126);
    }
    (void)close(ends[1]);
    EXPECT_EQ((ssize_t)sizeof head,
            send(ends[0], head, sizeof head, MSG_NOSIGNAL));
    (void)shutdown(ends[0], SHUT_WR);
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    (void)close(ends[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_C(BuildProcess, ServesItsOwnVersionAlone)
{
    EXPECT_EQ(worker_exit_done, status_after(message_magic, message_version));
    EXPECT_EQ(worker_exit_version,
            status_after(message_magic, message_version + 1));
    EXPECT_EQ(worker_exit_version,
            status_after(message_magic + 1, message_version));
}

/* Compiled here, the program would end the application. */
TEST_C(BuildProcess, ThatDiesCostsItsProgramAlone)
{
    static const char *const deaths[] = {"kill -SEGV $$", "exit 3",
            "echo This is no answer >&0; cat >&2",
            "head -c 16 >/dev/null; exit 0"};
    for (size_t i = 0; i < COUNT(deaths); i++) {
        const dnnl_cache_build_queue_options_t options =
                options_of(1, script(deaths[i]));
        struct bench b;
        bench_open(&b, &options);
        expect_end(submit(&b, describe_number(b.rig.engine, 1)),
                dnnl_runtime_error);
        expect_end(submit(&b, describe_number(b.rig.engine, 2)),
                dnnl_runtime_error);
        EXPECT_EQ(0, by_processes(&b));
        EXPECT_EQ(0, fake_opencl_source_builds());
        bench_close(&b);
        if (test_has_failed()) printf("%s\n", deaths[i]);
    }
}

/* While the driver hangs there. */
TEST_C(BuildProcess, DiesWithItsApplication)
{
    enum { patience_ms = 60000 };
    char path[path_size];
    char text[2 * path_size];
    char byte;
    snprintf(path, sizeof path, "%s/lives", test_directory());
    snprintf(text, sizeof text, "exec sleep 1000 >'%s'", path);
    EXPECT_EQ(0, mkfifo(path, 0600));
    const char *worker = script(text);
    const pid_t application = fork();
    if (application == 0) {
        const dnnl_cache_build_queue_options_t options = options_of(1, worker);
        struct bench b;
        bench_open(&b, &options);
        (void)submit(&b, describe_number(b.rig.engine, 1));
        (void)pause();
        _exit(1);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC); /* it has begun */
    struct pollfd end = {.fd = fd, .events = POLLIN};
    EXPECT_EQ(0, poll(&end, 1, 0));
    EXPECT_EQ(0, kill(application, SIGKILL));
    EXPECT_EQ(application, waitpid(application, NULL, 0));
    EXPECT_EQ(1, poll(&end, 1, patience_ms));
    if (end.revents != 0) EXPECT_EQ(0, read(fd, &byte, 1));
    close(fd);
}

TEST_C(BuildProcess, ThatDiesIsStartedAgain)
{
    char text[2 * path_size];
    struct bench b;
    /* The first one dies. */
    snprintf(text, sizeof text,
            "[ -e '%s/died' ] && exec '%s'\n: > '%s/died'; kill -ABRT $$",
            test_directory(), BUILD_WORKER, test_directory());
    const dnnl_cache_build_queue_options_t options =
            options_of(1, script(text));
    bench_open(&b, &options);
    expect_end(
            submit(&b, describe_number(b.rig.engine, 1)), dnnl_runtime_error);
    expect_end(submit(&b, describe_number(b.rig.engine, 1)), dnnl_success);
    EXPECT_EQ(1, by_processes(&b));
    EXPECT_EQ(0, fake_opencl_source_builds());
    bench_close(&b);
}

/* Nor what it has started. */
TEST_C(BuildProcess, ThatHangsIsKilled)
{
    struct bench b;
    char text[4 * path_size];
    char path[path_size];
    char number[32] = "";
    snprintf(path, sizeof path, "%s/pid", test_directory());
    snprintf(text, sizeof text,
            "sleep 1000 & echo $! > '%s.new'; mv '%s.new' '%s'; wait", path,
            path, path);
    dnnl_cache_build_queue_options_t options = options_of(1, script(text));
    options.process_timeout_ms = 1000;
    bench_open(&b, &options);
    expect_end(
            submit(&b, describe_number(b.rig.engine, 1)), dnnl_runtime_error);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ASSERT_TRUE(fd >= 0 && read(fd, number, sizeof number - 1) > 0);
    (void)close(fd);
    const pid_t pid = (pid_t)atoi(number);
    ASSERT_GT(pid, 0);
    for (int ms = 0; ms < 60000 && kill(pid, 0) == 0; ms++) {
        char state[64];
        snprintf(state, sizeof state, "grep -q 'State:.Z' /proc/%d/status",
                (int)pid);
        if (system(state) == 0) break; /* init has not reaped it yet */
        (void)usleep(1000);
    }
    EXPECT_EQ(0, fake_opencl_source_builds());
    bench_close(&b);
}

/* Its environment differs, so it is not asked to compile what it takes for
 * another program. */
TEST_C(BuildProcess, ThatGivesAnotherIdIsNotUsed)
{
    char text[path_size + 64];
    struct bench b;
    snprintf(text, sizeof text, "POCL_WORK_GROUP_METHOD=loops exec '%s'",
            BUILD_WORKER);
    const dnnl_cache_build_queue_options_t options =
            options_of(1, script(text));
    bench_open(&b, &options);
    expect_end(submit(&b, describe_number(b.rig.engine, 1)), dnnl_success);
    EXPECT_EQ(0, by_processes(&b));
    EXPECT_EQ(1, fake_opencl_source_builds());
    bench_close(&b);
}

/* ---- What it inherits ---------------------------------------------------- */

TEST_C(BuildProcess, InheritsNoFilesAndNoSignals)
{
    enum { far = 123 };
    char text[5 * path_size];
    struct bench b;
    sigset_t blocked;
    sigset_t before;
    snprintf(text, sizeof text,
            "ls /proc/self/fd > '%s/files'\n"
            "grep -E 'SigBlk|SigIgn' /proc/self/status > '%s/signals'\n"
            "env > '%s/environment'\nexec '%s'",
            test_directory(), test_directory(), test_directory(), BUILD_WORKER);
    const dnnl_cache_build_queue_options_t options =
            options_of(1, script(text));
    EXPECT_EQ(far, dup2(STDERR_FILENO, far)); /* without CLOEXEC */
    EXPECT_EQ(0, setenv("OPENCL_LAYERS", "/nonexistent/layer.so", 1));
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &before);
    void (*handler)(int) = signal(SIGUSR2, SIG_IGN);
    bench_open(&b, &options);
    expect_end(submit(&b, describe_number(b.rig.engine, 1)), dnnl_success);
    EXPECT_EQ(1, by_processes(&b));
    bench_close(&b);
    (void)signal(SIGUSR2, handler);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    EXPECT_EQ(0, unsetenv("OPENCL_LAYERS"));
    (void)close(far);
    snprintf(text, sizeof text,
            "cd '%s' && cat files signals && ! grep -qx 123 files"
            " && grep -qx 0 files && [ $(grep -c ':.*0000000$' signals) = 2 ]"
            " && ! grep -q OPENCL_LAYERS environment",
            test_directory());
    EXPECT_EQ(0, system(text));
}

TEST_C(BuildProcess, LeavesWaitingThreadsToCompileThemselves)
{
    const dnnl_cache_build_queue_options_t options =
            options_of(1, script("exec sleep 1000"));
    dnnl_cache_build_queue_options_t short_one = options;
    struct bench b;
    short_one.process_timeout_ms = 500;
    bench_open(&b, &short_one);
    dnnl_cache_build_job_t stuck = submit(&b, describe_number(b.rig.engine, 1));
    dnnl_cache_build_job_t wanted =
            submit(&b, describe_number(b.rig.engine, 2));
    /* Without a limit the caller builds what waits. */
    EXPECT_OK(dnnl_cache_build_job_wait(wanted, UINT64_MAX, NULL));
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_destroy(wanted));
    /* One that has begun is cancelled for its job, and ends in its time. */
    (void)dnnl_cache_build_job_cancel(stuck);
    EXPECT_OK(dnnl_cache_build_job_destroy(stuck));
    bench_close(&b);
}
