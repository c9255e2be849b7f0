/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of every call: lock, counts, failures made to happen, log, and
 * the callbacks that run once the lock is dropped. */
#include "fake_internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name;
    cl_int error;
} functions[CALL_COUNT] = {
#define FUNCTION(name, error) [CALL_##name] = {#name, error},
#include "fake_functions.def"
#undef FUNCTION
        [CALL_clIcdGetPlatformIDsKHR] = {"clIcdGetPlatformIDsKHR",
                CL_OUT_OF_HOST_MEMORY},
};

struct failure {
    unsigned in; /* calls from now; 0: not armed */
    cl_int error;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long counts[CALL_COUNT];
static unsigned long total;
static struct failure failures[CALL_COUNT];
static struct failure any_failure;
static const char *last_failure;
static unsigned long source_builds, binary_builds, binary_bytes, misuses;
static bool builds_blocked;
static unsigned builds_waiting;
static bool sizes_blocked;
static unsigned sizes_waiting;
static bool ready; /* FAIL of the environment was read */

/* Callbacks that became due in this thread's call, oldest first. */
static _Thread_local struct notice *due;

void driver_lock(void)
{
    pthread_mutex_lock(&lock);
}
void driver_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child of fork() would find the lock held for ever by a thread that it has
 * not got. */
__attribute__((constructor)) static void have_lock_in_children(void)
{
    (void)pthread_atfork(driver_lock, driver_unlock, driver_unlock);
}

void driver_wait(void)
{
    pthread_cond_wait(&changed, &lock);
}
void driver_changed(void)
{
    pthread_cond_broadcast(&changed);
}

bool driver_wait_ms(unsigned long ms)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(ms / 1000);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_cond_timedwait(&changed, &lock, &until) == 0;
}

void driver_sleep_ms(unsigned long ms)
{
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    driver_unlock();
    while (nanosleep(&left, &left) != 0) {
    }
    driver_lock();
}

void fatal(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("fake OpenCL: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    abort();
}

void misuse(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("fake OpenCL: misuse: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    misuses++;
    if (setting_number("STRICT", 0) != 0) abort();
}

/* One write a line, so that lines of several processes do not mix. */
static void log_line(char *line, size_t length, size_t capacity)
{
    const char *path = setting("LOG", 0);
    int file;

    if (path[0] == '\0') return;
    if (length > capacity - 2) length = capacity - 2;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ') line[i] = ' ';
    line[length++] = '\n';
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, length) != (ssize_t)length)
        fatal("can't write the log %s", path);
    close(file);
}

__attribute__((format(printf, 1, 0))) static void log_call(
        const char *format, const char *name, va_list list)
{
    char line[1024];
    int named = snprintf(line, sizeof(line), "%s ", name);
    int rest =
            vsnprintf(line + named, sizeof(line) - (size_t)named, format, list);

    log_line(line, (size_t)named + (size_t)rest, sizeof(line));
}

static void log_failure(enum call call, cl_int status)
{
    char line[128];
    int length = snprintf(line, sizeof(line), "! %s failed: %d",
            functions[call].name, (int)status);

    log_line(line, (size_t)length, sizeof(line));
}

static enum call find(const char *name)
{
    for (unsigned i = 0; i < CALL_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0) return (enum call)i;
    fatal("no function %s", name);
}

static void arm(const char *function, unsigned nth, cl_int error)
{
    struct failure failure = {nth, error};

    if (strcmp(function, "*") == 0)
        any_failure = failure;
    else
        failures[find(function)] = failure;
}

/* "clBuildProgram:1:-5,*:7": what FAIL says; the error may be left out. */
static void arm_list(const char *list)
{
    char name[64];
    unsigned nth;
    int error, used;

    while (*list != '\0') {
        error = 0;
        if (sscanf(list, "%63[^:,]:%u%n", name, &nth, &used) != 2)
            fatal("bad FAIL: %s", list);
        list += used;
        if (sscanf(list, ":%d%n", &error, &used) == 1) list += used;
        if (*list == ',') list++;
        arm(name, nth, error);
    }
}

/* The environment is read at the first call of any kind. */
static void make_ready(void)
{
    if (ready) return;
    ready = true;
    arm_list(setting("FAIL", 0));
}

static bool fires(struct failure *failure)
{
    if (failure->in == 0) return false;
    return --failure->in == 0;
}

cl_int call_enter(enum call call, const char *format, ...)
{
    va_list list;
    cl_int error = CL_SUCCESS;

    driver_lock();
    make_ready();
    counts[call]++;
    total++;
    va_start(list, format);
    if (setting("LOG", 0)[0] != '\0')
        log_call(format, functions[call].name, list);
    va_end(list);
    /* Both count down, whichever fires. */
    if (fires(&any_failure))
        error = any_failure.error ? any_failure.error : functions[call].error;
    if (fires(&failures[call]))
        error = failures[call].error ? failures[call].error
                                     : functions[call].error;
    if (error != CL_SUCCESS) last_failure = functions[call].name;
    return error;
}

cl_int call_leave(enum call call, cl_int status)
{
    struct notice *notice;

    if (status != CL_SUCCESS) log_failure(call, status);
    const bool waits = call != CALL_clUnloadPlatformCompiler
                       && setting_number("CALLBACK_LATER", 0) != 0;
    driver_unlock();
    if (waits) return status;
    /* One by one: a callback may call the driver again, which then runs the
     * rest before it returns. */
    while ((notice = due) != NULL) {
        due = notice->next;
        notice->run(notice);
        driver_lock();
        if (notice->held) object_drop(notice->handle);
        driver_unlock();
        free(notice);
    }
    return status;
}

void call_leave_with(enum call call, cl_int status, cl_int *errcode)
{
    if (errcode != NULL) *errcode = status;
    call_leave(call, status);
}

cl_int notice_create(struct notice **notice, void (*run)(const struct notice *),
        void (*function)(void), void *user)
{
    struct notice *made = calloc(1, sizeof(*made));

    if (made == NULL) return CL_OUT_OF_HOST_MEMORY;
    made->run = run;
    made->function = function;
    made->user = user;
    *notice = made;
    return CL_SUCCESS;
}

void notice_post(struct notice *notice, struct object *handle, cl_int status)
{
    struct notice **end = &due;

    notice->handle = handle;
    notice->held = handle->external != 0 || handle->internal != 0;
    if (notice->held) object_hold(handle);
    notice->status = status;
    notice->next = NULL;
    while (*end != NULL)
        end = &(*end)->next;
    *end = notice;
}

void build_wait(bool compiles)
{
    unsigned long ms = (unsigned long)setting_number(
            compiles ? "BUILD_MS" : "BINARY_MS", 0);

    if (compiles)
        source_builds++;
    else
        binary_builds++;
    builds_waiting++;
    driver_changed();
    while (builds_blocked)
        driver_wait();
    builds_waiting--;
    if (ms != 0) driver_sleep_ms(ms);
}

static uint64_t thread_spent_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

static void driver_work_ms(unsigned long ms)
{
    const uint64_t end = thread_spent_ns() + (uint64_t)ms * 1000000u;

    driver_unlock();
    while (thread_spent_ns() < end) {
    }
    driver_lock();
}

/* Nobody waits for `changed`: of that, a child of fork() would have others'
 * waits, and no threads that they are of. */
void sizes_wait(void)
{
    const unsigned long ms = (unsigned long)setting_number("SIZES_MS", 0);
    const unsigned long work_ms =
            (unsigned long)setting_number("SIZES_WORK_MS", 0);

    sizes_waiting++;
    while (sizes_blocked)
        driver_sleep_ms(1);
    sizes_waiting--;
    if (ms != 0) driver_sleep_ms(ms);
    if (work_ms != 0) driver_work_ms(work_ms);
}

void binary_bytes_note(size_t bytes)
{
    binary_bytes += bytes;
}

/* ---- what tests call ---- */

void fake_opencl_reset(void)
{
    driver_lock();
    settings_reset();
    memset(counts, 0, sizeof(counts));
    memset(failures, 0, sizeof(failures));
    any_failure = (struct failure){0, CL_SUCCESS};
    total = source_builds = binary_builds = binary_bytes = misuses = 0;
    last_failure = NULL;
    builds_blocked = sizes_blocked = false;
    ready = false;
    launches_reset();
    driver_changed();
    driver_unlock();
}

void fake_opencl_set(const char *key, const char *value)
{
    driver_lock();
    settings_set(key, value);
    driver_unlock();
}

void fake_opencl_fail(const char *function, unsigned nth, cl_int error)
{
    driver_lock();
    make_ready();
    arm(function, nth, error);
    driver_unlock();
}

void fake_opencl_fail_any(unsigned nth, cl_int error)
{
    fake_opencl_fail("*", nth, error);
}

static unsigned long read_counter(const unsigned long *counter)
{
    unsigned long value;

    driver_lock();
    value = *counter;
    driver_unlock();
    return value;
}

unsigned long fake_opencl_count(const char *function)
{
    return read_counter(&counts[find(function)]);
}

unsigned long fake_opencl_total_calls(void)
{
    return read_counter(&total);
}
unsigned long fake_opencl_misuses(void)
{
    return read_counter(&misuses);
}

unsigned long fake_opencl_source_builds(void)
{
    return read_counter(&source_builds);
}

unsigned long fake_opencl_binary_builds(void)
{
    return read_counter(&binary_builds);
}

unsigned long fake_opencl_binary_bytes_seen(void)
{
    return read_counter(&binary_bytes);
}

const char *fake_opencl_last_failure(void)
{
    const char *name;

    driver_lock();
    name = last_failure;
    driver_unlock();
    return name;
}

void fake_opencl_block_builds(bool block)
{
    driver_lock();
    builds_blocked = block;
    driver_changed();
    driver_unlock();
}

bool fake_opencl_wait_for_blocked_builds(unsigned n)
{
    bool enough = true;

    driver_lock();
    while (builds_waiting < n && enough)
        enough = driver_wait_ms(120000);
    driver_unlock();
    return enough;
}

void fake_opencl_block_sizes(bool block)
{
    driver_lock();
    sizes_blocked = block;
    driver_unlock();
}

bool fake_opencl_wait_for_blocked_sizes(unsigned n)
{
    bool enough;

    driver_lock();
    for (int ms = 0; sizes_waiting < n && ms < 120000; ms++)
        driver_sleep_ms(1);
    enough = sizes_waiting >= n;
    driver_unlock();
    return enough;
}

size_t fake_opencl_live_objects(struct fake_opencl_objects *objects)
{
    struct fake_opencl_objects now;

    driver_lock();
    now.sub_devices = objects_alive(OBJECT_DEVICE);
    now.contexts = objects_alive(OBJECT_CONTEXT);
    now.queues = objects_alive(OBJECT_QUEUE);
    now.memories = objects_alive(OBJECT_MEMORY);
    now.programs = objects_alive(OBJECT_PROGRAM);
    now.kernels = objects_alive(OBJECT_KERNEL);
    now.events = objects_alive(OBJECT_EVENT);
    driver_unlock();
    if (objects != NULL) *objects = now;
    return now.sub_devices + now.contexts + now.queues + now.memories
           + now.programs + now.kernels + now.events;
}
