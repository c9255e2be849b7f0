/* SPDX-License-Identifier: Apache-2.0 */
/* record_attach.h: a process with a record (recording.h) notes there what its
 * stores are told of. */
#ifndef DNNL_CACHE_STORES_JOURNAL_RECORD_ATTACH_H
#define DNNL_CACHE_STORES_JOURNAL_RECORD_ATTACH_H

#include "dnnl_cache/store.h"

/* Gives an opened store the callback record, if the process has a record: the
 * record is opened when there is something to note. */
void record_attach(dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_STORES_JOURNAL_RECORD_ATTACH_H */
