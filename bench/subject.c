/* SPDX-License-Identifier: Apache-2.0 */
#include "subject.h"

#include "failure.h"

#include <string.h>

bool engine_blob(dnnl_engine_t engine, struct bytes *blob)
{
    size_t size = 0;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL);
    if (!succeeded(st, "the engine's cache blob")) return false;
    if (size == 0) {
        failure_set("the engine has no cache blob");
        return false;
    }
    if (!bytes_resize(blob, size)) return false;
    st = dnnl_ocl_interop_engine_get_cache_blob(engine, &size, blob->data);
    return succeeded(st, "the engine's cache blob");
}

static bool engine_open(struct object *o, const struct bytes *blob)
{
    cl_device_id id = o->device->id;
    struct bytes facts = {NULL, 0};
    dnnl_status_t st;
    if (blob != NULL) {
        st = dnnl_ocl_interop_engine_create_from_cache_blob(
                &o->engine, id, o->context, blob->size, blob->data);
        return succeeded(st, "the engine from its cache blob");
    }
    st = dnnl_ocl_interop_engine_create(&o->engine, id, o->context);
    if (!succeeded(st, "the engine")) return false;
    bool done = engine_blob(o->engine, &facts);
    bytes_fini(&facts);
    return done;
}

bool object_open(struct object *o, const struct subject *subject,
        const struct device *device, const struct bytes *blob_of_engine,
        int64_t size)
{
    memset(o, 0, sizeof *o);
    o->subject = subject;
    o->device = device;
    o->size = size;
    o->context = device_context(device);
    if (o->context != NULL && engine_open(o, blob_of_engine)
            && subject->prepare(o))
        return true;
    object_close(o);
    return false;
}

void object_close(struct object *o)
{
    o->subject->drop(o);
    o->subject->forget(o);
    o->subject->finish(o);
    dnnl_engine_destroy(o->engine);
    if (o->context != NULL) clReleaseContext(o->context);
}

bool object_blob(struct object *o, struct bytes *blob)
{
    size_t size = 0;
    if (!o->subject->blob(o, &size, NULL)) return false;
    if (size == 0) {
        failure_set("the %s has no cache blob", o->subject->name);
        return false;
    }
    return bytes_resize(blob, size) && o->subject->blob(o, &size, blob->data);
}
