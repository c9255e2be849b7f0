/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: whether the application has any. */
#include "layer/calls/calls.h"
#include "layer/capture/capture.h"
#include "layer/driver/idle.h"
#include "layer/driver/next_layer.h"
#include "layer/programs/identity.h"

typedef void(CL_CALLBACK *context_callback)(
        const char *words, const void *data, size_t size, void *user);

static cl_context CL_API_CALL create_context(
        const cl_context_properties *properties, cl_uint count,
        const cl_device_id *devices, context_callback notify, void *user,
        cl_int *err)
{
    (void)identity_changed_variable(); /* the driver may read one now */
    cl_context context = next_layer->clCreateContext(
            properties, count, devices, notify, user, err);
    if (context != NULL) idle_count_context(1);
    return context;
}

static cl_context CL_API_CALL create_context_from_type(
        const cl_context_properties *properties, cl_device_type type,
        context_callback notify, void *user, cl_int *err)
{
    (void)identity_changed_variable();
    cl_context context = next_layer->clCreateContextFromType(
            properties, type, notify, user, err);
    if (context != NULL) idle_count_context(1);
    return context;
}

static cl_int CL_API_CALL retain_context(cl_context context)
{
    const cl_int err = next_layer->clRetainContext(context);
    if (err == CL_SUCCESS) idle_count_context(1);
    return err;
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    const cl_int err = next_layer->clReleaseContext(context);
    if (err == CL_SUCCESS) {
        idle_count_context(-1);
        capture_idle();
    }
    return err;
}

static cl_int CL_API_CALL set_destructor_callback(cl_context context,
        void(CL_CALLBACK *notify)(cl_context context, void *user), void *user)
{
    const cl_int err =
            next_layer->clSetContextDestructorCallback(context, notify, user);
    if (err == CL_SUCCESS) {
        idle_watch_context(context);
        capture_drop(context);
    }
    return err;
}

void put_context_calls(cl_icd_dispatch *table)
{
    table->clCreateContext = create_context;
    table->clCreateContextFromType = create_context_from_type;
    table->clRetainContext = retain_context;
    table->clReleaseContext = release_context;
    table->clSetContextDestructorCallback = set_destructor_callback;
}
