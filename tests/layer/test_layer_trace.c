/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/storage.h"
#include "layer/trace/trace.h"
#include "layer_process.h"
#include "layer_store.h"
#include "src/blob/id.h"
#include "src/common/byte_order.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ID of a program with these options, on this driver. */
static void make_id(
        struct id_builder *b, const char *options, const char *driver)
{
    id_builder_init(b, blob_kind_program);
    id_put_string(b, id_device_name, "a \x1b[31mdevice");
    id_put_string(b, id_driver_version, driver);
    id_put_string(b, id_build_options, options);
}

static int miss_and_hit(void *user)
{
    struct id_builder old_id;
    struct id_builder new_id;
    const uint8_t blob[] = "a blob";
    const struct trace_facts facts = {.kernels = "one;two;three;four;\x1b;six",
            .took_ns = 1500000,
            .compile_ns = 250000000,
            .what_ended = "compiled"};
    (void)user;
    make_id(&old_id, "-DX=1", "1.0");
    make_id(&new_id, "-DX=2", "1.0");
    trace_miss(layer_reason_missing, NULL, old_id.bytes.size, old_id.bytes.data,
            NULL);
    EXPECT_EQ(storage_put(old_id.bytes.size, old_id.bytes.data, sizeof blob,
                      blob, 0),
            storage_kept);
    trace_kept(old_id.bytes.size, old_id.bytes.data);
    trace_miss_begin(layer_reason_missing, NULL, new_id.bytes.size,
            new_id.bytes.data, NULL);
    trace_miss_end(layer_reason_missing, NULL, new_id.bytes.size,
            new_id.bytes.data, &facts);
    trace_hit(old_id.bytes.size, old_id.bytes.data, true,
            "-I /a/\x1b -w -isystem /b/ -I /a/\x1b", &facts);
    trace_incomplete(old_id.bytes.size, old_id.bytes.data, "the_kernel",
            "64-1-1-goffs0-smallgrid");
    trace_miss(layer_reason_includes, "no file \x1b.h", 0, NULL, NULL);
    trace_not_kept(layer_reason_slow_query, "90 s", new_id.bytes.size,
            new_id.bytes.data);
    id_builder_fini(&old_id);
    id_builder_fini(&new_id);
    storage_close();
    return test_has_failed();
}

/* What a process that does all of this says. */
static char *trace_of(const struct layer_store *store, const char *trace)
{
    char *said = NULL;
    struct layer_store with = *store;
    with.variables[0] = with.directory;
    with.variables[1] = with.kind;
    with.variables[2] = trace;
    with.variables[3] = NULL;
    EXPECT_EQ(
            layer_process_listen(&said, with.variables, miss_and_hit, NULL), 0);
    return said;
}

static void expect_trace(const char *said)
{
    static const char first[] =
            ": miss, missing\n    device_name: a \\x1b[31mdevice\n    "
            "driver_version: 1.0\n    build_options: -DX=1\n  the store has no "
            "entry of a program\n";
    static const char second[] =
            ": miss, missing\n    device_name: a \\x1b[31mdevice\n"
            "    driver_version: 1.0\n    build_options: -DX=2\n"
            "  the nearest entry, ";
    static const char difference[] = ", differs in: build_options\n"
                                     "    build_options: -DX=2, there -DX=1\n";
    const char *const parts[] = {
            first,
            ": kept\n",
            second,
            difference,
            ": hit in memory\n    device_name: ",
            "    build_options: -DX=1\n    <folder 1> is here: /a/\\x1b\n"
            "    <folder 2> is here: /b\ndnnl_cache",
            ": incomplete, the entry lacks kernel the_kernel launched as "
            "64-1-1-goffs0-smallgrid\n",
            ": a program without an ID: miss, includes: no file \\x1b.h\n",
            ": not kept, slow_query: 90 s\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = strstr(said, parts[i]);
        TEST_CHECK_(at != NULL, return;, "no \"%s\" in \"%s\"", parts[i], said);
        said = at + strlen(parts[i]);
    }
}

TEST_C(LayerTrace, TellsIngredientsAndTheNearestEntry)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    char *said = trace_of(&store, "DNNL_CACHE_TRACE=full");
    ASSERT_NOT_NULL(said);
    expect_trace(said);
    free(said);
}

TEST_C(LayerTrace, GoesToAFile)
{
    struct layer_store store;
    char variable[600];
    layer_store_init(&store, 0, NULL);
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_TRACE=full:%s-trace",
            store.path);
    char *said = trace_of(&store, variable);
    EXPECT_STR_EQ(said, "");
    free(said);
    char *text = layer_process_read_file(strchr(variable, '/'));
    ASSERT_NOT_NULL(text);
    expect_trace(text);
    free(text);
}

/* Those of the test, without what is in front of them. */
static void expect_lines(const char *said)
{
    static const char *const lines[] = {
            ": miss, missing, no entry of the same source",
            ": miss, missing, the nearest entry differs in build_options, "
            "kernels one two three four and 2 more, compiled in 1.50 ms, "
            "compiling took 250 ms",
            ": hit in memory, kernels one two three four and 2 more, loaded in "
            "1.50 ms, compiling took 250 ms",
            ": incomplete, the entry lacks kernel the_kernel launched as "
            "64-1-1-goffs0-smallgrid",
            ": a program without an ID: miss, includes: no file \\x1b.h",
            ": not kept, slow_query: 90 s",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const size_t size = strcspn(said, "\n");
        const size_t length = strlen(lines[i]);
        TEST_CHECK_(
                size > length
                        && memcmp(said + size - length, lines[i], length) == 0,
                return;
                , "no \"%s\" at \"%s\"", lines[i], said);
        said += size + 1;
    }
    EXPECT_STR_EQ("", said);
}

TEST_C(LayerTrace, IsALineAProgram)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    char *said = trace_of(&store, "DNNL_CACHE_TRACE=1");
    ASSERT_NOT_NULL(said);
    expect_lines(said);
    free(said);
}

TEST_C(LayerTrace, SaysNothingUnasked)
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    char *said = trace_of(&store, "DNNL_CACHE_TRACE=0");
    EXPECT_STR_EQ(said, "");
    free(said);
}

/* ---- Every ingredient ---------------------------------------------------- */

enum { tags_end = 0x1000, digest_size = 32, long_size = 300 };

/* The bytes of an ingredient's value, a text, a number, a digest or more than
 * that, and what the trace has to say of it. */
static size_t value_of(uint16_t tag, uint8_t value[long_size], char *shown)
{
    static const size_t sizes[] = {4, digest_size, long_size};
    const size_t size = sizes[tag % 3];
    if (id_field_is_text(tag))
        return (size_t)sprintf((char *)value, "%s",
                strcpy(shown, size == 4 ? "a text" : id_field_name(tag)));
    for (size_t i = 0; i < size; i++)
        value[i] = (uint8_t)(tag * 31 + i * 7);
    if (size == 4)
        sprintf(shown, "%" PRIu32, load_le32(value));
    else
        for (size_t i = 0; i < size; i++)
            sprintf(shown + 2 * i, "%02x", value[i]);
    return size;
}

static int miss_of_all(void *user)
{
    struct id_builder b;
    uint8_t value[long_size];
    char shown[2 * long_size + 1];
    (void)user;
    id_builder_init(&b, blob_kind_program);
    for (uint16_t tag = 0; tag < tags_end; tag++)
        if (strcmp(id_field_name(tag), "unknown") != 0)
            id_put(&b, (enum id_tag)tag, value, value_of(tag, value, shown));
    EXPECT_OK(id_builder_status(&b));
    trace_miss(layer_reason_missing, NULL, b.bytes.size, b.bytes.data, NULL);
    id_builder_fini(&b);
    storage_close();
    return test_has_failed();
}

/* Each on a line of its own, in the order of the ID, and nothing else. */
static void expect_all(const char *said)
{
    uint8_t value[long_size];
    char shown[2 * long_size + 1];
    char line[2 * long_size + 80];
    unsigned count = 0;
    const char *at = strstr(said, "    ");
    for (uint16_t tag = 0; at != NULL && tag < tags_end; tag++) {
        if (strcmp(id_field_name(tag), "unknown") == 0) continue;
        (void)value_of(tag, value, shown);
        const int n = snprintf(
                line, sizeof line, "    %s: %s\n", id_field_name(tag), shown);
        TEST_CHECK_(strncmp(at, line, (size_t)n) == 0, return;
                    , "no \"%s\" at \"%.100s\"", line, at);
        at += n;
        count++;
    }
    EXPECT_GT(count, 40);
    EXPECT_NOT_NULL(at);
    EXPECT_EQ(0, strncmp(at, "  the store has no entry", 24));
}

/* On standard error for full, in a file for its path behind that. */
TEST_C(LayerTrace, HoldsEveryIngredientWhole)
{
    struct layer_store store;
    char variable[600];
    char *said = NULL;
    layer_store_init(&store, 0, "DNNL_CACHE_TRACE=full");
    EXPECT_EQ(
            0, layer_process_listen(&said, store.variables, miss_of_all, NULL));
    expect_all(said);
    free(said);
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_TRACE=full:%s-trace",
            store.path);
    layer_store_init(&store, 0, variable);
    EXPECT_EQ(
            0, layer_process_listen(&said, store.variables, miss_of_all, NULL));
    EXPECT_STR_EQ("", said);
    free(said);
    said = layer_process_read_file(strchr(variable, '/'));
    ASSERT_NOT_NULL(said);
    expect_all(said);
    free(said);
}
