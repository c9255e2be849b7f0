/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/option_value.h"

#include "src/common/array.h"
#include "tools/common/text/units.h"

#include <errno.h>
#include <string.h>

bool option_value_number(uint64_t *number, const char *text, uint64_t most)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || value > most) return false;
    *number = value;
    return true;
}

static bool add(struct option_list *list, const char *text)
{
    if (!array_grow(&list->values, (size_t)list->count, sizeof *list->values))
        return false;
    list->values[list->count++] = text;
    return true;
}

static bool parse(
        uint64_t *number, const struct option_value *value, const char *text)
{
    switch (value->takes) {
    case takes_number:
        return option_value_number(number, text, value->most)
               && *number >= value->least;
    case takes_size:
        return units_parse_size(number, text) && *number >= value->least;
    case takes_age:
        return (value->least == 0 && strcmp(text, "0") == 0)
               || units_parse_age(number, text);
    default:
        for (size_t i = 0; value->names[i] != NULL; i++) {
            *number = value->least + i;
            if (strcmp(value->names[i], text) == 0) return true;
        }
        return false;
    }
}

bool option_value_take(
        const struct option_value *value, void *options, const char *text)
{
    void *member = (char *)options + value->member;
    uint64_t number = 0;
    switch (value->takes) {
    case takes_nothing:
        return *(bool *)member = true;
    case takes_text:
        memcpy(member, &text, sizeof text);
        return text[0] != '\0';
    case takes_list:
        return add(member, text);
    case takes_other:
        return value->parse(options, text);
    default:
        break;
    }
    if (!parse(&number, value, text)) return false;
    const unsigned small = (unsigned)number;
    if (value->takes == takes_number || value->takes == takes_choice)
        memcpy(member, &small, sizeof small);
    else
        memcpy(member, &number, sizeof number);
    return true;
}
