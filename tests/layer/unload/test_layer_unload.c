/* SPDX-License-Identifier: Apache-2.0 */
/* An application that unloads the loader before it ends, on loaders of several
 * kinds: the system's; a stand-in for those of 2026; and a real one of these in
 * the folder that DNNL_CACHE_TEST_LOADER names. */
#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_variables = 12, text_size = 600 };

static const char legacy[] = "OCL_ICD_FORCE_LEGACY_TERMINATION=1";
static const char stays[] = "OCL_ICD_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1";

struct client {
    const char *rounds;
    const char *how;      /* or NULL */
    const char *loader;   /* its folder; NULL: the system's */
    const char *layers;   /* OPENCL_LAYERS */
    const char *variable; /* one more, or NULL */
};

static int become_client(void *user)
{
    const struct client *client = user;
    execl(CLIENT, CLIENT, client->rounds, client->how, (char *)NULL);
    return 99;
}

static void expect_text(const char *file, const char *expected)
{
    char *text = layer_process_read_file(in_test(file));
    test_asserts();
    if (text == NULL || strstr(text, expected) == NULL)
        test_fail(__FILE__, __LINE__, "no %s in %s", expected,
                text != NULL ? text : "nothing");
    free(text);
}

/* Runs the client under the layer; expected is a part of what was counted. */
static void run(const struct client *client, const char *expected)
{
    static char texts[6][text_size + 40];
    const char *variables[most_variables] = {texts[0], texts[1], texts[2],
            texts[3], "DNNL_CACHE_PRINT_DEBUG=1", "UNLOAD_CLIENT_LAYER=" LAYER};
    size_t count = 6;
    (void)snprintf(texts[0], sizeof *texts, "OPENCL_LAYERS=%s", client->layers);
    (void)snprintf(
            texts[1], sizeof *texts, "DNNL_CACHE_DIR=%s", in_test("store"));
    (void)snprintf(
            texts[2], sizeof *texts, "DNNL_CACHE_STATS=%s", in_test("counted"));
    (void)snprintf(texts[3], sizeof *texts, "STAND_IN_LOG=%s", in_test("log"));
    if (client->loader != NULL) {
        (void)snprintf(
                texts[4], sizeof *texts, "LD_LIBRARY_PATH=%s", client->loader);
        (void)snprintf(
                texts[5], sizeof *texts, "FAKE_OPENCL_LOG=%s", in_test("log"));
        variables[count++] = texts[4];
        variables[count++] = texts[5];
    }
    if (client->variable != NULL) variables[count++] = client->variable;
    (void)remove(in_test("counted"));
    (void)remove(in_test("log"));
    EXPECT_EQ(0, layer_process_run(
                         variables, become_client, (void *)(uintptr_t)client));
    expect_text("counted", expected);
}

/* How often a line is in the log of loader and driver. */
static unsigned count_lines(const char *line)
{
    char *text = layer_process_read_file(in_test("log"));
    const size_t size = strlen(line);
    unsigned count = 0;
    for (const char *at = text; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        if (length == size && memcmp(at, line, size) == 0) count++;
        at += length + (at[length] != '\0');
    }
    free(text);
    return count;
}

/* The loader let all layers go, and nothing of the driver was called since. */
static void expect_end(unsigned layers)
{
    static const char last[] = "\nend\n";
    char *text = layer_process_read_file(in_test("log"));
    EXPECT_EQ(layers, count_lines("layer"));
    EXPECT_EQ(layers, count_lines("end of a layer"));
    EXPECT_NOT_NULL(text);
    const size_t size = text != NULL ? strlen(text) : 0;
    if (size < sizeof last
            || strcmp(text + size - (sizeof last - 1), last) != 0)
        test_fail(__FILE__, __LINE__, "more after the end: %s", text);
    free(text);
}

TEST_C(LayerUnload, KeepsWhatWasCompiledBefore)
{
    const struct client client = {.rounds = "1", .layers = LAYER};
    run(&client, "\"kept\":1,");
    run(&client, "\"hits\":1,");
}

TEST_C(LayerUnload, ServesALoaderThatIsLoadedAgain)
{
    const struct client client = {.rounds = "3", .layers = LAYER};
    run(&client, "\"kept\":3,");
    run(&client, "\"hits\":3,");
}

/* ---- Loaders that let layers go ------------------------------------------ */

TEST_C(LayerUnload, EndsWithALoaderThatLetsItGo)
{
    static const char *const variables[] = {NULL, stays};
    for (size_t i = 0; i < COUNT(variables); i++) {
        const struct client client = {.rounds = "3",
                .loader = STAND_IN,
                .layers = LAYER,
                .variable = variables[i]};
        run(&client, i == 0 ? "\"kept\":3," : "\"hits\":3,");
        expect_end(1);
        run(&client, "\"hits\":3,");
        expect_end(1);
    }
}

TEST_C(LayerUnload, WorksWithALoaderThatIsToldToKeepIt)
{
    const struct client client = {.rounds = "2",
            .loader = STAND_IN,
            .layers = LAYER,
            .variable = legacy};
    run(&client, "\"kept\":2,");
    run(&client, "\"hits\":2,");
    EXPECT_EQ(1, count_lines("layer"));
    EXPECT_EQ(0, count_lines("end"));
}

/* The capture is over then, or was never to be: nothing is asked for late. */
TEST_C(LayerUnload, CallsNothingWhenTheProcessHasEnded)
{
    struct client client = {.rounds = "1",
            .how = "thread",
            .loader = STAND_IN,
            .layers = LAYER};
    run(&client, "\"misses\":1,");
    expect_end(1);
    client.how = "late";
    run(&client, "\"misses\":1,");
    expect_end(1);
}

TEST_C(LayerUnload, StandsAboveAndBelowOtherLayers)
{
    static const char *const lists[] = {LAYER ":" COUNTER, COUNTER ":" LAYER};
    char counter[text_size + 40];
    (void)snprintf(counter, sizeof counter, "BUILD_COUNTER_FILE=%s",
            in_test("compiled"));
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct client client = {.rounds = "1",
                .loader = STAND_IN,
                .layers = lists[i],
                .variable = counter};
        run(&client, i == 0 ? "\"kept\":1," : "\"hits\":1,");
        EXPECT_EQ(2, count_lines("layer"));
        EXPECT_EQ(1, count_lines("end of a layer")); /* the counter has none */
        EXPECT_EQ(1, count_lines("end"));
    }
}

/* ---- A real one ---------------------------------------------------------- */

TEST_C(LayerUnload, WorksWithTheLoaderThatIsNamed)
{
    static const char *const variables[] = {NULL, stays, legacy};
    const char *folder = getenv("DNNL_CACHE_TEST_LOADER");
    if (folder == NULL || folder[0] == '\0') {
        test_skip(__FILE__, __LINE__,
                "DNNL_CACHE_TEST_LOADER names no folder with a loader");
        return;
    }
    for (size_t i = 0; i < COUNT(variables); i++) {
        const struct client client = {.rounds = "3",
                .loader = folder,
                .layers = LAYER,
                .variable = variables[i]};
        run(&client, i == 0 ? "\"kept\":3," : "\"hits\":3,");
        run(&client, "\"hits\":3,");
    }
    run(&(struct client){.rounds = "1",
                .how = "thread",
                .loader = folder,
                .layers = LAYER},
            "\"hits\":1,");
    run(&(struct client){.rounds = "1",
                .loader = folder,
                .layers = COUNTER ":" LAYER},
            "\"hits\":1,");
}
