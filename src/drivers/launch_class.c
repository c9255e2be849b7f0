/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/launch_class.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool launch_class_of(struct launch_class *class, const struct launch *launch)
{
    struct launch_class made = {
            .size = {1, 1, 1}, .is_auto = launch->local == NULL};
    if (launch->dimensions < 1 || launch->dimensions > 3
            || launch->global == NULL)
        return false;
    const size_t *size = made.is_auto ? launch->global : launch->local;
    for (uint32_t i = 0; i < launch->dimensions; i++) {
        if (size[i] == 0) return false;
        made.size[i] = size[i];
    }
    made.has_offset = launch_has_offset(launch);
    made.is_small = launch_is_small(launch);
    *class = made;
    return true;
}

bool launch_class_is_same(
        const struct launch_class *a, const struct launch_class *b)
{
    return a->size[0] == b->size[0] && a->size[1] == b->size[1]
           && a->size[2] == b->size[2] && a->is_auto == b->is_auto
           && a->has_offset == b->has_offset && a->is_small == b->is_small;
}

/* ---- Names --------------------------------------------------------------- */

static const char automatic[] = "auto-";
static const char no_offset[] = "-goffs0";
static const char small_grid[] = "-smallgrid";

void launch_class_write(
        char text[launch_class_text_size], const struct launch_class *class)
{
    (void)snprintf(text, launch_class_text_size,
            "%s%" PRIu64 "-%" PRIu64 "-%" PRIu64 "%s%s",
            class->is_auto ? automatic : "", class->size[0], class->size[1],
            class->size[2], class->has_offset ? "" : no_offset,
            class->is_small ? small_grid : "");
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
        struct launch_class *class, const char *text, const char *end)
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
    *class = read;
    return (size_t)(at - text);
}

bool launch_class_read_next(struct launch_class *class, const char **list)
{
    struct launch_class read;
    const size_t size = launch_class_read(&read, *list, *list + strlen(*list));
    const char *end = *list + size;
    if (size == 0 || (*end != ',' && *end != '\0')) return false;
    *class = read;
    *list = *end == ',' ? end + 1 : end;
    return true;
}

/* ---- In a journal -------------------------------------------------------- */

bool launch_class_of_note(
        struct launch_class *class, const dnnl_cache_note_t *note)
{
    const struct launch launch = {.dimensions = note->work_dim,
            .global = note->global_size,
            .local = note->local_size[0] != 0 ? note->local_size : NULL};
    if (!launch_class_of(class, &launch)) return false;
    class->has_offset = note->has_offset != 0;
    class->is_small = note->is_small_grid != 0;
    return true;
}

void launch_class_put(dnnl_cache_note_t *note, const struct launch_class *class,
        uint32_t dimensions)
{
    size_t *size = class->is_auto ? note->global_size : note->local_size;
    note->work_dim = dimensions;
    for (uint32_t i = 0; i < dimensions; i++)
        size[i] = (size_t) class->size[i];
    note->has_offset = class->has_offset;
    note->is_small_grid = class->is_small;
}
