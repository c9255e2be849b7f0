/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/identity_diff.h"

#include <stdio.h>
#include <stdlib.h>
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

/* What a field's value is shown as. */
static const char *text_of(const struct json_node *item)
{
    const char *text = json_tree_get_text(item, "text");
    return text[0] != '\0' ? text : json_tree_get_text(item, "hex");
}

/* A field's value; of a part how it is identified, and the digest. */
static const char *value_of(char room[value_size], const struct json_node *item)
{
    if (!is_part(item)) return text_of(item);
    snprintf(room, value_size, "%s %s", json_tree_get_text(item, "how"),
            json_tree_get_text(item, "digest"));
    return room;
}

/* One item of a list, with what of it is compared. */
struct item {
    const struct json_node *node;
    const char *name;
    /* Variables of the environment are one field each, with the name in front
     * of the value. Of size 0: it is none. */
    const char *variable;
    size_t variable_size;
    const char *how; /* "" of a field */
    const char *value;
    bool counts;
    bool is_alone;              /* the other list has no equal one */
    const struct item *partner; /* that belongs beside it; NULL: none */
};

struct items {
    struct item *all; /* in the list's order */
    size_t count;
    struct item **sorted; /* pointers to them, or to those that are alone */
    size_t sorted_count;
};

static void items_fini(struct items *items)
{
    free(items->all);
    free(items->sorted);
}

static void item_init(struct item *item, const struct json_node *node)
{
    const char *name = json_tree_get_text(node, "name");
    const bool part = is_part(node);
    *item = (struct item){.node = node,
            .name = name,
            .variable = "",
            .how = json_tree_get_text(node, "how"),
            .value = part ? json_tree_get_text(node, "digest") : text_of(node),
            .counts = counts(node)};
    if (strcmp(name, "driver_environment") != 0) return;
    item->variable = json_tree_get_text(node, "text");
    item->variable_size = strcspn(item->variable, "=");
}

/* False: out of memory. */
static bool items_init(struct items *items, const struct json_node *list)
{
    size_t count = 0;
    for (const struct json_node *x = list; x != NULL; x = x->next)
        count++;
    *items = (struct items){.all = calloc(count + 1, sizeof *items->all),
            .sorted = calloc(count + 1, sizeof *items->sorted)};
    if (items->all == NULL || items->sorted == NULL) return false;
    for (const struct json_node *x = list; x != NULL; x = x->next) {
        items->sorted[items->sorted_count++] = &items->all[items->count];
        item_init(&items->all[items->count++], x);
    }
    return true;
}

/* 0: both have one name. */
static int compare_names(const struct item *x, const struct item *y)
{
    const size_t both = x->variable_size < y->variable_size ? x->variable_size
                                                            : y->variable_size;
    int order = strcmp(x->name, y->name);
    if (order == 0) order = memcmp(x->variable, y->variable, both);
    return order != 0 ? order
                      : (x->variable_size > y->variable_size)
                                - (x->variable_size < y->variable_size);
}

/* 0: the same of both is the same. */
static int compare_items(const struct item *x, const struct item *y)
{
    int order = compare_names(x, y);
    if (order == 0) order = x->counts - y->counts;
    if (order == 0) order = strcmp(x->how, y->how);
    return order != 0 ? order : strcmp(x->value, y->value);
}

static int by_value(const void *left, const void *right)
{
    const struct item *const *x = left;
    const struct item *const *y = right;
    return compare_items(*x, *y);
}

/* Those of one name in the list's order. */
static int by_name(const void *left, const void *right)
{
    const struct item *const *x = left;
    const struct item *const *y = right;
    const int order = compare_names(*x, *y);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

static void sort(struct items *items, int (*by)(const void *, const void *))
{
    qsort(items->sorted, items->sorted_count, sizeof *items->sorted, by);
}

/* Both are sorted by value. */
static void find_alone(struct items *items, const struct items *others)
{
    size_t k = 0;
    for (size_t i = 0; i < items->sorted_count; i++) {
        struct item *item = items->sorted[i];
        int order = 1;
        while (k < others->sorted_count
                && (order = compare_items(others->sorted[k], item)) < 0)
            k++;
        item->is_alone = order != 0;
    }
}

static void keep_alone(struct items *items)
{
    size_t kept = 0;
    for (size_t i = 0; i < items->sorted_count; i++)
        if (items->sorted[i]->is_alone)
            items->sorted[kept++] = items->sorted[i];
    items->sorted_count = kept;
    sort(items, by_name);
}

/* Of those of one name that are alone: the first of both lists belong side by
 * side, the second, and so on. */
static void find_partners(struct items *a, struct items *b)
{
    size_t i = 0;
    size_t k = 0;
    sort(a, by_value);
    sort(b, by_value);
    find_alone(a, b);
    find_alone(b, a);
    keep_alone(a);
    keep_alone(b);
    while (i < a->sorted_count && k < b->sorted_count) {
        struct item *x = a->sorted[i];
        struct item *y = b->sorted[k];
        const int order = compare_names(x, y);
        if (order == 0) {
            x->partner = y;
            y->partner = x;
        }
        i += order <= 0;
        k += order >= 0;
    }
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

/* False: out of memory. */
static bool compare(struct comparison *c, const struct json_node *list_a,
        const struct json_node *list_b)
{
    struct items a = {.count = 0};
    struct items b = {.count = 0};
    const bool good = items_init(&a, list_a) && items_init(&b, list_b);
    if (good) find_partners(&a, &b);
    for (size_t i = 0; good && i < a.count; i++) {
        const struct item *partner = a.all[i].partner;
        if (a.all[i].is_alone)
            tell(c, a.all[i].node, partner != NULL ? partner->node : NULL);
    }
    for (size_t i = 0; good && i < b.count; i++)
        if (b.all[i].is_alone && b.all[i].partner == NULL)
            tell(c, NULL, b.all[i].node);
    items_fini(&a);
    items_fini(&b);
    return good;
}

bool identity_diff(const struct json_node *a, const struct json_node *b,
        identity_visit visit, void *user)
{
    struct comparison c = {.visit = visit, .user = user};
    return compare(&c, first_of(a, "driver_parts"), first_of(b, "driver_parts"))
           && compare(&c, first_of(a, "fields"), first_of(b, "fields"));
}

/* ---- Devices of a report ------------------------------------------------- */

/* Those of the same platform and name in the report's order. */
static int compare_devices(
        const struct identity_device *x, const struct identity_device *y)
{
    const int order = strcmp(x->platform, y->platform);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static int by_device(const void *left, const void *right)
{
    const struct identity_device *x = left;
    const struct identity_device *y = right;
    const int order = compare_devices(x, y);
    return order != 0 ? order
                      : (x->number > y->number) - (x->number < y->number);
}

static struct identity_device device_of(
        const struct json_node *node, size_t number)
{
    return (struct identity_device){
            .platform = json_tree_get_text(node, "platform"),
            .name = json_tree_get_text(node, "device"),
            .number = number,
            .node = node};
}

bool identity_devices_init(
        struct identity_devices *devices, const struct json_node *report)
{
    const struct json_node *first = first_of(report, "devices");
    size_t count = 0;
    for (const struct json_node *d = first; d != NULL; d = d->next)
        count++;
    *devices = (struct identity_devices){
            .sorted = calloc(count + 1, sizeof *devices->sorted)};
    if (devices->sorted == NULL) return false;
    for (const struct json_node *d = first; d != NULL; d = d->next) {
        devices->sorted[devices->count] = device_of(d, devices->count);
        devices->count++;
    }
    qsort(devices->sorted, devices->count, sizeof *devices->sorted, by_device);
    return true;
}

void identity_devices_fini(struct identity_devices *devices)
{
    free(devices->sorted);
}

const struct json_node *identity_devices_find(
        const struct identity_devices *devices, const struct json_node *of)
{
    const struct identity_device wanted = device_of(of, 0);
    size_t first = 0;
    size_t end = devices->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (by_device(&devices->sorted[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first < devices->count
                           && compare_devices(&devices->sorted[first], &wanted)
                                      == 0
                   ? devices->sorted[first].node
                   : NULL;
}

bool identity_is_report(const struct json_node *report)
{
    const struct json_node *devices = json_tree_get(report, "devices");
    return strcmp(json_tree_get_text(report, "command"), "identity") == 0
           && devices != NULL && devices->type == json_type_array;
}
