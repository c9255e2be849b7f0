/* SPDX-License-Identifier: Apache-2.0 */
/* processor_words.h: a processor's features while they are collected. */
#ifndef DNNL_CACHE_PLATFORM_PROCESSOR_WORDS_H
#define DNNL_CACHE_PLATFORM_PROCESSOR_WORDS_H

#include "src/platform/processor.h"

enum { processor_word_size = 32, processor_most_words = 512 };

struct processor_list {
    size_t count; /* beyond the most: some are missing */
    char words[processor_most_words][processor_word_size];
};

/* A word that is there is not added again. */
void processor_list_add(struct processor_list *list, const char *word);

/* Sorts them. False: there were too many, or they are too long. */
bool processor_list_write(
        struct processor_list *list, char features[processor_features_size]);

#endif /* DNNL_CACHE_PLATFORM_PROCESSOR_WORDS_H */
