/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C preprocessor, enough for real kernels: macros of both kinds with # and
 * ##, conditionals, #include of named headers, #error, -D and -U. Other
 * directives are passed over.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_PREPROCESS_H
#define DNNL_CACHE_TESTS_FAKE_PREPROCESS_H

#include "fake_lexer.h"
#include "fake_source.h"

/* The tokens of the input after preprocessing, as a list. What can't be
 * preprocessed ends the front end with a message. */
struct token *preprocess(
        struct front_end *front, const struct source_input *input);

/* The value of a constant expression without macros, up to where it ends or a
 * comma follows. */
long long expression_value(struct front_end *front, const struct token *tokens);

#endif /* DNNL_CACHE_TESTS_FAKE_PREPROCESS_H */
