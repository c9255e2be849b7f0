/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <stdio.h>
#include <string.h>

/* ---- Chance -------------------------------------------------------------- */

struct chance {
    uint64_t state;
};

/* splitmix64 */
static uint64_t next(struct chance *chance)
{
    uint64_t x = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static unsigned below(struct chance *chance, unsigned limit)
{
    return (unsigned)(next(chance) % limit);
}

/* One of several, each as often as its weight says. */
static unsigned weighed(
        struct chance *chance, const unsigned *weights, size_t count)
{
    unsigned sum = 0;
    unsigned i = 0;
    for (size_t k = 0; k < count; k++)
        sum += weights[k];
    for (unsigned left = below(chance, sum); left >= weights[i]; i++)
        left -= weights[i];
    return i;
}

/* ---- A walk -------------------------------------------------------------- */

static const unsigned kind_weights[call_kinds] = {[call_source] = 8,
        [call_build] = 16,
        [call_compile] = 12,
        [call_link] = 9,
        [call_kernel] = 11,
        [call_kernels] = 3,
        [call_launch] = 8,
        [call_release_kernel] = 9,
        [call_retain_kernel] = 2,
        [call_clone] = 3,
        [call_retain] = 2,
        [call_release] = 4,
        [call_binaries] = 3,
        [call_load] = 3,
        [call_look] = 6,
        [call_examine] = 2,
        [call_constant] = 2,
        [call_unload] = 1};

static const unsigned source_weights[source_kinds] = {[source_scale] = 8,
        [source_two] = 3,
        [source_caller] = 3,
        [source_helper] = 3,
        [source_includer] = 2,
        [source_header] = 1,
        [source_wrong] = 1,
        [source_il] = 2};

static const unsigned options_weights[options_kinds] = {[options_none] = 8,
        [options_null] = 4,
        [options_two] = 8,
        [options_three] = 4,
        [options_wrong] = 5,
        [options_nameless] = 1,
        [options_unknown] = 4,
        [options_text] = 3,
        [options_library] = 2};

static const unsigned devices_weights[devices_kinds] = {[devices_all] = 22,
        [devices_each] = 6,
        [devices_reversed] = 5,
        [devices_first] = 3,
        [devices_last] = 3,
        [devices_part] = 2,
        [devices_twice] = 1,
        [devices_foreign] = 2,
        [devices_null] = 1,
        [devices_count] = 1,
        [devices_list] = 1};

static const unsigned headers_weights[headers_kinds] = {[headers_none] = 12,
        [headers_right] = 3,
        [headers_nothing] = 1,
        [headers_number] = 1};

static const unsigned notify_weights[notify_kinds] = {
        [notify_none] = 16, [notify_callback] = 5, [notify_user] = 1};

static const unsigned context_weights[context_kinds] = {
        [context_one] = 6, [context_two] = 5, [context_parts] = 1};

#define WEIGHED(chance, weights) \
    weighed(chance, weights, sizeof(weights) / sizeof((weights)[0]))

/* The first places more often: things must meet. */
static unsigned place(struct chance *chance, unsigned count)
{
    const unsigned a = below(chance, count);
    const unsigned b = below(chance, count);
    return a < b ? a : b;
}

static struct call call_make(struct chance *chance)
{
    return (struct call){.kind = WEIGHED(chance, kind_weights),
            .program = place(chance, walk_programs),
            .other = place(chance, walk_programs),
            .kernel = place(chance, walk_kernels),
            .number = below(chance, 1000),
            .source = WEIGHED(chance, source_weights),
            .options = WEIGHED(chance, options_weights),
            .devices = WEIGHED(chance, devices_weights),
            .headers = WEIGHED(chance, headers_weights),
            .notify = WEIGHED(chance, notify_weights)};
}

/* Calls that follow one another in applications: by chance alone few walks come
 * as far as a kernel of a program that was linked. */
static const enum call_kind phrases[][4] = {
        {call_build, call_kernel, call_launch, call_release_kernel},
        {call_compile, call_link, call_kernel, call_launch},
        {call_compile, call_compile, call_link, call_release_kernel},
        {call_build, call_build, call_kernel, call_launch},
        {call_build, call_kernel, call_build, call_release_kernel},
        {call_link, call_build, call_look, call_compile},
        {call_source, call_build, call_load, call_build},
        {call_build, call_kernel, call_clone, call_release_kernel},
        {call_kernel, call_retain_kernel, call_release, call_launch},
        {call_source, call_constant, call_build, call_constant}};

/* All of one program, and most of them with nothing wrong. */
static size_t add_phrase(struct chance *chance, struct call *calls)
{
    enum { length = sizeof phrases[0] / sizeof phrases[0][0] };
    const struct call first = call_make(chance);
    const bool is_same = below(chance, 3) == 0; /* all with one's options */
    const enum call_kind *kinds =
            phrases[below(chance, sizeof phrases / sizeof phrases[0])];
    for (size_t i = 0; i < length; i++) {
        calls[i] = call_make(chance);
        calls[i].kind = kinds[i];
        calls[i].program = first.program;
        calls[i].other = first.program;
        calls[i].kernel = first.kernel;
        if (is_same) calls[i].options = first.options;
        if (below(chance, 3) == 0) continue;
        calls[i].devices = devices_all;
        calls[i].headers = headers_none;
        if (!is_same) calls[i].options = below(chance, options_three);
        calls[i].source = source_scale;
    }
    return length;
}

void walk_make(struct walk *walk, uint64_t seed, unsigned number)
{
    enum { least_calls = 8, longest_phrase = 4 };
    struct chance chance = {seed + UINT64_C(0x2545f4914f6cdd1d) * number};
    memset(walk, 0, sizeof *walk);
    walk->number = number;
    walk->context = WEIGHED(&chance, context_weights);
    walk->looks = below(&chance, 3) != 0;
    const size_t wanted =
            least_calls
            + below(&chance, most_calls - longest_phrase - least_calls);
    /* Something to begin with. */
    for (; walk->count < 2; walk->count++) {
        walk->calls[walk->count] = call_make(&chance);
        walk->calls[walk->count].kind = call_source;
        walk->calls[walk->count].program = (unsigned)walk->count;
    }
    while (walk->count < wanted)
        if (below(&chance, 4) == 0)
            walk->count += add_phrase(&chance, &walk->calls[walk->count]);
        else
            walk->calls[walk->count++] = call_make(&chance);
}

/* ---- In words ------------------------------------------------------------ */

static const char *const source_names[source_kinds] = {"scale", "two", "caller",
        "helper", "includer", "header", "wrong", "IL"};

static const char *const options_names[options_kinds] = {"\"\"", "NULL",
        "-DBY=2", "-DBY=3", "-DWRONG", "-imacros", "-no-such-option",
        "no option", "-create-library"};

static const char *const devices_names[devices_kinds] = {"", "each device",
        "devices reversed", "first device", "last device", "a sub-device",
        "a device twice", "a foreign device", "a NULL device",
        "a number without devices", "devices without a number"};

static const char *const headers_names[headers_kinds] = {
        "", "some.h", "other.h", "headers without a number"};

static const char *const notify_names[notify_kinds] = {
        "", "a callback", "no callback for a pointer"};

/* What each kind has behind its program. */
enum part {
    part_source = 1,
    part_options = 2,
    part_devices = 4,
    part_headers = 8,
    part_kernel = 16,
    part_other = 32,
    part_number = 64
};

static const struct {
    const char *name;
    unsigned parts;
} kinds[call_kinds] = {[call_source] = {"source", part_source},
        [call_build] = {"build", part_options | part_devices},
        [call_compile] = {"compile",
                part_options | part_devices | part_headers},
        [call_link] = {"link into", part_options | part_devices | part_other},
        [call_kernel] = {"kernel of", part_kernel},
        [call_kernels] = {"all kernels of", 0},
        [call_launch] = {"launch", part_kernel},
        [call_release_kernel] = {"release kernel", part_kernel},
        [call_retain_kernel] = {"retain kernel", part_kernel},
        [call_clone] = {"clone kernel", part_kernel | part_number},
        [call_retain] = {"retain", 0},
        [call_release] = {"release", 0},
        [call_binaries] = {"binaries of", 0},
        [call_load] = {"load from binaries of", part_other},
        [call_look] = {"look", 0},
        [call_examine] = {"examine", 0},
        [call_constant] = {"constant of", part_number},
        [call_unload] = {"unload the compiler", 0}};

static void add(char *text, size_t size, const char *word)
{
    const size_t length = strlen(text);
    if (word[0] != '\0')
        (void)snprintf(text + length, size - length, ", %s", word);
}

void walk_describe(char *text, size_t size, const struct call *call)
{
    const unsigned parts = kinds[call->kind].parts;
    char number[32];
    (void)snprintf(text, size, "%s p%u", kinds[call->kind].name, call->program);
    if (parts & part_other) {
        (void)snprintf(number, sizeof number, "p%u", call->other);
        add(text, size, number);
    }
    if (parts & part_kernel) {
        (void)snprintf(number, sizeof number, "k%u", call->kernel);
        add(text, size, number);
    }
    if (parts & part_number) {
        (void)snprintf(number, sizeof number, "%u", call->number % 4);
        add(text, size, number);
    }
    if (parts & part_source) add(text, size, source_names[call->source]);
    if (parts & part_options) add(text, size, options_names[call->options]);
    if (parts & part_headers) add(text, size, headers_names[call->headers]);
    if (parts & part_devices) {
        add(text, size, devices_names[call->devices]);
        add(text, size, notify_names[call->notify]);
    }
}
