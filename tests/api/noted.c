/* SPDX-License-Identifier: Apache-2.0 */
#include "noted.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static struct noted *noted_of(void *user)
{
    char *store = user;
    return (struct noted *)(void *)(store - offsetof(struct noted, x.store));
}

static dnnl_status_t take_note(void *user, const dnnl_cache_note_t *n)
{
    struct noted *x = noted_of(user);
    if (x->fail_note != dnnl_success) return x->fail_note;
    EXPECT_EQ(dnnl_cache_note_library, n->origin);
    EXPECT_TRUE(n->id_size > 0 && n->id != NULL);
    if (x->count == most_notes) return dnnl_runtime_error;
    char *text = x->notes[x->count++];
    const size_t size = sizeof x->notes[0];
    if (n->kind == dnnl_cache_note_launch) {
        (void)snprintf(text, size, "launch %s %zu-%zu-%zu of %zu-%zu-%zu%s%s",
                n->kernel, n->local_size[0], n->local_size[1], n->local_size[2],
                n->global_size[0], n->global_size[1], n->global_size[2],
                n->has_offset ? " offset" : "",
                n->is_small_grid ? " small" : "");
        return dnnl_success;
    }
    (void)snprintf(text, size, "build %s", n->options);
    EXPECT_EQ(1, n->source_count);
    EXPECT_BYTES_EQ(scale_source, strlen(scale_source), n->sources[0],
            n->source_sizes[0]);
    return dnnl_success;
}

static dnnl_status_t tell_can_put(void *user)
{
    return noted_of(user)->can_put;
}

void noted_attach(struct noted *x)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->x.rig.engine, &x->callbacks));
}

void noted_open(struct noted *x)
{
    memset(x, 0, sizeof *x);
    stored_open(&x->x);
    x->callbacks = x->x.store.callbacks;
    x->callbacks.note = take_note;
    x->callbacks.can_put = tell_can_put;
    noted_attach(x);
}

void noted_restart(struct noted *x)
{
    stored_restart(&x->x);
    noted_attach(x);
    x->count = 0;
}

dnnl_cache_program_t build_scale(struct noted *x)
{
    return build(x->x.rig.engine, scale_source, "-DA");
}

unsigned long queries(void)
{
    return fake_opencl_count("clGetProgramInfo");
}

unsigned blobs(struct noted *x)
{
    return memory_store_count(&x->x.store, dnnl_cache_blob_kind_program);
}

void launch(dnnl_cache_program_t program, const char *name, size_t local)
{
    const size_t global = 640;
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, name, 1, NULL, &global, local > 0 ? &local : NULL));
}

static dnnl_status_t find_launches(
        const dnnl_cache_blob_part_t *part, void *user)
{
    char *text = user;
    if (part->kind != dnnl_cache_blob_part_kernel) return dnnl_success;
    const size_t size = strlen(text);
    (void)snprintf(text + size, 160 - size, "%s:%s;", part->name,
            part->launches != NULL ? part->launches : "");
    return dnnl_success;
}

void expect_launches(struct noted *x, const char *expected)
{
    char text[160] = "";
    struct memory_store_entry only =
            memory_store_only(&x->x.store, dnnl_cache_blob_kind_program);
    EXPECT_OK(dnnl_cache_blob_describe(
            only.blob.size, only.blob.data, find_launches, text));
    EXPECT_STR_EQ(expected, text);
    bytes_free(&only.id);
    bytes_free(&only.blob);
}

void noted_expect_blobs(
        struct noted *x, dnnl_cache_program_t program, unsigned expected)
{
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(x);
    EXPECT_EQ(expected, blobs(x));
}
