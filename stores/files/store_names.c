/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_names.h"

#include "src/platform/folder.h"

#include <stddef.h>

char *store_name_put_decimal(char *at, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

char *store_name_put_hash(char *at, uint64_t hash)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[hash >> shift & 15];
    return at;
}

bool store_name_parse_decimal(const char *text, uint64_t *value)
{
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) return false;
    uint64_t v = 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

struct numbers {
    uint64_t max;
    int (*visit)(void *user, uint64_t number);
    void *user;
};

static int visit_number(void *user, const char *name)
{
    const struct numbers *numbers = user;
    uint64_t number;
    if (!store_name_parse_decimal(name, &number) || number > numbers->max)
        return 0;
    return numbers->visit(numbers->user, number);
}

int store_names_each_number(int folder, uint64_t max,
        int (*visit)(void *user, uint64_t number), void *user)
{
    struct numbers numbers = {max, visit, user};
    return folder_each(folder, visit_number, &numbers);
}
