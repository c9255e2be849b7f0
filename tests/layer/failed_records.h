/* SPDX-License-Identifier: Apache-2.0 */
/* failed_records.h: what the layer keeps of builds that fail
 * (tools/common/id/failure.h), looked at and changed from outside. */
#ifndef DNNL_CACHE_TESTS_LAYER_FAILED_RECORDS_H
#define DNNL_CACHE_TESTS_LAYER_FAILED_RECORDS_H

#include <stddef.h>
#include <stdint.h>

enum { failed_record_seen = 1, failed_record_kept = 2 };

/* How many there are beside the store in this folder: in that state; 0: in any.
 */
unsigned failed_records_count(const char *store, unsigned state);

/* Makes them older by so many seconds; of how many. */
unsigned failed_records_age(const char *store, uint64_t seconds);

/* Puts what change makes of each record in its place; *size may become less. */
unsigned failed_records_change(
        const char *store, void (*change)(uint8_t *record, size_t *size));

/* How many builds dnnl-cache refresh is to try again. */
unsigned failed_records_count_notes(const char *store);

#endif /* DNNL_CACHE_TESTS_LAYER_FAILED_RECORDS_H */
