/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/launch_choice.h"

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

static void begin(struct choice *c, const struct launch_class *class,
        const struct launch_limits *limits)
{
    for (uint32_t i = 0; i < 3; i++) {
        c->global[i] = (size_t) class->size[i];
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
        for (int i = 0; i < 3; i++) {
            const size_t more = c->global[i] / c->local[i];
            if (groups > units / more) return; /* as many as units */
            groups *= more;
        }
        size_t parts = units / groups;
        if (parts <= 1 || items_of(c->local) < parts * c->least) return;
        for (; parts > 1 && !is_split; parts--)
            is_split = divide_any(c, parts);
        if (!is_split && !drop_least(c, c->local, c->least)) return;
    }
}

void launch_class_choose(
        struct launch_class *class, const struct launch_limits *limits)
{
    struct choice c;
    bool is_possible =
            class->is_auto && limits->group > 0 && limits->multiple > 0;
    for (int i = 0; i < 3; i++)
        is_possible = is_possible && limits->items[i] > 0;
    if (!is_possible) return;
    begin(&c, class, limits);
    fit(&c, limits->group);
    spread(&c, limits->units);
    for (int i = 0; i < 3; i++)
        class->size[i] = c.local[i];
    class->is_auto = false;
}
