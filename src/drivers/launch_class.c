/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/launch_class.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char automatic[] = "auto-";
static const char no_offset[] = "-goffs0";
static const char small_grid[] = "-smallgrid";

dnnl_status_t launch_class_of(struct launch_class *out, cl_uint work_dim,
        const size_t *offset, const size_t *global, const size_t *local)
{
    struct launch_class made = {.size = {1, 1, 1}, .is_small = true};
    if (work_dim < 1 || work_dim > 3 || global == NULL)
        return dnnl_invalid_arguments;
    made.is_auto = local == NULL;
    for (cl_uint i = 0; i < work_dim; i++) {
        made.size[i] = made.is_auto ? global[i] : local[i];
        if (made.size[i] == 0) return dnnl_invalid_arguments;
        made.has_offset |= offset != NULL && offset[i] != 0;
        /* PoCL's limit, of CPUs and GPUs alike. */
        made.is_small &= global[i] < USHRT_MAX;
    }
    *out = made;
    return dnnl_success;
}

bool launch_class_equal(
        const struct launch_class *a, const struct launch_class *b)
{
    return a->size[0] == b->size[0] && a->size[1] == b->size[1]
           && a->size[2] == b->size[2] && a->is_auto == b->is_auto
           && a->has_offset == b->has_offset && a->is_small == b->is_small;
}

void launch_class_append(struct buffer *list, const struct launch_class *launch)
{
    char text[128];
    const int size = snprintf(text, sizeof text,
            "%s%s%" PRIu64 "-%" PRIu64 "-%" PRIu64 "%s%s",
            list->size > 0 ? "," : "", launch->is_auto ? automatic : "",
            launch->size[0], launch->size[1], launch->size[2],
            launch->has_offset ? "" : no_offset,
            launch->is_small ? small_grid : "");
    buffer_append(list, text, (size_t)size);
}

/* Moves *at behind a word, if it is there. */
static bool take(const char **at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(end - *at) < size || memcmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

static bool take_number(const char **at, const char *end, uint64_t *out)
{
    uint64_t number = 0;
    const char *begin = *at;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (number > UINT32_MAX) return false;
        number = 10 * number + (uint64_t)(**at - '0');
    }
    *out = number;
    return *at > begin;
}

size_t launch_class_read(
        struct launch_class *out, const char *text, const char *end)
{
    const char *at = text;
    struct launch_class read = {.is_auto = take(&at, end, automatic)};
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !take(&at, end, "-")) return 0;
        /* PoCL has "0-0-0" for any size, which is no class. */
        if (!take_number(&at, end, &read.size[i]) || read.size[i] == 0)
            return 0;
    }
    read.has_offset = !take(&at, end, no_offset);
    read.is_small = take(&at, end, small_grid);
    *out = read;
    return (size_t)(at - text);
}
