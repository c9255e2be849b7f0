/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_hand.c: keeps the blobs of an engine and a primitive itself, with oneDNN's
 * calls.
 *
 *     by_hand ~/.cache/by_hand    compiled 2 programs, result in 1400 ms
 *     by_hand ~/.cache/by_hand    from the cache, result in 5 ms, ...
 *
 * Both objects are created in the same way: query the ID, read the blob that is
 * kept under it, create the object from the blob. If anything fails, the object
 * is compiled instead. Its blob is kept when the result is there, because
 * getting the blob can take the driver as long as compiling did.
 */
#include "example.h"

#include <stdlib.h>

/* Where the blob of an object is kept, and the status of creating the object
 * from it. */
struct place {
    char path[files_path_size];
    dnnl_status_t found;
};

/* A blob of a newer format is left for the newer library that wrote it. */
static bool is_to_be_kept(const struct place *place)
{
    return place->found != dnnl_success
           && place->found != dnnl_cache_blob_unsupported;
}

/* ---- The engine ---------------------------------------------------------- */

static dnnl_status_t make_engine(dnnl_engine_t *engine, struct place *place,
        const struct device *device, const char *folder)
{
    size_t id_size = 0, size = 0;
    dnnl_ocl_interop_engine_get_cache_blob_id(device->id, &id_size, NULL);
    uint8_t *id = malloc(id_size + 1);
    if (id == NULL
            || dnnl_ocl_interop_engine_get_cache_blob_id(
                       device->id, &id_size, id)
                       != dnnl_success)
        id_size = 0; /* it has no place */
    example_blob_path(place->path, folder, id_size, id);
    free(id);

    uint8_t *blob = files_read(place->path, &size);
    place->found = dnnl_ocl_interop_engine_create_from_cache_blob(
            engine, device->id, device->context, size, blob);
    free(blob);
    if (place->found == dnnl_success) return dnnl_success;
    return dnnl_ocl_interop_engine_create(engine, device->id, device->context);
}

static void keep_engine(dnnl_engine_t engine, const struct place *place)
{
    size_t size = 0;
    if (!is_to_be_kept(place)) return;
    dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL);
    uint8_t *blob = size > 0 ? malloc(size) : NULL;
    if (blob != NULL
            && dnnl_ocl_interop_engine_get_cache_blob(engine, &size, blob)
                       == dnnl_success)
        files_write(place->path, size, blob);
    free(blob);
}

/* ---- The primitive ------------------------------------------------------- */

static dnnl_status_t make_primitive(dnnl_primitive_t *primitive,
        struct place *place, const_dnnl_primitive_desc_t pd, const char *folder)
{
    dnnl_dim_t id_size = 0;
    const uint8_t *id = NULL; /* the descriptor's */
    size_t size = 0;
    dnnl_primitive_desc_query(
            pd, dnnl_query_cache_blob_id_size_s64, 0, &id_size);
    dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &id);
    example_blob_path(
            place->path, folder, id != NULL ? (size_t)id_size : 0, id);

    uint8_t *blob = files_read(place->path, &size);
    place->found =
            dnnl_primitive_create_from_cache_blob(primitive, pd, size, blob);
    free(blob);
    if (place->found == dnnl_success) return dnnl_success;
    return dnnl_primitive_create(primitive, pd);
}

static void keep_primitive(
        const_dnnl_primitive_t primitive, const struct place *place)
{
    size_t size = 0;
    if (!is_to_be_kept(place)) return;
    dnnl_primitive_get_cache_blob(primitive, &size, NULL);
    uint8_t *blob = size > 0 ? malloc(size) : NULL;
    if (blob != NULL
            && dnnl_primitive_get_cache_blob(primitive, &size, blob)
                       == dnnl_success)
        files_write(place->path, size, blob);
    free(blob);
}

/* ---- What they are for: ReLU, in place ----------------------------------- */

enum { count = 4001 };

static float number(int i)
{
    return (float)(i % 2001 - 1000);
}

static dnnl_status_t compute(
        dnnl_primitive_t primitive, dnnl_stream_t stream, dnnl_memory_t memory)
{
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    void *mapped;
    dnnl_status_t st = dnnl_memory_map_data(memory, &mapped);
    if (st != dnnl_success) return st;
    for (int i = 0; i < count; i++)
        ((float *)mapped)[i] = number(i);
    st = dnnl_memory_unmap_data(memory, mapped);
    if (st == dnnl_success)
        st = dnnl_primitive_execute(primitive, stream, 2, args);
    return st == dnnl_success ? dnnl_stream_wait(stream) : st;
}

static dnnl_status_t check(dnnl_memory_t memory, bool *right)
{
    void *mapped;
    double sum = 0.0;
    dnnl_status_t st = dnnl_memory_map_data(memory, &mapped);
    if (st != dnnl_success) return st;
    *right = true;
    for (int i = 0; i < count; i++) {
        const float x = number(i), result = ((float *)mapped)[i];
        if (result != (x > 0.0f ? x : 0.0f)) *right = false;
        sum += (double)result;
    }
    example_print_result(sum, *right);
    return dnnl_memory_unmap_data(memory, mapped);
}

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    struct place engine_place, primitive_place;
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    const double began = clock_ms();
    dnnl_status_t st = make_engine(&engine, &engine_place, device, folder);
    if (st == dnnl_success)
        st = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    if (st == dnnl_success)
        st = dnnl_memory_desc_create_with_tag(
                &md, 1, (dnnl_dims_t){count}, dnnl_f32, dnnl_a);
    if (st == dnnl_success)
        st = dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE);
    if (st == dnnl_success)
        st = dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
                dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f, 0.0f,
                NULL);
    if (st == dnnl_success)
        st = make_primitive(&primitive, &primitive_place, pd, folder);
    if (st == dnnl_success) st = compute(primitive, stream, memory);
    if (st == dnnl_success) {
        example_print_library_time(clock_ms() - began);
        keep_engine(engine, &engine_place);
        keep_primitive(primitive, &primitive_place);
        st = check(memory, right);
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return st;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FOLDER",
            "ReLU on an OpenCL device. Its engine and its primitive are\n"
            "compiled by the first run and loaded by later ones.\n",
            run};
    return example_main(&example, argc, argv);
}
