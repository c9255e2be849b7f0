/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/layer_list.h"

#include <stdlib.h>
#include <string.h>

static const char *name_in(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', size);
    return slash != NULL ? slash + 1 : path;
}

/* Is it the layer, from whatever folder? */
static bool is_layer(const char *entry, size_t size, const char *path)
{
    const char *name = name_in(entry, size);
    const char *wanted = name_in(path, strlen(path));
    const size_t length = size - (size_t)(name - entry);
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

/* A list in the making, in zeroed memory that has room for all of it. */
struct list {
    char *text;
    size_t size;
};

static void append(struct list *list, const char *entry, size_t size)
{
    if (size == 0) return;
    if (list->size > 0) list->text[list->size++] = ':';
    memcpy(list->text + list->size, entry, size);
    list->size += size;
}

bool layer_list_has(const char *list, const char *path)
{
    for (;; list++) {
        const size_t size = strcspn(list, ":");
        if (is_layer(list, size, path)) return true;
        list += size;
        if (*list == '\0') return false;
    }
}

/* Appends what is in a list; instead stands for the layer the first time, and
 * "" for nothing. */
static void append_all(struct list *made, const char *list, const char *path,
        const char *instead)
{
    for (;; list++) {
        const size_t size = strcspn(list, ":");
        if (!is_layer(list, size, path)) {
            append(made, list, size);
        } else {
            append(made, instead, strlen(instead));
            instead = "";
        }
        list += size;
        if (*list == '\0') return;
    }
}

char *layer_list_with(const char *list, const char *path)
{
    struct list made = {calloc(1, strlen(path) + strlen(list) + 2), 0};
    if (made.text == NULL) return NULL;
    if (!layer_list_has(list, path)) append(&made, path, strlen(path));
    append_all(&made, list, path, path);
    return made.text;
}

char *layer_list_without(const char *list, const char *path)
{
    struct list made = {calloc(1, strlen(list) + 1), 0};
    if (made.text != NULL) append_all(&made, list, path, "");
    return made.text;
}
