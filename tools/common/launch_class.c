/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch_class launch_class_of(const struct launch *launch)
{
    struct launch_class class = {.local = {1, 1, 1},
            .has_offset = launch_has_offset(launch),
            .is_small = launch_is_small(launch)};
    for (uint32_t i = 0; i < launch->dimensions && i < 3; i++)
        class.local[i] = launch->local != NULL ? launch->local[i] : 0;
    return class;
}

bool launch_class_is_same(
        const struct launch_class *a, const struct launch_class *b)
{
    return memcmp(a->local, b->local, sizeof a->local) == 0
           && a->has_offset == b->has_offset && a->is_small == b->is_small;
}

/* ---- The driver's choice ------------------------------------------------- */

/* A local size in the making. It always divides the global one, in steps of the
 * grain: the largest common divisor of the global size and the width that the
 * device prefers. */
struct choice {
    size_t global[3];
    size_t grain[3];
    size_t local[3];
    size_t least; /* items, below which a group is not split */
};

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t items_of(const size_t size[3])
{
    return size[0] * size[1] * size[2];
}

/* The largest divisor up to a limit. */
static size_t divisor_up_to(size_t value, size_t limit)
{
    if (value < limit) return value;
    while (limit > 1 && value % limit != 0)
        limit--;
    return limit > 0 ? limit : 1;
}

static void begin(struct choice *c, const struct launch *launch,
        const struct launch_limits *limits)
{
    for (uint32_t i = 0; i < 3; i++) {
        c->global[i] = i < launch->dimensions ? launch->global[i] : 1;
        const size_t most = c->global[i] < limits->items[i] ? c->global[i]
                                                            : limits->items[i];
        c->grain[i] = common_divisor(limits->multiple, c->global[i]);
        c->local[i] =
                most > 1 || i == 0
                        ? c->grain[i]
                                  * divisor_up_to(c->global[i] / c->grain[i],
                                          most / c->grain[i])
                        : 1;
    }
    c->least = 4 * limits->multiple < limits->group ? 4 * limits->multiple
                                                    : limits->group;
}

/* Whether a dimension can be divided, and stays a multiple of its grain. */
static bool divide(struct choice *c, int i, size_t by)
{
    if (c->local[i] % by != 0 || (c->local[i] / by) % c->grain[i] != 0)
        return false;
    c->local[i] /= by;
    return true;
}

/* z is given up first, then y: neighbours in x are vectorized. */
static bool divide_any(struct choice *c, size_t by)
{
    return divide(c, 2, by) || divide(c, 1, by) || divide(c, 0, by);
}

/* Sets the first dimension to 1 that has no larger value than the others, in an
 * order of dimensions; rest: what the others have to hold at least. */
static bool drop_least(struct choice *c, const size_t value[3], size_t rest)
{
    static const int order[3][3] = {{2, 0, 1}, {1, 2, 0}, {0, 1, 2}};
    for (int k = 0; k < 3; k++) {
        const int *o = order[k];
        if (c->local[o[0]] > 1 && value[o[0]] <= value[o[1]]
                && value[o[0]] <= value[o[2]]
                && c->local[o[1]] * c->local[o[2]] >= rest) {
            c->local[o[0]] = 1;
            return true;
        }
    }
    return false;
}

static bool drop_any(struct choice *c)
{
    for (int i = 2; i >= 0; i--)
        if (c->local[i] > 1) {
            c->local[i] = 1;
            return true;
        }
    return false;
}

/* Until a group is as small as the device needs it. */
static void fit(struct choice *c, size_t group)
{
    while (items_of(c->local) > group
            && (divide_any(c, 2) || drop_least(c, c->grain, 0) || drop_any(c)))
        continue;
}

/* Until each compute unit has a group, but groups stay large enough. */
static void spread(struct choice *c, size_t units)
{
    for (;;) {
        size_t groups = 1;
        bool is_split = false;
        for (int i = 0; i < 3; i++)
            groups *= c->global[i] / c->local[i];
        size_t parts = units / groups;
        if (parts <= 1 || items_of(c->local) < parts * c->least) return;
        for (; parts > 1 && !is_split; parts--)
            is_split = divide_any(c, parts);
        if (!is_split && !drop_least(c, c->local, c->least)) return;
    }
}

void launch_class_choose(struct launch_class *class,
        const struct launch *launch, const struct launch_limits *limits)
{
    struct choice c;
    bool is_possible = limits->group > 0 && limits->multiple > 0;
    for (uint32_t i = 0; i < launch->dimensions && i < 3; i++)
        is_possible =
                is_possible && launch->global[i] > 0 && limits->items[i] > 0;
    if (!is_possible) return;
    begin(&c, launch, limits);
    fit(&c, limits->group);
    spread(&c, limits->units);
    memcpy(class->local, c.local, sizeof c.local);
}

/* ---- Names --------------------------------------------------------------- */

static const char no_offset[] = "-goffs0";
static const char small_grid[] = "-smallgrid";

void launch_class_write(
        char text[launch_class_text_size], const struct launch_class *class)
{
    (void)snprintf(text, launch_class_text_size, "%zu-%zu-%zu%s%s",
            class->local[0], class->local[1], class->local[2],
            class->has_offset ? "" : no_offset,
            class->is_small ? small_grid : "");
}

static bool read_word(const char **at, const char *word)
{
    const size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0) return false;
    *at += size;
    return true;
}

bool launch_class_read(struct launch_class *class, const char **list)
{
    const char *at = *list;
    for (int i = 0; i < 3; i++) {
        char *end;
        if ((i > 0 && *at++ != '-') || *at < '0' || *at > '9') return false;
        class->local[i] = (size_t)strtoull(at, &end, 10);
        at = end;
    }
    class->has_offset = !read_word(&at, no_offset);
    class->is_small = read_word(&at, small_grid);
    if (*at != ',' && *at != '\0') return false;
    *list = *at == ',' ? at + 1 : at;
    return true;
}
