/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "failure.h"
#include "replay.h"

#include <stdio.h>

static bool is_whole(const struct recording *recording, bool wants_binary)
{
    const struct recipe *recipe = &recording->recipe;
    bool seen =
            wants_binary ? recording->binary.size > 0 : recipe->source_size > 0;
    if (recording->truncated)
        failure_set("what reaches the driver is more than can be recorded");
    else if (!seen)
        failure_set("what reaches the driver was not seen");
    return seen && !recording->truncated;
}

bool bench_need_engine(struct bench *bench)
{
    dnnl_engine_t engine = NULL;
    if (bench->has_engine) return true;
    cl_context context = device_context(&bench->device);
    if (context == NULL) return false;
    recorder_start(&bench->probe);
    dnnl_status_t st =
            dnnl_ocl_interop_engine_create(&engine, bench->device.id, context);
    bench->has_engine =
            succeeded(st, "the engine")
            && engine_blob(engine, &bench->engine_blob)
            && bytes_write(bench->engine_blob.data, bench->engine_blob.size,
                    bench->dir, "engine.blob");
    recorder_stop();
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
    return bench->has_engine && is_whole(&bench->probe, false);
}

static bool compile(struct bench *bench, const struct subject *subject,
        dnnl_cache_compression_t compression, struct bytes *blob,
        struct recording *recording)
{
    struct object o;
    if (!object_open(
                &o, subject, &bench->device, &bench->engine_blob, OBJECT_SIZE))
        return false;
    recorder_start(recording);
    bool done = succeeded(dnnl_cache_engine_set_blob_compression(
                                  o.engine, compression),
                        "dnnl_cache_engine_set_blob_compression")
                && subject->describe(&o) && subject->create(&o)
                && subject->use(&o);
    recorder_stop();
    done = done && object_blob(&o, blob) && is_whole(recording, false);
    object_close(&o);
    return done;
}

static bool load(struct bench *bench, const struct subject *subject,
        const struct bytes *blob, struct recording *recording)
{
    struct object o;
    if (!object_open(
                &o, subject, &bench->device, &bench->engine_blob, OBJECT_SIZE))
        return false;
    unsigned before = recorder_compilations();
    recorder_start(recording);
    bool done = subject->describe(&o) && subject->load(&o, blob);
    recorder_stop();
    done = done && is_whole(recording, true);
    object_close(&o);
    if (done && recorder_compilations() != before) {
        failure_set("a %s from a blob was compiled", subject->name);
        done = false;
    }
    return done;
}

bool bench_make_blob(struct bench *bench, const struct subject *subject,
        dnnl_cache_compression_t compression, struct bytes *blob,
        struct recording *cold, struct recording *warm)
{
    progress(subject->name, 0, 1);
    bool done = bench_need_engine(bench)
                && compile(bench, subject, compression, blob, cold)
                && load(bench, subject, blob, warm);
    progress_end();
    return done;
}

/* Of a blob that has the finalised form alone: the driver is asked again. */
static bool ask_driver(const struct bench *bench, struct material *m)
{
    cl_program program;
    cl_kernel kernel;
    cl_context context = device_context(&bench->device);
    if (context == NULL) return false;
    bytes_fini(&m->warm.binary);
    bool done = replay_source(&bench->device, context, &m->cold.recipe,
            &m->warm.binary, &program, &kernel);
    if (done) {
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    clReleaseContext(context);
    m->binaries = (double)m->warm.binary.size;
    return done;
}

/* The driver's own binary, which it loads where there is no finalised form, in
 * place of the form that it was handed. */
static bool take_own_binary(const struct bench *bench, struct material *m)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    size_t size = 0;
    bool done = succeeded(
            dnnl_cache_blob_inspect(m->blob.size, m->blob.data, &info),
            "dnnl_cache_blob_inspect");
    m->binaries = (double)info.binary_bytes + (double)info.finalised_bytes;
    if (done && info.finalised_count > 0 && info.finalised_bytes == 0)
        return ask_driver(bench, m);
    if (!done || info.finalised_bytes == 0) return done;
    return succeeded(dnnl_cache_blob_get_program_binary(
                             m->blob.size, m->blob.data, 0, &size, NULL),
                   "dnnl_cache_blob_get_program_binary")
           && bytes_resize(&m->warm.binary, size)
           && succeeded(dnnl_cache_blob_get_program_binary(m->blob.size,
                                m->blob.data, 0, &size, m->warm.binary.data),
                   "dnnl_cache_blob_get_program_binary");
}

bool bench_need(struct bench *bench, const struct subject *subject,
        const struct material **out)
{
    char name[64];
    struct material *m =
            subject == &subject_program ? &bench->program : &bench->primitive;
    if (!m->made) {
        if (!bench_make_blob(bench, subject, dnnl_cache_compression_none,
                    &m->blob, &m->cold, &m->warm)
                || !take_own_binary(bench, m))
            return false;
        snprintf(name, sizeof name, "%s.blob", subject->name);
        if (!bytes_write(m->blob.data, m->blob.size, bench->dir, name))
            return false;
        snprintf(name, sizeof name, "%s.recipe", subject->name);
        if (!bytes_write(
                    &m->cold.recipe, sizeof m->cold.recipe, bench->dir, name))
            return false;
        m->made = true;
    }
    *out = m;
    return true;
}

static void material_fini(struct material *m)
{
    bytes_fini(&m->blob);
    recording_fini(&m->cold);
    recording_fini(&m->warm);
}

void bench_fini(struct bench *bench)
{
    bytes_fini(&bench->engine_blob);
    recording_fini(&bench->probe);
    material_fini(&bench->program);
    material_fini(&bench->primitive);
}
