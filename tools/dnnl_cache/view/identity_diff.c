/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/identity_diff.h"

#include <stdio.h>
#include <string.h>

/* ---- Fields and parts as names with values ------------------------------- */

enum { value_size = 4096 };

static bool is_part(const struct json_node *item)
{
    return json_tree_get(item, "how") != NULL;
}

static bool counts(const struct json_node *item)
{
    return strcmp(json_tree_get_text(item, "counts"), "false") != 0;
}

/* A field's value; of a part how it is identified, and the digest. */
static const char *value_of(char room[value_size], const struct json_node *item)
{
    if (is_part(item)) {
        snprintf(room, value_size, "%s %s", json_tree_get_text(item, "how"),
                json_tree_get_text(item, "digest"));
        return room;
    }
    const char *text = json_tree_get_text(item, "text");
    return text[0] != '\0' ? text : json_tree_get_text(item, "hex");
}

/* Variables of the environment are one field each, with the name in front of
 * the value. */
static bool has_same_name(const struct json_node *x, const struct json_node *y)
{
    const char *name = json_tree_get_text(x, "name");
    if (strcmp(name, json_tree_get_text(y, "name")) != 0) return false;
    if (strcmp(name, "driver_environment") != 0) return true;
    const char *a = json_tree_get_text(x, "text");
    const char *b = json_tree_get_text(y, "text");
    const size_t size = strcspn(a, "=");
    return size == strcspn(b, "=") && memcmp(a, b, size) == 0;
}

static bool is_equal(const struct json_node *x, const struct json_node *y)
{
    char a[value_size];
    char b[value_size];
    return has_same_name(x, y) && counts(x) == counts(y)
           && strcmp(value_of(a, x), value_of(b, y)) == 0;
}

/* Number n, from 0, of those in the list that have the item's name and, without
 * an equal one in others, stand alone. */
static const struct json_node *find_alone(const struct json_node *list,
        const struct json_node *item, const struct json_node *others, size_t n)
{
    for (const struct json_node *x = list; x != NULL; x = x->next) {
        const struct json_node *y = others;
        if (!has_same_name(x, item)) continue;
        while (y != NULL && !is_equal(x, y))
            y = y->next;
        if (y == NULL && n-- == 0) return x;
    }
    return NULL;
}

/* How many of the list before the item have its name and stand alone. */
static size_t rank(const struct json_node *list, const struct json_node *item,
        const struct json_node *others)
{
    size_t n = 0;
    while (find_alone(list, item, others, n) != NULL
            && find_alone(list, item, others, n) != item)
        n++;
    return n;
}

static const struct json_node *first_of(
        const struct json_node *device, const char *list)
{
    const struct json_node *node = json_tree_get(device, list);
    return node != NULL && node->type == json_type_array ? node->first : NULL;
}

/* ---- Differences --------------------------------------------------------- */

struct comparison {
    identity_visit visit;
    void *user;
    bool has_parts; /* parts that count differ */
};

/* Digests of parts say less than the parts do. */
static bool is_told_by_parts(const struct comparison *c, const char *name)
{
    return c->has_parts
           && (strcmp(name, "driver_components") == 0
                   || strcmp(name, "driver_build") == 0);
}

static enum identity_place place_of(
        const struct json_node *x, const struct json_node *y)
{
    const struct json_node *one = x != NULL ? x : y;
    if (!is_part(one))
        return strncmp(json_tree_get_text(one, "name"), "library_", 8) == 0
                       ? identity_place_library
                       : identity_place_device;
    return (x == NULL || !counts(x)) && (y == NULL || !counts(y)) && x != NULL
                           && y != NULL
                   ? identity_place_ignored
                   : identity_place_part;
}

static void tell(struct comparison *c, const struct json_node *x,
        const struct json_node *y)
{
    char a[value_size];
    char b[value_size];
    const struct identity_difference d = {.place = place_of(x, y),
            .name = json_tree_get_text(x != NULL ? x : y, "name"),
            .a = x != NULL ? value_of(a, x) : NULL,
            .b = y != NULL ? value_of(b, y) : NULL};
    if (is_told_by_parts(c, d.name)) return;
    c->has_parts = c->has_parts || d.place == identity_place_part;
    c->visit(c->user, &d);
}

static void compare(struct comparison *c, const struct json_node *a,
        const struct json_node *b)
{
    for (const struct json_node *x = a; x != NULL; x = x->next) {
        const size_t n = rank(a, x, b);
        if (find_alone(a, x, b, n) == x) tell(c, x, find_alone(b, x, a, n));
    }
    for (const struct json_node *y = b; y != NULL; y = y->next) {
        const size_t n = rank(b, y, a);
        if (find_alone(b, y, a, n) == y && find_alone(a, y, b, n) == NULL)
            tell(c, NULL, y);
    }
}

void identity_diff(const struct json_node *a, const struct json_node *b,
        identity_visit visit, void *user)
{
    struct comparison c = {.visit = visit, .user = user};
    compare(&c, first_of(a, "driver_parts"), first_of(b, "driver_parts"));
    compare(&c, first_of(a, "fields"), first_of(b, "fields"));
}

const struct json_node *identity_find_device(
        const struct json_node *report, const struct json_node *of)
{
    const struct json_node *d = first_of(report, "devices");
    while (d != NULL
            && (strcmp(json_tree_get_text(d, "platform"),
                        json_tree_get_text(of, "platform"))
                            != 0
                    || strcmp(json_tree_get_text(d, "device"),
                               json_tree_get_text(of, "device"))
                               != 0))
        d = d->next;
    return d;
}

bool identity_is_report(const struct json_node *report)
{
    const struct json_node *devices = json_tree_get(report, "devices");
    return strcmp(json_tree_get_text(report, "command"), "identity") == 0
           && devices != NULL && devices->type == json_type_array;
}
