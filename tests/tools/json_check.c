/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of JSON that keeps nothing: is this one document? */
#include "tool_helpers.h"
#include "tools/common/text/text.h"

#include <string.h>

struct cursor {
    const char *at;
    const char *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && strchr(" \n\r\t", *c->at) != NULL)
        c->at++;
}

static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool is_hex(char c)
{
    return c != '\0' && strchr("0123456789abcdefABCDEF", c) != NULL;
}

static bool read_string(struct cursor *c)
{
    if (!take(c, '"')) return false;
    while (c->at < c->end && *c->at != '"') {
        if ((unsigned char)*c->at < 0x20) return false;
        if (*c->at++ != '\\') continue;
        if (c->at == c->end) return false;
        if (*c->at == 'u') {
            for (int i = 0; i < 4; i++)
                if (++c->at == c->end || !is_hex(*c->at)) return false;
        } else if (*c->at == '\0' || strchr("\"\\/bfnrt", *c->at) == NULL) {
            return false;
        }
        c->at++;
    }
    return take(c, '"');
}

static bool read_digits(struct cursor *c)
{
    const char *start = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > start;
}

/* Our documents have whole numbers only. */
static bool read_number(struct cursor *c)
{
    const char *start = c->at;
    return read_digits(c) && (*start != '0' || c->at == start + 1);
}

static bool read_word(struct cursor *c, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0)
        return false;
    c->at += size;
    return true;
}

static bool read_value(struct cursor *c, int depth);

static bool read_members(struct cursor *c, char close, bool named, int depth)
{
    if (take(c, close)) return true;
    do {
        if (named && (!read_string(c) || !take(c, ':'))) return false;
        if (!read_value(c, depth - 1)) return false;
    } while (take(c, ','));
    return take(c, close);
}

static bool read_value(struct cursor *c, int depth)
{
    skip_blanks(c);
    if (depth == 0 || c->at == c->end) return false;
    switch (*c->at) {
    case '{':
        c->at++;
        return read_members(c, '}', true, depth);
    case '[':
        c->at++;
        return read_members(c, ']', false, depth);
    case '"':
        return read_string(c);
    case 't':
        return read_word(c, "true");
    case 'f':
        return read_word(c, "false");
    case 'n':
        return read_word(c, "null");
    default:
        return read_number(c);
    }
}

bool json_is_valid(const char *text, size_t size)
{
    struct cursor c = {text, text + size};
    if (!text_is_utf8(text, size) || !read_value(&c, 16)) return false;
    skip_blanks(&c);
    return c.at == c.end;
}
