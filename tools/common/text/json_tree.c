/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/json_tree.h"

#include "tools/common/text/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { most_deep = 32 };

/* Texts are decoded where they stand: an escape is never shorter than what it
 * stands for. There are fewer nodes than bytes. */
struct reader {
    char *at;
    char *end; /* a NUL is there */
    struct json_node *free;
};

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
        r->at++;
}

static bool take(struct reader *r, char wanted)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != wanted) return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    const size_t size = strlen(word);
    if (strncmp(r->at, word, size) != 0) return false;
    r->at += size;
    return true;
}

/* ---- Texts --------------------------------------------------------------- */

static bool read_hex(uint32_t *code, struct reader *r)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *r->at != '\0' ? strchr(digits, *r->at) : NULL;
        if (digit == NULL) return false;
        *code = *code * 16 + (uint32_t)((digit - digits) % 16);
    }
    return true;
}

/* A character behind \u; of two that belong together both. */
static bool read_code(uint32_t *code, struct reader *r)
{
    uint32_t second;
    if (!read_hex(code, r)) return false;
    if (*code >= 0xdc00 && *code <= 0xdfff) return false;
    if (*code < 0xd800 || *code > 0xdbff) return true;
    if (!take_word(r, "\\u") || !read_hex(&second, r) || second < 0xdc00
            || second > 0xdfff)
        return false;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (second - 0xdc00);
    return true;
}

static char *write_code(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 63));
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

static char *read_escape(char *out, struct reader *r)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    if (take_word(r, "u"))
        return read_code(&code, r) ? write_code(out, code) : NULL;
    const char *letter = *r->at != '\0' ? strchr(letters, *r->at) : NULL;
    if (letter == NULL) return NULL;
    r->at++;
    *out = meant[letter - letters];
    return out + 1;
}

static const char *read_text(struct reader *r)
{
    if (!take(r, '"')) return NULL;
    const char *text = r->at;
    char *out = r->at;
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20) return NULL; /* the end included */
        if (*r->at != '\\') {
            *out++ = *r->at++;
            continue;
        }
        r->at++;
        out = read_escape(out, r);
        if (out == NULL) return NULL;
    }
    r->at++;
    *out = '\0'; /* at the quote, or before it */
    return text;
}

/* ---- Numbers ------------------------------------------------------------- */

static bool skip_digits(struct reader *r)
{
    const char *start = r->at;
    while (*r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > start;
}

static bool skip_number(struct reader *r)
{
    if (*r->at == '-') r->at++;
    const char *start = r->at;
    if (!skip_digits(r) || (*start == '0' && r->at > start + 1)) return false;
    if (*r->at == '.') {
        r->at++;
        if (!skip_digits(r)) return false;
    }
    if (*r->at != 'e' && *r->at != 'E') return true;
    r->at++;
    if (*r->at == '+' || *r->at == '-') r->at++;
    return skip_digits(r);
}

/* ---- Values -------------------------------------------------------------- */

static struct json_node *read_value(struct reader *r, int deep);

static bool read_list(
        struct reader *r, struct json_node *node, char close, int deep)
{
    const bool is_named = node->type == json_type_object;
    const struct json_node **link = &node->first;
    if (take(r, close)) return true;
    do {
        const char *name = is_named ? read_text(r) : NULL;
        if (is_named && (name == NULL || !take(r, ':'))) return false;
        struct json_node *value = read_value(r, deep + 1);
        if (value == NULL) return false;
        value->name = name;
        *link = value;
        link = &value->next;
    } while (take(r, ','));
    return take(r, close);
}

static bool read_word(struct reader *r, struct json_node *node)
{
    static const char *const words[] = {"null", "true", "false"};
    for (int i = 0; i < 3; i++) {
        if (!take_word(r, words[i])) continue;
        node->type = i == 0 ? json_type_null : json_type_bool;
        node->text = i == 0 ? "" : words[i];
        return true;
    }
    return false;
}

/* A number ends where the next byte is needed, too: it is moved one to the
 * left, over the byte before it, which has been read. */
static bool read_number(struct reader *r, struct json_node *node)
{
    char *start = r->at;
    if (!skip_number(r)) return false;
    const size_t size = (size_t)(r->at - start);
    memmove(start - 1, start, size);
    start[size - 1] = '\0';
    node->type = json_type_number;
    node->text = start - 1;
    return true;
}

static struct json_node *read_value(struct reader *r, int deep)
{
    struct json_node *node = r->free++;
    bool is_read = false;
    *node = (struct json_node){.type = json_type_null, .text = ""};
    skip_blanks(r);
    if (deep > most_deep) return NULL;
    switch (*r->at) {
    case '{':
        r->at++;
        node->type = json_type_object;
        is_read = read_list(r, node, '}', deep);
        break;
    case '[':
        r->at++;
        node->type = json_type_array;
        is_read = read_list(r, node, ']', deep);
        break;
    case '"':
        node->type = json_type_text;
        node->text = read_text(r);
        is_read = node->text != NULL;
        break;
    case 't':
    case 'f':
    case 'n':
        is_read = read_word(r, node);
        break;
    default:
        is_read = read_number(r, node);
    }
    return is_read ? node : NULL;
}

bool json_tree_read(struct json_tree *tree, const void *text, size_t size)
{
    *tree = (struct json_tree){NULL, NULL, NULL};
    if (size > SIZE_MAX / sizeof *tree->nodes - 3) return false;
    /* A blank in front, so that a number has room before it. */
    tree->bytes = malloc(size + 2);
    tree->nodes = calloc(size + 2, sizeof *tree->nodes);
    if (tree->bytes == NULL || tree->nodes == NULL) {
        json_tree_fini(tree);
        return false;
    }
    tree->bytes[0] = ' ';
    if (size > 0) memcpy(tree->bytes + 1, text, size);
    tree->bytes[size + 1] = '\0';
    if (!text_is_utf8(text, size)) return true;
    struct reader r = {tree->bytes, tree->bytes + size + 1, tree->nodes};
    struct json_node *root = read_value(&r, 0);
    skip_blanks(&r);
    if (root != NULL && r.at == r.end) tree->root = root;
    return true;
}

void json_tree_fini(struct json_tree *tree)
{
    free(tree->bytes);
    free(tree->nodes);
    *tree = (struct json_tree){NULL, NULL, NULL};
}

const struct json_node *json_tree_get(
        const struct json_node *object, const char *name)
{
    if (object == NULL || object->type != json_type_object) return NULL;
    for (const struct json_node *n = object->first; n != NULL; n = n->next)
        if (strcmp(n->name, name) == 0) return n;
    return NULL;
}

const char *json_tree_get_text(const struct json_node *object, const char *name)
{
    const struct json_node *member = json_tree_get(object, name);
    return member != NULL ? member->text : "";
}
