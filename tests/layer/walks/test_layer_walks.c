/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of calls (walk.h) are answered the same without the layer
 * and with it: with an empty store, with one that lost a half of its entries,
 * with a full one, and with one all of whose entries were loaded before, which
 * are loaded when they must be. In every second batch builds that fail are
 * kept, too, and answered in the last two runs.
 */
#include "failed_records.h"
#include "runs.h"
#include "walk.h"

#include "test.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LAYER
enum {
    text_size = 512,
    most_left_out = 64, /* of a batch's walks */
    most_arguments = 8 + most_calls + most_left_out
};

static const char *platform(void)
{
    const char *name = getenv("DNNL_CACHE_TEST_PLATFORM");
    return name != NULL ? name : "Portable Computing Language";
}

/* What real drivers compile they have in a cache of their own, and all walks
 * have the same few sources. Of the fake one each batch has its own, so that it
 * begins without any entry. */
static bool is_fake(void)
{
    return getenv("FAKE_OPENCL_DEVICES") != NULL;
}

/* ---- A batch of walks ---------------------------------------------------- */

struct batch {
    uint64_t seed;
    unsigned first;
    unsigned count;
    bool keeps_failed;            /* DNNL_CACHE_FAILED_BUILDS */
    bool is_left_out[most_calls]; /* of each */
    unsigned left_out_count;      /* of the walks, which are not made */
    unsigned left_out[most_left_out];
};

enum mode {
    mode_alone,
    mode_cold,
    mode_half,
    mode_warm,
    mode_lazy,
    mode_count
};

static const char *const mode_names[mode_count] = {"without the layer",
        "with an empty store", "with half a store", "with a full store",
        "with entries that were loaded before"};

static unsigned long failed_answered; /* in all runs */

static int run_batch(
        const struct batch *batch, enum mode mode, struct layer_run *run)
{
    static char store[text_size];
    static char cache[text_size];
    char salt[32], seed[32], first[32], count[32], left_out[most_calls][4];
    char walks_left_out[most_left_out][16];
    char *argument[most_arguments] = {(char *)(uintptr_t)CLIENT,
            (char *)(uintptr_t)platform(), salt, seed, first, count};
    size_t arguments = 6;
    (void)snprintf(store, sizeof store, "%s/store", test_directory());
    (void)snprintf(cache, sizeof cache, "%s/cache", test_directory());
    (void)snprintf(salt, sizeof salt, "%u", is_fake() ? batch->first : 0);
    (void)snprintf(
            seed, sizeof seed, "0x%llx", (unsigned long long)batch->seed);
    (void)snprintf(first, sizeof first, "%u", batch->first);
    (void)snprintf(count, sizeof count, "%u", batch->count);
    for (unsigned i = 0; i < most_calls; i++) {
        if (!batch->is_left_out[i]) continue;
        (void)snprintf(left_out[i], sizeof left_out[i], "%u", i);
        argument[arguments++] = left_out[i];
    }
    for (unsigned i = 0; i < batch->left_out_count; i++) {
        (void)snprintf(walks_left_out[i], sizeof walks_left_out[i], "w%u",
                batch->left_out[i]);
        argument[arguments++] = walks_left_out[i];
    }
    *run = (struct layer_run){.layers = mode == mode_alone ? NULL : LAYER,
            .store = store,
            .driver_cache = cache,
            .argument = argument};
    if (batch->keeps_failed) (void)setenv("DNNL_CACHE_FAILED_BUILDS", "1", 1);
    const int status = run_program(run);
    (void)unsetenv("DNNL_CACHE_FAILED_BUILDS");
    const char *answered = strstr(run->statistics, "\"failed_answered\":");
    if (answered != NULL)
        failed_answered += strtoul(strchr(answered, ':') + 1, NULL, 10);
    return status;
}

/* What failed once is kept by the next run. */
static void age_failures(void)
{
    enum { minute = 61 };
    char folder[text_size];
    (void)snprintf(folder, sizeof folder, "%s/store", test_directory());
    (void)failed_records_age(folder, minute);
}

static void forget_failures(void)
{
    enum { ages = 31 * 86400 };
    char folder[text_size];
    (void)snprintf(folder, sizeof folder, "%s/store", test_directory());
    (void)failed_records_age(folder, ages);
}

static bool is_entry(const char *name)
{
    const char *suffix = strrchr(name, '.');
    return suffix != NULL && strcmp(suffix, ".cl_cache") == 0;
}

/* Removes the entries of the store: all, or those whose names are odd. */
static void remove_entries(bool are_all)
{
    char folder[text_size];
    char path[2 * text_size];
    (void)snprintf(folder, sizeof folder, "%s/store", test_directory());
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (!is_entry(entry->d_name)
                || (!are_all
                        && strtoul((char[2]){entry->d_name[0], '\0'}, NULL, 16)
                                           % 2
                                   == 0))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (directory != NULL) (void)closedir(directory);
}

/* The number of the first line that differs; SIZE_MAX: none. */
static size_t first_difference(
        const struct layer_run *expected, const struct layer_run *actual)
{
    const size_t size = expected->printed_size < actual->printed_size
                                ? expected->printed_size
                                : actual->printed_size;
    size_t at = 0;
    while (at < size && expected->printed[at] == actual->printed[at])
        at++;
    return at == expected->printed_size && at == actual->printed_size ? SIZE_MAX
                                                                      : at;
}

/* The walk of the line at this place of what was printed; UINT_MAX: of none. */
static unsigned walk_at(const struct layer_run *run, size_t at)
{
    if (run->printed_size == 0) return UINT_MAX;
    if (at >= run->printed_size) at = run->printed_size - 1;
    while (at > 0 && run->printed[at - 1] != '\n')
        at--;
    return strncmp(run->printed + at, "end", 3) == 0
                   ? UINT_MAX
                   : (unsigned)strtoul(run->printed + at, NULL, 10);
}

/* What is not the same, or a process that does not come to its end. */
struct difference {
    bool is_there;
    enum mode mode;
    int status;
    unsigned walk;
    struct layer_run expected;
    struct layer_run actual;
};

static void difference_fini(struct difference *difference)
{
    run_free(&difference->expected);
    run_free(&difference->actual);
}

/* The walk of the first difference, or of the last line: one of the two may
 * lack lines. */
static unsigned walk_of_difference(
        const struct layer_run *expected, const struct layer_run *actual)
{
    const size_t at = first_difference(expected, actual);
    const unsigned a = walk_at(expected, at);
    const unsigned b = walk_at(actual, at);
    return a < b ? a : b;
}

/* Runs a batch in all modes, beginning with an empty store. */
static struct difference find_difference(const struct batch *batch)
{
    struct difference found = {.mode = mode_alone};
    found.status = run_batch(batch, mode_alone, &found.expected);
    if (found.status != 0) {
        found.is_there = true;
        found.walk = walk_of_difference(&found.expected, &found.expected);
        return found;
    }
    remove_entries(true);
    forget_failures();
    for (enum mode mode = mode_cold; mode < mode_count; mode++) {
        if (mode == mode_half) {
            remove_entries(false);
            age_failures();
        }
        found.status = run_batch(batch, mode, &found.actual);
        if (found.status == 0
                && first_difference(&found.expected, &found.actual)
                           == SIZE_MAX) {
            run_free(&found.actual);
            continue;
        }
        found.is_there = true;
        found.mode = mode;
        found.walk = walk_of_difference(&found.expected, &found.actual);
        return found;
    }
    return found;
}

static bool differs(const struct batch *batch)
{
    struct difference found = find_difference(batch);
    const bool is_there = found.is_there;
    difference_fini(&found);
    return is_there;
}

/* ---- What drivers do by themselves --------------------------------------- */

/* Whether the driver dies of this walk alone, without the layer. */
static bool dies_of(const struct batch *batch, unsigned walk)
{
    struct batch one = {.seed = batch->seed,
            .first = walk,
            .count = 1,
            .keeps_failed = batch->keeps_failed};
    struct layer_run run;
    const int status = run_batch(&one, mode_alone, &run);
    run_free(&run);
    return status != 0;
}

static bool has_walk(const struct batch *batch, unsigned walk)
{
    for (unsigned i = 0; i < batch->left_out_count; i++)
        if (batch->left_out[i] == walk) return false;
    return walk - batch->first < batch->count;
}

/* The walk in which the process ended without the layer. One that ended after
 * all walks: any that it ends after alone. */
static bool find_deadly_walk(
        const struct batch *batch, unsigned last, unsigned *walk)
{
    *walk = last;
    if (has_walk(batch, last) && last != batch->first + batch->count - 1)
        return true;
    for (unsigned i = 0; i < batch->count; i++) {
        *walk = batch->first + i;
        if (has_walk(batch, *walk) && dies_of(batch, *walk)) return true;
    }
    *walk = last;
    return has_walk(batch, last);
}

/* A walk that makes the difference without the layer, too: the driver dies of
 * it, or answers otherwise another time. False: there is none. */
static bool find_unsteady_walk(const struct batch *batch,
        const struct difference *found, unsigned *walk)
{
    enum { rounds = 4 };
    bool is_there = false;
    if (found->mode == mode_alone)
        return find_deadly_walk(batch, found->walk, walk);
    for (int i = 0; i < rounds && !is_there; i++) {
        struct layer_run again;
        const int status = run_batch(batch, mode_alone, &again);
        if (status != 0)
            is_there = find_deadly_walk(
                    batch, walk_of_difference(&again, &again), walk);
        else if (first_difference(&found->expected, &again) != SIZE_MAX) {
            *walk = walk_of_difference(&found->expected, &again);
            is_there = has_walk(batch, *walk);
        }
        run_free(&again);
    }
    return is_there;
}

/* Compares all walks of a batch but those that the driver itself does not make
 * twice the same, which are left out of the batch. */
static struct difference compare_steady(struct batch *batch)
{
    struct difference found = find_difference(batch);
    unsigned walk = 0;
    while (found.is_there && batch->left_out_count < most_left_out
            && find_unsteady_walk(batch, &found, &walk)) {
        printf("seed 0x%llx, walk %u is left out: without the layer the driver "
               "%s\n",
                (unsigned long long)batch->seed, walk,
                found.mode == mode_alone ? "dies of it"
                                         : "differs from itself");
        (void)fflush(stdout);
        batch->left_out[batch->left_out_count++] = walk;
        difference_fini(&found);
        found = find_difference(batch);
    }
    return found;
}

/* ---- What is told of a difference ---------------------------------------- */

/* Leaves out what can be left out. */
static void minimise(struct batch *batch)
{
    for (unsigned i = most_calls; i > 0; i--) {
        batch->is_left_out[i - 1] = true;
        if (!differs(batch)) batch->is_left_out[i - 1] = false;
    }
}

static void print_calls(const struct batch *batch)
{
    struct walk walk;
    char words[256];
    walk_make(&walk, batch->seed, batch->first);
    for (size_t i = 0; i < walk.count; i++) {
        if (batch->is_left_out[i]) continue;
        walk_describe(words, sizeof words, &walk.calls[i]);
        printf("    %zu: %s\n", i, words);
    }
}

static void tell(const struct batch *batch, struct difference *found)
{
    struct batch one = {.seed = batch->seed,
            .first = found->walk,
            .count = 1,
            .keeps_failed = batch->keeps_failed};
    const bool is_alone = differs(&one);
    if (is_alone) minimise(&one);
    printf("seed 0x%llx, walk %u, %s%s:\n", (unsigned long long)batch->seed,
            found->walk, mode_names[found->mode],
            is_alone ? "" : ", only after the walks before it");
    print_calls(&one);
    if (is_alone) {
        difference_fini(found);
        *found = find_difference(&one);
    }
    if (!found->is_there) {
        test_fail(__FILE__, __LINE__, "it differed only once");
        return;
    }
    EXPECT_EQ(0, found->status);
    expect_same_lines(
            mode_names[found->mode], &found->expected, &found->actual);
}

/* How many were left out. */
static unsigned compare(struct batch *batch)
{
    struct difference found = compare_steady(batch);
    if (found.is_there) tell(batch, &found);
    difference_fini(&found);
    return batch->left_out_count;
}

/* So many walks, in batches of one process each; skips where there is no such
 * platform. A real driver may spoil one in twenty by itself. */
static void compare_walks(unsigned count, unsigned in_batch)
{
    const uint64_t seed = test_seed();
    const unsigned allowed = is_fake() ? 0 : (count + 19) / 20;
    struct batch none = {.seed = seed};
    struct layer_run run;
    unsigned left_out = 0;
    unsigned first = 0;
    const int status = run_batch(&none, mode_alone, &run);
    run_free(&run);
    if (status == 77) SKIP_TEST("no such platform");
    for (; first < count && left_out <= allowed && !test_has_failed();
            first += in_batch)
        left_out += compare(&(struct batch){.seed = seed,
                .first = first,
                .count = in_batch,
                .keeps_failed = (first / in_batch + seed) % 2 != 0});
    printf("%u walks, %u of them left out; %lu failed builds answered\n", first,
            left_out, failed_answered);
    EXPECT_LE(left_out, allowed);
}

/* ---- Drivers ------------------------------------------------------------- */

struct variable {
    const char *name;
    const char *value;
};

/* What the fake driver may be like, in addition. */
static const struct variable variants[][3] = {
        {{NULL, NULL}},
        {{"FAKE_OPENCL_REFUSAL", "status"}},
        {{"FAKE_OPENCL_REFUSAL", "forgets"}},
        {{"FAKE_OPENCL_CALLBACK_AND_STATUS", "1"},
                {"FAKE_OPENCL_REFUSAL", "status"}},
        {{"FAKE_OPENCL_CALLBACK_LATER", "1"}},
        {{"FAKE_OPENCL_LISTS_ROOT", "1"}, {"FAKE_OPENCL_NO_ROOM", "1"}},
        {{"FAKE_OPENCL_INTEL_CPU", "1"},
                {"FAKE_OPENCL_PLATFORM_NAME", "Intel(R) OpenCL"}},
        {{"FAKE_OPENCL_NVIDIA", "1"},
                {"FAKE_OPENCL_PLATFORM_NAME", "NVIDIA CUDA"}},
};

static void set_variant(const struct variable *variables, bool is_on)
{
    for (size_t i = 0; i < COUNT(variants[0]) && variables[i].name != NULL;
            i++) {
        if (is_on)
            (void)setenv(variables[i].name, variables[i].value, 1);
        else
            (void)unsetenv(variables[i].name);
        if (strcmp(variables[i].name, "FAKE_OPENCL_PLATFORM_NAME") == 0)
            (void)setenv("DNNL_CACHE_TEST_PLATFORM",
                    is_on ? variables[i].value : "Fake", 1);
    }
}

static void compare_variants(unsigned count, unsigned in_batch)
{
    for (size_t i = 0; i < COUNT(variants) && !test_has_failed(); i++) {
        set_variant(variants[i], true);
        compare_walks(count, in_batch);
        set_variant(variants[i], false);
    }
}

TEST_C(LayerWalks, AreAnsweredTheSame)
{
    if (is_fake())
        compare_variants(12, 12);
    else
        compare_walks(4, 4);
}

/* ---- This test itself ---------------------------------------------------- */

/* A few walks, one of which does what the variable says. */
static struct difference compare_faulty(
        struct batch *batch, const char *variable, bool is_layered)
{
    *batch = (struct batch){.seed = 1, .first = 3, .count = 4};
    (void)setenv(variable, "5", 1);
    if (is_layered) (void)setenv("WALK_CLIENT_LAYERED", "1", 1);
    struct difference found = compare_steady(batch);
    (void)unsetenv(variable);
    (void)unsetenv("WALK_CLIENT_LAYERED");
    return found;
}

TEST_C(LayerWalks, ThatTheDriverSpoilsAreLeftOut)
{
    static const char *const faults[] = {
            "WALK_CLIENT_DIES", "WALK_CLIENT_DIFFERS"};
    if (!is_fake()) SKIP_TEST("this is about the test, not a driver");
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct batch batch;
        struct difference found = compare_faulty(&batch, faults[i], false);
        EXPECT_FALSE(found.is_there);
        EXPECT_EQ(1, batch.left_out_count);
        EXPECT_EQ(5, batch.left_out[0]);
        EXPECT_NOT_NULL(strstr(found.expected.printed, "\n6: "));
        difference_fini(&found);
    }
}

TEST_C(LayerWalks, ThatTheLayerSpoilsAreTold)
{
    static const char *const faults[] = {
            "WALK_CLIENT_DIES", "WALK_CLIENT_DIFFERS"};
    if (!is_fake()) SKIP_TEST("this is about the test, not a driver");
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct batch batch;
        struct difference found = compare_faulty(&batch, faults[i], true);
        EXPECT_TRUE(found.is_there);
        EXPECT_EQ(mode_cold, found.mode);
        EXPECT_EQ(5, found.walk);
        EXPECT_EQ(0, batch.left_out_count);
        difference_fini(&found);
    }
}

TEST_C(LayerWalks, OfAllKindsAreAnsweredTheSame)
{
    failed_answered = 0;
    if (is_fake()) {
        compare_variants(1300, 50);
        EXPECT_GT(failed_answered, 0);
    } else if (strcmp(platform(), "rusticl") == 0) /* its compiler is fast */
        compare_walks(2000, 50);
    else
        compare_walks(500, 10);
}
#endif
