/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of the fake driver, a context and an engine of it. The driver is
 * found through OCL_ICD_VENDORS, which ctest sets.
 */
#ifndef DNNL_CACHE_TESTS_API_RIG_H
#define DNNL_CACHE_TESTS_API_RIG_H

#include "dnnl_cache.h"
#include "fake_opencl_control.h"

struct rig {
    cl_device_id device;
    cl_context context;
    dnnl_engine_t engine;
    size_t objects; /* of the driver's, before */
};

/* Device number `index` of the fake platform; aborts if there is none. */
cl_device_id rig_device(cl_uint index);
cl_platform_id rig_platform(void);

/* Makes context and engine; aborts if it cannot. */
void rig_open(struct rig *rig, cl_uint index);

/* The same for device 1, whose driver's version cannot be read: it has no
 * identity. One that was established is never forgotten, so tests do nothing
 * else that would identify this device. */
void rig_open_unidentified(struct rig *rig);

/* Destroys them (an engine that is NULL is fine), empties the caches and
 * notes a failure if more of the driver's objects are alive than before, or any
 * was misused.
 * Then the driver is reset. */
void rig_close(struct rig *rig);

/* Drops what is in memory: the primitive cache is emptied and gets its
 * default capacity. */
void rig_forget_primitives(void);

/* What has been counted so far. */
dnnl_cache_statistics_t rig_statistics(void);

/* Of the engine. */
void rig_set_mode(const struct rig *rig, dnnl_cache_compile_mode_t mode);

/* Reference counts as the driver tells them. */
cl_uint context_references(cl_context context);
cl_uint queue_references(cl_command_queue queue);
cl_uint memory_references(cl_mem memory);
cl_uint program_references(cl_program program);
cl_uint device_references(cl_device_id device);

/* One half of a device's compute units: the caller releases it. */
cl_device_id sub_device_create(cl_device_id device);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_RIG(suite, name) \
    TEST_WITH(suite, name, struct rig, rig, rig_open(rig, 0), rig_close(rig))

#endif /* DNNL_CACHE_TESTS_API_RIG_H */
