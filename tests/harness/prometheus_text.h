/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus_text.h: reads the text that Prometheus reads, and lets nothing
 * pass that its format (0.0.4) or its conventions of names do not allow. */
#ifndef DNNL_CACHE_TESTS_PROMETHEUS_TEXT_H
#define DNNL_CACHE_TESTS_PROMETHEUS_TEXT_H

#include <stdbool.h>

/* NULL, or what is wrong with the text (static, until the next call). */
const char *prometheus_find_mistake(const char *text);

/* The value of a sample, by its name and labels as they stand in the text; -1:
 * there is none. */
double prometheus_value(const char *text, const char *sample);

#endif /* DNNL_CACHE_TESTS_PROMETHEUS_TEXT_H */
