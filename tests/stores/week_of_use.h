/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_TESTS_WEEK_OF_USE_H
#define DNNL_CACHE_TESTS_WEEK_OF_USE_H

/* As if the store in this directory, which is not open, had been used on each
 * of the last seven days (store_totals.h): only then is anything in it old. */
void week_of_use(const char *store_path);

#endif /* DNNL_CACHE_TESTS_WEEK_OF_USE_H */
