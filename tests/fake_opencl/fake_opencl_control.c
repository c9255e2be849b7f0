/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_opencl_control.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of the driver that are forwarded to. */
static struct {
    __typeof__(fake_opencl_reset) *reset;
    __typeof__(fake_opencl_set) *set;
    __typeof__(fake_opencl_count) *count;
    __typeof__(fake_opencl_total_calls) *total_calls;
    __typeof__(fake_opencl_source_builds) *source_builds;
    __typeof__(fake_opencl_binary_builds) *binary_builds;
    __typeof__(fake_opencl_binary_bytes_seen) *binary_bytes_seen;
    __typeof__(fake_opencl_fail) *fail;
    __typeof__(fake_opencl_fail_any) *fail_any;
    __typeof__(fake_opencl_last_failure) *last_failure;
    __typeof__(fake_opencl_live_objects) *live_objects;
    __typeof__(fake_opencl_misuses) *misuses;
    __typeof__(fake_opencl_block_builds) *block_builds;
    __typeof__(fake_opencl_wait_for_blocked_builds) *wait_for_blocked_builds;
    __typeof__(fake_opencl_block_sizes) *block_sizes;
    __typeof__(fake_opencl_wait_for_blocked_sizes) *wait_for_blocked_sizes;
    __typeof__(fake_opencl_last_launch) *last_launch;
    __typeof__(fake_opencl_set_kernel_body) *set_kernel_body;
} driver;

static const char *library = FAKE_OPENCL_LIBRARY;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Writes a function's address to where its pointer is, as POSIX wants it. */
static void look_up(void *handle, const char *name, void **function)
{
    *function = dlsym(handle, name);
    if (*function != NULL) return;
    fprintf(stderr, "%s: no %s\n", library, name);
    abort();
}

static void load(void)
{
    /* The loader's handle and this one are of the same object. */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
#define LOOK_UP(name) \
    look_up(handle, "fake_opencl_" #name, (void **)(void *)&driver.name)
    LOOK_UP(reset);
    LOOK_UP(set);
    LOOK_UP(count);
    LOOK_UP(total_calls);
    LOOK_UP(source_builds);
    LOOK_UP(binary_builds);
    LOOK_UP(binary_bytes_seen);
    LOOK_UP(fail);
    LOOK_UP(fail_any);
    LOOK_UP(last_failure);
    LOOK_UP(live_objects);
    LOOK_UP(misuses);
    LOOK_UP(block_builds);
    LOOK_UP(wait_for_blocked_builds);
    LOOK_UP(block_sizes);
    LOOK_UP(wait_for_blocked_sizes);
    LOOK_UP(last_launch);
    LOOK_UP(set_kernel_body);
}

static void open_driver(void)
{
    pthread_once(&once, load);
}

void fake_opencl_control_open(const char *path)
{
    library = path;
    open_driver();
}

void fake_opencl_reset(void)
{
    open_driver();
    driver.reset();
}

void fake_opencl_set(const char *key, const char *value)
{
    open_driver();
    driver.set(key, value);
}

unsigned long fake_opencl_count(const char *function)
{
    open_driver();
    return driver.count(function);
}

unsigned long fake_opencl_total_calls(void)
{
    open_driver();
    return driver.total_calls();
}

unsigned long fake_opencl_source_builds(void)
{
    open_driver();
    return driver.source_builds();
}

unsigned long fake_opencl_binary_builds(void)
{
    open_driver();
    return driver.binary_builds();
}

unsigned long fake_opencl_binary_bytes_seen(void)
{
    open_driver();
    return driver.binary_bytes_seen();
}

void fake_opencl_fail(const char *function, unsigned nth, cl_int error)
{
    open_driver();
    driver.fail(function, nth, error);
}

void fake_opencl_fail_any(unsigned nth, cl_int error)
{
    open_driver();
    driver.fail_any(nth, error);
}

const char *fake_opencl_last_failure(void)
{
    open_driver();
    return driver.last_failure();
}

size_t fake_opencl_live_objects(struct fake_opencl_objects *counts)
{
    open_driver();
    return driver.live_objects(counts);
}

unsigned long fake_opencl_misuses(void)
{
    open_driver();
    return driver.misuses();
}

void fake_opencl_block_builds(bool block)
{
    open_driver();
    driver.block_builds(block);
}

bool fake_opencl_wait_for_blocked_builds(unsigned n)
{
    open_driver();
    return driver.wait_for_blocked_builds(n);
}

void fake_opencl_block_sizes(bool block)
{
    open_driver();
    driver.block_sizes(block);
}

bool fake_opencl_wait_for_blocked_sizes(unsigned n)
{
    open_driver();
    return driver.wait_for_blocked_sizes(n);
}

bool fake_opencl_last_launch(struct fake_opencl_launch *launch)
{
    open_driver();
    return driver.last_launch(launch);
}

void fake_opencl_set_kernel_body(
        const char *kernel, fake_opencl_body *body, void *user)
{
    open_driver();
    driver.set_kernel_body(kernel, body, user);
}
