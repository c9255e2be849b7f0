/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getting_started.c: a first program. It compiles one primitive on one device,
 * and then creates it again from its cache blob without compiling.
 *
 *     getting_started       on the first OpenCL device
 *     getting_started 1     on the second
 */
#include "dnnl_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 1, c = 3, h = 13, w = 11, count = n * c * h * w };

/* Ends the program if a call fails. */
static void check(dnnl_status_t status, const char *call)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "getting_started: %s: %s\n", call, dnnl_status2str(status));
    exit(1);
}
#define CHECK(call) check(call, #call)

static float value_of(int i)
{
    return (float)(i % 7 - 3);
}

static void fill(dnnl_memory_t memory)
{
    void *mapped;
    CHECK(dnnl_memory_map_data(memory, &mapped));
    for (int i = 0; i < count; i++)
        ((float *)mapped)[i] = value_of(i);
    CHECK(dnnl_memory_unmap_data(memory, mapped));
}

/* Is there max(0, value) everywhere? */
static int is_right(dnnl_memory_t memory)
{
    int right = 1;
    void *mapped;
    CHECK(dnnl_memory_map_data(memory, &mapped));
    for (int i = 0; i < count; i++) {
        const float expected = value_of(i) > 0.0f ? value_of(i) : 0.0f;
        if (((float *)mapped)[i] != expected) right = 0;
    }
    CHECK(dnnl_memory_unmap_data(memory, mapped));
    return right;
}

/* Runs the primitive from one memory to another, and checks the result. */
static int run(dnnl_primitive_t relu, dnnl_stream_t stream, dnnl_memory_t src,
        dnnl_memory_t dst)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    CHECK(dnnl_primitive_execute(relu, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    return is_right(dst);
}

static void tell(const char *what, dnnl_primitive_t primitive, int right)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    CHECK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    printf("%s in %.1f ms, %s\n", what, 1e-6 * (double)info.total_ns,
            right ? "right" : "WRONG");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: getting_started [NUMBER OF THE DEVICE]\n");
        return 0;
    }
    const size_t index = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_memory_t src, dst;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t relu;

    /* A device, its queue, and two tensors. */
    CHECK(dnnl_engine_create(&engine, dnnl_gpu, index));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(
            &md, 4, (dnnl_dims_t){n, c, h, w}, dnnl_f32, dnnl_nhwc));
    CHECK(dnnl_memory_create(&src, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&dst, md, engine, DNNL_MEMORY_ALLOCATE));
    fill(src);

    /* What to compute, and the code for it, which is compiled here. */
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f, 0.0f,
            NULL));
    CHECK(dnnl_primitive_create(&relu, pd));
    int right = run(relu, stream, src, dst);
    tell("compiled", relu, right);

    /* The code as bytes. An application keeps them under the descriptor's cache
     * blob ID, for example in a file. */
    size_t size = 0;
    CHECK(dnnl_primitive_get_cache_blob(relu, &size, NULL));
    uint8_t *blob = malloc(size + 1);
    if (blob == NULL) check(dnnl_out_of_memory, "malloc");
    CHECK(dnnl_primitive_get_cache_blob(relu, &size, blob));
    CHECK(dnnl_primitive_destroy(relu));

    /* As in a later run, which has none of this in memory. */
    CHECK(dnnl_set_primitive_cache_capacity(0));
    CHECK(dnnl_primitive_create_from_cache_blob(&relu, pd, size, blob));
    right = run(relu, stream, src, dst) && right;
    tell("from the blob", relu, right);

    free(blob);
    CHECK(dnnl_primitive_destroy(relu));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return right ? 0 : 3;
}
