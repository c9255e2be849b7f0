/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a JSON document. What is read as one has a tree without a loop
 * whose texts end inside the copy and are UTF-8; written again from the tree,
 * it is the same tree.
 */
#include "fuzz.h"
#include "tools/common/text/json_tree.h"
#include "tools/common/text/text.h"

#include <string.h>

enum { most_deep = 64 };

struct output {
    char *bytes;
    size_t size;
    size_t room;
};

static void put(struct output *out, const char *bytes, size_t size)
{
    if (size > out->room - out->size) {
        out->room = 2 * (out->size + size);
        out->bytes = realloc(out->bytes, out->room);
        REQUIRE(out->bytes != NULL);
    }
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_text(struct output *out, const char *text)
{
    REQUIRE(text_is_utf8(text, strlen(text)));
    put(out, "\"", 1);
    for (const char *at = text; *at != '\0'; at++) {
        char escaped[8];
        const unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == '"' || c == '\\') {
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put(out, escaped, 6);
        } else {
            put(out, at, 1);
        }
    }
    put(out, "\"", 1);
}

static void put_node(
        struct output *out, const struct json_node *node, int depth)
{
    const bool is_object = node->type == json_type_object;
    REQUIRE(depth < most_deep);
    if (node->name != NULL) {
        put_text(out, node->name);
        put(out, ":", 1);
    }
    switch (node->type) {
    case json_type_array:
    case json_type_object:
        put(out, is_object ? "{" : "[", 1);
        for (const struct json_node *n = node->first; n != NULL; n = n->next) {
            REQUIRE((n->name != NULL) == is_object);
            if (n != node->first) put(out, ",", 1);
            put_node(out, n, depth + 1);
        }
        put(out, is_object ? "}" : "]", 1);
        break;
    case json_type_text:
        put_text(out, node->text);
        break;
    case json_type_null:
        put(out, "null", 4);
        break;
    default: /* true, false, and numbers */
        REQUIRE(node->text[0] != '\0' && node->first == NULL);
        put(out, node->text, strlen(node->text));
    }
}

static void expect_same(const struct json_node *a, const struct json_node *b)
{
    REQUIRE((a == NULL) == (b == NULL));
    for (; a != NULL; a = a->next, b = b->next) {
        REQUIRE(b != NULL && a->type == b->type);
        REQUIRE((a->name == NULL) == (b->name == NULL));
        REQUIRE(a->name == NULL || strcmp(a->name, b->name) == 0);
        REQUIRE(strcmp(a->text, b->text) == 0);
        expect_same(a->first, b->first);
    }
    REQUIRE(b == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_tree tree;
    struct json_tree again;
    struct output out = {NULL, 0, 0};
    REQUIRE(json_tree_read(&tree, data, size));
    if (tree.root != NULL) {
        REQUIRE(tree.root->name == NULL && tree.root->next == NULL);
        put_node(&out, tree.root, 0);
        REQUIRE(json_tree_read(&again, out.bytes, out.size));
        expect_same(tree.root, again.root);
        json_tree_fini(&again);
    }
    free(out.bytes);
    json_tree_fini(&tree);
    return 0;
}
