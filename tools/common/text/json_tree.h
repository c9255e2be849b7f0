/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_tree.h: reads one JSON document of unknown origin. Numbers are kept as
 * text.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_TREE_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum json_type {
    json_type_null,
    json_type_bool,
    json_type_number,
    json_type_text,
    json_type_array,
    json_type_object
};

struct json_node {
    enum json_type type;
    const char *name; /* of a member; else NULL */
    /* Of a text, a number, true or false; else "". What is behind a NUL inside
     * is not seen. */
    const char *text;
    const struct json_node *first; /* of an array or object; NULL: empty */
    const struct json_node *next;  /* in the same array or object */
};

struct json_tree {
    struct json_node *root; /* NULL: not a document */
    struct json_node *nodes;
    char *bytes; /* a copy, which the nodes point to */
};

/* False: out of memory. A text that is no JSON document, has invalid UTF-8 or
 * is nested deeper than 32 has the root NULL. */
bool json_tree_read(struct json_tree *tree, const void *text, size_t size);
void json_tree_fini(struct json_tree *tree);

/* The member of an object; NULL if there is none, and of all that is none. */
const struct json_node *json_tree_get(
        const struct json_node *object, const char *name);
/* Its text; "" if there is none. */
const char *json_tree_get_text(
        const struct json_node *object, const char *name);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_TREE_H */
