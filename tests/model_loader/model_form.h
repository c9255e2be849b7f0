/* SPDX-License-Identifier: Apache-2.0 */
/* model_form.h: models as texts, and what the reference executor computes of
 * them. Inputs are 0, 1, 2 ... */
#ifndef DNNL_CACHE_TESTS_MODEL_FORM_H
#define DNNL_CACHE_TESTS_MODEL_FORM_H

#include <stddef.h>

enum { any_number = -1 };

/* A model, how many nodes it needs, and what its first output is. */
struct form {
    const char *text;
    int nodes;          /* any_number: however many */
    const char *output; /* "[2, 3] 0 1 2 3 4 5" */
};

void expect_forms(const struct form *forms, size_t count);

#define EXPECT_FORMS(...)                                  \
    do {                                                   \
        static const struct form forms[] = __VA_ARGS__;    \
        expect_forms(forms, sizeof forms / sizeof *forms); \
    } while (0)

/* A model that is refused, and a part of the message. */
struct refusal {
    const char *text;
    const char *message;
};

void expect_refusals(const struct refusal *refusals, size_t count);

#define EXPECT_REFUSALS(...)                                           \
    do {                                                               \
        static const struct refusal refusals[] = __VA_ARGS__;          \
        expect_refusals(refusals, sizeof refusals / sizeof *refusals); \
    } while (0)

#endif /* DNNL_CACHE_TESTS_MODEL_FORM_H */
