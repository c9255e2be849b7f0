/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed_place.h: where builds that fail each time are kept, beside a store: a
 * flat store of its own, "failed" in the state folder (state_folder.h), with
 * records (id/failure.h) and a journal of what they were built from. So no
 * chain, server, seed, archive or copy of the store's entries ever has them.
 *
 * It is this user's alone: where the store or the folder belongs to somebody
 * else, or others may write to either, there is none.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_FAILED_PLACE_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_FAILED_PLACE_H

#include <dnnl_cache/store.h>

enum failed_access {
    failed_access_read,   /* nothing is written */
    failed_access_change, /* what is there */
    failed_access_make    /* and it is made */
};

/* Bytes: of all records, of one record, of the journal. */
enum {
    failed_most_bytes = 4 << 20,
    failed_most_record = 256 << 10,
    failed_most_journal = 4 << 20
};

/* Opens the one of a store; is_pack: the store is a file. log may be NULL. The
 * caller closes it. NULL: there is none, or it cannot be used. */
dnnl_cache_store_handle_t *failed_place_open(const char *store, bool is_pack,
        enum failed_access access, dnnl_cache_log_callback_t log,
        void *log_user);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_FAILED_PLACE_H */
