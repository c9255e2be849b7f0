/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that asks everything (query_client.c) gets the same answers without
 * the layer and with it, whatever is in the store.
 */
#include "runs.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *platform(void)
{
    const char *name = getenv("DNNL_CACHE_TEST_PLATFORM");

    return name != NULL ? name : "Portable Computing Language";
}

enum { NO_PLATFORM = 77 };

/* All scenes of the client. */
static char *const everything[] = {CLIENT, NULL, NULL};

/* The client's arguments, the platform filled in. */
static int play(struct layer_run *run, const char *layers, const char *store,
        char *const *scenes)
{
    char *arguments[16] = {CLIENT, (char *)(uintptr_t)platform()};

    for (size_t i = 2; i < 15 && scenes[i] != NULL; i++)
        arguments[i] = scenes[i];
    memset(run, 0, sizeof(*run));
    run->layers = layers;
    run->store = store;
    run->argument = arguments;
    return run_program(run);
}

/* What is compared below does not change by itself. */
TEST_C(LayerQueries, AreAnsweredTheSameTwice)
{
    struct layer_run first, second;
    int st = play(&first, NULL, NULL, everything);

    if (st == NO_PLATFORM) {
        run_free(&first);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    EXPECT_EQ(0, st);
    EXPECT_EQ(0, play(&second, NULL, NULL, everything));
    expect_same_lines("the second run", &first, &second);
    run_free(&first);
    run_free(&second);
}

#ifdef LAYER

/* Scenes whose every build is kept: nothing in them fails, or has headers. */
static char *const kept_scenes[] = {CLIENT, NULL, "source", "arguments",
        "rebuild", "references", "outlive", "several", "sub_device", "parts",
        "link_options", "binary", "unload", "printf", "extensions", "threads",
        NULL};

/* The counter sees what reaches the driver: the loader puts the last layer
 * nearest to it. */
static const char with_layer[] = LAYER;
static const char with_counter[] = COUNTER ":" LAYER;

static void make_store(char *path, size_t size)
{
    snprintf(path, size, "%s/store", test_directory());
}

/* With the layer until all is kept, mostly once. A driver that the layer does
 * not know, as the fake one, is not asked any more once its answers have taken
 * half a second and a tenth of the compilations, which they do on a slow
 * machine or an emulated one: each run keeps some, and the journal has the
 * rest. */
static void play_until_kept(const char *what, const struct layer_run *plain,
        const char *store, char *const *scenes)
{
    enum { most_runs = 12 };
    const bool is_fake = getenv("FAKE_OPENCL_BUILD_MS") != NULL;
    unsigned long left = 1;
    struct layer_run run;

    for (int i = 0; i < most_runs && left > 0; i++) {
        EXPECT_EQ(0, play(&run, with_layer, store, scenes));
        expect_same_lines(what, plain, &run);
        left = is_fake ? run_deferred(&run) : 0;
        run_free(&run);
    }
}

/* Plays them without the layer, then with it from an empty store on. False: no
 * such platform. */
static bool play_cold(
        struct layer_run *plain, const char *store, char *const *scenes)
{
    int st = play(plain, NULL, NULL, scenes);

    if (st == NO_PLATFORM) return false;
    EXPECT_EQ(0, st);
    play_until_kept("cold", plain, store, scenes);
    return true;
}

TEST_C(LayerQueries, AreAnsweredTheSameColdAndWarm)
{
    char store[512];
    struct layer_run plain, warm;

    make_store(store, sizeof(store));
    if (!play_cold(&plain, store, everything)) {
        run_free(&plain);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(0, play(&warm, with_layer, store, everything));
        expect_same_lines("warm", &plain, &warm);
        run_free(&warm);
    }
    run_free(&plain);
}

static void answer_without_compiling(char *const *scenes)
{
    char store[512];
    struct layer_run plain, warm;

    make_store(store, sizeof(store));
    if (!play_cold(&plain, store, scenes)) {
        run_free(&plain);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    EXPECT_EQ(0, play(&warm, with_counter, store, scenes));
    expect_same_lines("warm, counted", &plain, &warm);
    expect_nothing_compiled(&warm);
    EXPECT_GT(run_count(&warm, "binary_builds"), 0);
    run_free(&warm);
    run_free(&plain);
}

TEST_C(LayerQueries, AreAnsweredWithoutCompiling)
{
    answer_without_compiling(kept_scenes);
}

/* A sample of that, for compilers that take their time: a program that is
 * built, one that is linked, and their binaries. */
TEST_C(LayerQueries, OfSomeKindsAreAnsweredWithoutCompiling)
{
    static char *const some_scenes[] = {
            CLIENT, NULL, "source", "parts", "link_options", "binary", NULL};

    answer_without_compiling(some_scenes);
}

/* ---- No options, and empty ones ------------------------------------------ */

static char *const none[] = {CLIENT, NULL, "no_options", NULL};
static char *const empty[] = {CLIENT, NULL, "empty_options", NULL};

/* What is in the store answers the scenes as the driver does, and nothing is
 * compiled. */
static void expect_answered(
        const char *what, const char *store, char *const *scenes)
{
    struct layer_run plain, run;

    EXPECT_EQ(0, play(&plain, NULL, NULL, scenes));
    EXPECT_EQ(0, play(&run, with_counter, store, scenes));
    expect_same_lines(what, &plain, &run);
    expect_nothing_compiled(&run);
    EXPECT_GT(run_count(&run, "binary_builds"), 0);
    run_free(&run);
    run_free(&plain);
}

static void answer_others(
        const char *what, char *const *kept, char *const *asked)
{
    char store[512];
    struct layer_run plain;

    make_store(store, sizeof(store));
    if (!play_cold(&plain, store, kept)) {
        run_free(&plain);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    run_free(&plain);
    expect_answered(what, store, asked);
}

TEST_C(LayerQueries, OfNoOptionsAreAnsweredByWhatHadEmptyOnes)
{
    answer_others("none of empty", empty, none);
}

TEST_C(LayerQueries, OfEmptyOptionsAreAnsweredByWhatHadNone)
{
    answer_others("empty of none", none, empty);
}

/* A record has "" for both: what a worker makes of it is for both, too. */
TEST_C(LayerQueries, OfNoOptionsAreAnsweredByWhatARecordMade)
{
    char store[512], made[512], record[512];
    char *replay[] = {TOOL, "replay", record, "--store", made, NULL};
    struct layer_run run;
    int st;

    make_store(store, sizeof(store));
    snprintf(made, sizeof(made), "%s/made", test_directory());
    snprintf(record, sizeof(record), "%s/record", test_directory());
    setenv("DNNL_CACHE_RECORD", record, 1);
    st = play(&run, with_layer, store, none);
    unsetenv("DNNL_CACHE_RECORD");
    run_free(&run);
    if (st == NO_PLATFORM)
        SKIP_TEST("no such platform here, or not to be compared");
    EXPECT_EQ(0, st);
    run = (struct layer_run){.argument = replay};
    EXPECT_EQ(0, run_program(&run));
    /* Of each device that the platform has. */
    if (strstr(run.printed, " compiled, 0 failed, 0 left") == NULL
            || strstr(run.printed, " 0 compiled") != NULL)
        test_fail(__FILE__, __LINE__, "replay says: %s", run.printed);
    run_free(&run);
    expect_answered("none of a record", made, none);
    expect_answered("empty of a record", made, empty);
}

/* ---- Devices, and damage ------------------------------------------------- */

/* Programs of several devices, of which the store has some for one of them. */
TEST_C(LayerQueries, AreAnsweredTheSameWithSomeDevicesKept)
{
    static char *const alone[] = {CLIENT, NULL, "references", NULL};
    static char *const together[] = {CLIENT, NULL, "several", NULL};
    char store[512];
    struct layer_run first, plain, run;

    make_store(store, sizeof(store));
    if (play(&first, with_layer, store, alone) == NO_PLATFORM) {
        run_free(&first);
        SKIP_TEST("no such platform here");
    }
    EXPECT_EQ(0, play(&plain, NULL, NULL, together));
    play_until_kept("some kept", &plain, store, together);
    EXPECT_EQ(0, play(&run, with_counter, store, together));
    expect_same_lines("all kept", &plain, &run);
    expect_nothing_compiled(&run);
    run_free(&run);
    run_free(&plain);
    run_free(&first);
}

static void survive(enum damage damage)
{
    char store[512];
    struct layer_run plain, run;

    make_store(store, sizeof(store));
    if (!play_cold(&plain, store, kept_scenes)) {
        run_free(&plain);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    EXPECT_GT(damage_files(store, damage), 0);
    play_until_kept("damaged", &plain, store, kept_scenes);
    EXPECT_EQ(0, play(&run, with_counter, store, kept_scenes));
    expect_same_lines("mended", &plain, &run);
    expect_nothing_compiled(&run);
    run_free(&run);
    run_free(&plain);
}

TEST_C(LayerQueries, SurviveFilesCutShort)
{
    survive(DAMAGE_CUT);
}

TEST_C(LayerQueries, SurviveFlippedBits)
{
    survive(DAMAGE_FLIP);
}

#endif /* LAYER */
