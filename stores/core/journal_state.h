/* SPDX-License-Identifier: Apache-2.0 */
/* journal_state.h: what a process knows of its store's journal. */
#ifndef DNNL_CACHE_STORES_CORE_JOURNAL_STATE_H
#define DNNL_CACHE_STORES_CORE_JOURNAL_STATE_H

#include "src/platform/fork.h"
#include "stores/core/journal_keys.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_MAX_BYTES ((uint64_t)64 * 1024 * 1024)

/* <name>.new is made beside it, then renamed. */
#define JOURNAL_NEW_SUFFIX ".new"

/* <name>.lock is locked by who drains it. */
#define JOURNAL_LOCK_SUFFIX ".lock"

/* Its first bytes. */
#define JOURNAL_MAGIC "dnnlcjnl"

/* The record of an index. */
struct journal_part {
    uint8_t *record; /* owned */
    const uint8_t *keys;
    size_t count;
};

/* Part of every store. */
struct store_journal {
    struct fork_mutex lock; /* guards what follows; held while the file's
                             * lock is waited for; taken before no other,
                             * and by store_journal_lock() alone */
    uint64_t device;
    uint64_t inode;      /* 0: no file is known */
    uint32_t generation; /* of that file, whose number may be another's later */
    uint64_t end;        /* where its intact records end, as far as known */
    struct journal_keys keys;   /* of the records up to there... */
    struct journal_part *parts; /* ...but for those that indexes have; owned */
    size_t part_count;
    size_t indexed_count; /* keys in them */
    uint64_t index_at;    /* where the last index is; 0: there is none */
    uint64_t index_end;   /* and where it ends */
    uint64_t full_end;    /* where the last one with all keys ends... */
    unsigned index_count; /* ...and how many there are from that one on */
    uint64_t read_ns;     /* when all of the file was last read, by anybody */
    uint64_t
            checked; /* since then, up to where it was read again; 0: nowhere */
    bool has_tail;   /* the last record is a tail (journal_index.h) */
    bool tail_is_old; /* it does not say what was checked since */
    uint64_t max_bytes;
    bool is_made;
    bool is_alone; /* a record: a file that does not begin like one is
                    * another's, and stays as it is */
    bool full_was_told;
    atomic_bool damage_was_told; /* by a reader, who needs no lock */
    uint64_t appended, known, full, busy, failed;
    int drain_fd; /* the lock of who drains; -1: not this handle */
};

void store_journal_init(struct store_journal *journal);
void store_journal_fini(struct store_journal *journal);

/* Frees what indexes had. */
void store_journal_free_parts(struct store_journal *journal);

/* Nothing of the file is known any more; frees nothing. */
void store_journal_reset(struct store_journal *journal);

/* Also in a child of fork(), whatever other threads of its parent did. */
void store_journal_lock(struct store_journal *journal);
void store_journal_unlock(struct store_journal *journal);

#endif /* DNNL_CACHE_STORES_CORE_JOURNAL_STATE_H */
