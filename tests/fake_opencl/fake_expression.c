/* SPDX-License-Identifier: Apache-2.0 */
/* Constant expressions, of #if and of attributes. */
#include "fake_preprocess.h"

#include <stdlib.h>

struct expression {
    struct front_end *front;
    const struct token *at;
};

static long long evaluate(struct expression *e, unsigned level);

static bool eat(struct expression *e, const char *mark)
{
    if (e->at == NULL || !token_is(e->at, mark)) return false;
    e->at = e->at->next;
    return true;
}

static long long evaluate_unary(struct expression *e)
{
    long long value = 0;

    if (eat(e, "!")) return !evaluate_unary(e);
    if (eat(e, "-")) return -evaluate_unary(e);
    if (eat(e, "+")) return evaluate_unary(e);
    if (eat(e, "~")) return ~evaluate_unary(e);
    if (eat(e, "(")) {
        value = evaluate(e, 0);
        if (!eat(e, ")")) front_end_fail(e->front, "expected ')'");
        return value;
    }
    if (e->at == NULL)
        front_end_fail(e->front, "expected a value in an expression");
    /* A name that is no macro is 0. */
    if (e->at->kind == TOKEN_NUMBER) value = strtoll(e->at->text, NULL, 0);
    e->at = e->at->next;
    return value;
}

static const struct {
    const char *mark;
    unsigned level;
} operators[] = {
        {"||", 1},
        {"&&", 2},
        {"|", 3},
        {"^", 4},
        {"&", 5},
        {"==", 6},
        {"!=", 6},
        {"<", 7},
        {">", 7},
        {"<=", 7},
        {">=", 7},
        {"<<", 8},
        {">>", 8},
        {"+", 9},
        {"-", 9},
        {"*", 10},
        {"/", 10},
        {"%", 10},
};

static long long apply(
        struct expression *e, size_t operation, long long a, long long b)
{
    switch (operation) {
    case 0:
        return a || b;
    case 1:
        return a && b;
    case 2:
        return a | b;
    case 3:
        return a ^ b;
    case 4:
        return a & b;
    case 5:
        return a == b;
    case 6:
        return a != b;
    case 7:
        return a < b;
    case 8:
        return a > b;
    case 9:
        return a <= b;
    case 10:
        return a >= b;
    case 11:
        return (long long)((unsigned long long)a << (b & 63));
    case 12:
        return a >> (b & 63);
    case 13:
        return (long long)((unsigned long long)a + (unsigned long long)b);
    case 14:
        return (long long)((unsigned long long)a - (unsigned long long)b);
    case 15:
        return (long long)((unsigned long long)a * (unsigned long long)b);
    default:
        break;
    }
    if (b == 0) front_end_fail(e->front, "division by zero");
    return operation == 16 ? a / b : a % b;
}

/* Level 0 is the conditional operator, above which all others bind. */
static long long evaluate(struct expression *e, unsigned level)
{
    const size_t count = sizeof(operators) / sizeof(operators[0]);
    long long value = evaluate_unary(e), yes, no;
    size_t i = 0;

    while (i < count) {
        if (operators[i].level <= level || !eat(e, operators[i].mark)) {
            i++;
            continue;
        }
        value = apply(e, i, value, evaluate(e, operators[i].level));
        i = 0;
    }
    if (level == 0 && eat(e, "?")) {
        yes = evaluate(e, 0);
        if (!eat(e, ":")) front_end_fail(e->front, "expected ':'");
        no = evaluate(e, 0);
        value = value ? yes : no;
    }
    return value;
}

long long expression_value(struct front_end *front, const struct token *tokens)
{
    struct expression e = {front, tokens};

    return evaluate(&e, 0);
}
