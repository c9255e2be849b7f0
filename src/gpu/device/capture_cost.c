/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/capture_cost.h"

#include "src/gpu/device/driver_name.h"

#include <pthread.h>
#include <stddef.h>

/* What the process has measured, by platform; more than these are not. */
enum { platforms = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct sums {
    cl_platform_id platform; /* NULL: free */
    uint64_t binary_ns;
    uint64_t compile_ns;
    uint64_t count;
} sums[platforms]; /* guarded by lock */

/* Cheaper than a tenth of compiling, or this, is not worth a journal. */
enum { cheap_ns = 2000000, cheap_part = 10 };

static cl_platform_id platform_of(cl_device_id device)
{
    cl_platform_id platform = NULL;
    if (clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            != CL_SUCCESS)
        return NULL;
    return platform;
}

static struct sums *find_locked(cl_platform_id platform)
{
    for (size_t i = 0; platform != NULL && i < platforms; i++) {
        if (sums[i].platform == NULL) sums[i].platform = platform;
        if (sums[i].platform == platform) return &sums[i];
    }
    return NULL;
}

bool capture_is_costly(cl_device_id device)
{
    bool is_costly = false;
    char name[driver_name_size];
    driver_name(name, device);
    const enum driver_binaries binaries = driver_binaries_of(name);
    if (binaries != driver_binaries_unknown)
        return binaries == driver_binaries_compiled;
    const cl_platform_id platform = platform_of(device);
    pthread_mutex_lock(&lock);
    const struct sums *s = find_locked(platform);
    if (s != NULL)
        is_costly = s->binary_ns > s->compile_ns / cheap_part
                    && s->binary_ns > s->count * cheap_ns;
    pthread_mutex_unlock(&lock);
    return is_costly;
}

void capture_cost_measured(
        cl_device_id device, uint64_t binary_ns, uint64_t compile_ns)
{
    const cl_platform_id platform = platform_of(device);
    if (compile_ns == 0) return; /* not known */
    pthread_mutex_lock(&lock);
    struct sums *s = find_locked(platform);
    if (s != NULL) {
        s->binary_ns += binary_ns;
        s->compile_ns += compile_ns;
        s->count++;
    }
    pthread_mutex_unlock(&lock);
}

bool capture_has_classes(cl_device_id device)
{
    char name[driver_name_size];
    driver_name(name, device);
    return driver_has_launch_classes(name);
}
