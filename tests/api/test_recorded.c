/* SPDX-License-Identifier: Apache-2.0 */
/* What a store is told for an application's record, on any driver: compiled or
 * loaded, each thing once. */
#include "dnnl_cache/sys/layer.h"
#include "programs.h"
#include "stored.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_notes = 16 };

struct recorded {
    struct stored x;
    dnnl_cache_store_t callbacks;
    size_t count;
    char notes[most_notes][96];
};

static struct recorded *recorded_of(void *user)
{
    char *store = user;
    return (struct recorded *)(void *)(store
                                       - offsetof(struct recorded, x.store));
}

/* A replay makes the descriptor so; asked from inside a callback, so there is
 * no store. */
static void expect_id(struct recorded *x, const dnnl_cache_note_t *note)
{
    dnnl_cache_program_desc_t desc = NULL;
    uint8_t id[8192];
    size_t size = sizeof id;
    EXPECT_OK(dnnl_cache_program_desc_create(&desc, x->x.rig.engine,
            note->source_count, note->sources, note->source_sizes,
            note->options));
    if (note->origin == dnnl_cache_note_primitive)
        EXPECT_OK(dnnl_cache_program_desc_set_primitive(desc));
    EXPECT_OK(dnnl_cache_program_desc_get_cache_blob_id(desc, &size, id));
    EXPECT_BYTES_EQ(id, size, note->id, note->id_size);
    if (note->origin == dnnl_cache_note_primitive)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_program_desc_set_primitive(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static dnnl_status_t take(void *user, const dnnl_cache_note_t *note)
{
    struct recorded *x = recorded_of(user);
    if (x->count == most_notes) return dnnl_runtime_error;
    char *text = x->notes[x->count++];
    const size_t size = sizeof x->notes[0];
    switch (note->kind) {
    case dnnl_cache_note_build:
        (void)snprintf(text, size, "build %s",
                note->origin == dnnl_cache_note_primitive ? "of a primitive"
                                                          : note->options);
        expect_id(x, note);
        break;
    case dnnl_cache_note_kernel:
        (void)snprintf(text, size, "kernel %s", note->kernel);
        break;
    default:
        (void)snprintf(text, size, "launch %s %zu %u", note->kernel,
                note->local_size[0], note->work_dim);
    }
    /* The application does not notice. */
    return dnnl_runtime_error;
}

static void attach(struct recorded *x)
{
    x->count = 0;
    EXPECT_OK(dnnl_cache_engine_set_store(x->x.rig.engine, &x->callbacks));
}

static void recorded_open(struct recorded *x)
{
    memset(x, 0, sizeof *x);
    stored_open(&x->x);
    x->callbacks = x->x.store.callbacks;
    x->callbacks.record = take;
    attach(x);
}

static void use_scale(struct recorded *x)
{
    const size_t global = 640;
    const size_t local = 64;
    cl_kernel kernel = NULL;
    dnnl_cache_program_t program = build(x->x.rig.engine, scale_source, "-DA");
    EXPECT_OK(dnnl_cache_program_get_kernel(program, "scale", &kernel));
    if (kernel != NULL) clReleaseKernel(kernel);
    for (int i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_program_note_launch(
                program, "scale", 1, NULL, &global, &local));
    EXPECT_EQ(3, x->count);
    EXPECT_STR_EQ("build -DA", x->notes[0]);
    EXPECT_STR_EQ("kernel scale", x->notes[1]);
    EXPECT_STR_EQ("launch scale 64 1", x->notes[2]);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_C(Recorded, IsWhatIsCompiledAndWhatIsLoaded)
{
    struct recorded x;
    recorded_open(&x);
    use_scale(&x);
    stored_restart(&x.x);
    attach(&x);
    const uint64_t loaded = rig_statistics().programs_loaded;
    use_scale(&x);
    EXPECT_EQ(loaded + 1, rig_statistics().programs_loaded);
    EXPECT_EQ(1, x.x.store.puts);
    stored_close(&x.x);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_C(Recorded, NamesProgramsOfPrimitivesAsTheyAreLookedFor)
{
    struct recorded x;
    recorded_open(&x);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.x.rig.engine));
    ASSERT_TRUE(x.count >= 2);
    EXPECT_STR_EQ("build of a primitive", x.notes[0]);
    EXPECT_TRUE(strncmp(x.notes[1], "kernel ", 7) == 0);
    EXPECT_TRUE(strncmp(x.notes[2], "launch ", 7) == 0);
    stored_close(&x.x);
}
#endif

TEST_C(Recorded, IsNothingWithoutARecord)
{
    struct recorded x;
    recorded_open(&x);
    x.callbacks.record = NULL;
    attach(&x);
    dnnl_cache_program_t program = build(x.x.rig.engine, scale_source, "-DA");
    EXPECT_EQ(0, x.count);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x.x);
}
