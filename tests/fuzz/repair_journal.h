/* SPDX-License-Identifier: Apache-2.0 */
/* repair_journal.h: makes any bytes a journal. */
#ifndef DNNL_CACHE_TESTS_FUZZ_REPAIR_JOURNAL_H
#define DNNL_CACHE_TESTS_FUZZ_REPAIR_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

/* Makes the file's head right, and the heads of records whose bytes are there,
 * with sizes, checksums and those keys that follow from what they hold. */
void repair_journal(size_t size, uint8_t *data);

#endif /* DNNL_CACHE_TESTS_FUZZ_REPAIR_JOURNAL_H */
