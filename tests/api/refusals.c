/* SPDX-License-Identifier: Apache-2.0 */
#include "refusals.h"

#include "refusal_calls.h"
#include "src/gpu/engine/lacks.h"

#include <string.h>

/* The words of each lack. */
#define WORDS(name, words) [LACK_##name] = words,
static const char *const words_of[LACK_COUNT] = {LACKS(WORDS)};

#define CASE(name, lack, where, what) {where, what, LACK_##lack, ask_##name},
static const struct {
    const char *where;
    const char *what;
    enum lack lack;
    refusal_call *ask;
} cases[] = {LACK_CASES(CASE)};

const int refusal_count = sizeof cases / sizeof *cases;

struct refusal refusal_at(int i)
{
    return (struct refusal){cases[i].where, cases[i].what,
            words_of[cases[i].lack], cases[i].ask};
}

bool refusal_is_listed(const char *line)
{
    size_t size = strlen(line);
    for (int i = 1; i < LACK_COUNT; i++) {
        size_t end = strlen(words_of[i]);
        if (end < size && line[size - end - 1] == ','
                && strcmp(line + size - end, words_of[i]) == 0)
            return true;
    }
    return false;
}
