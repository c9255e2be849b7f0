/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/journal_state.h"

#include "stores/files/store_lock.h"

#include <stdlib.h>

void store_journal_free_parts(struct store_journal *journal)
{
    for (size_t i = 0; i < journal->part_count; i++)
        free(journal->parts[i].record);
    free(journal->parts);
    journal->parts = NULL;
    journal->part_count = 0;
    journal->indexed_count = 0;
}

void store_journal_reset(struct store_journal *journal)
{
    journal->keys = (struct journal_keys){NULL, 0, 0};
    journal->parts = NULL;
    journal->part_count = 0;
    journal->indexed_count = 0;
    journal->index_at = 0;
    journal->index_count = 0;
    journal->has_tail = false;
    journal->checked = 0;
    journal->tail_is_old = false;
    journal->inode = 0;
    journal->end = 0;
}

void store_journal_lock(struct store_journal *journal)
{
    const enum fork_state state = fork_lock(&journal->lock);
    if (state == fork_same) return;
    /* The table may be half of one; the file is read again. */
    if (state == fork_torn) store_journal_reset(journal);
    /* store_lock.c has closed it; the parent drains. */
    journal->drain_fd = -1;
}

void store_journal_unlock(struct store_journal *journal)
{
    fork_unlock(&journal->lock);
}

void store_journal_init(struct store_journal *journal)
{
    (void)fork_mutex_init(&journal->lock); /* cannot fail on Linux */
    journal->max_bytes = JOURNAL_MAX_BYTES;
    journal->drain_fd = -1;
    journal->is_made = true;
}

void store_journal_fini(struct store_journal *journal)
{
    if (journal->is_made) {
        store_journal_lock(journal); /* a child forgets drain_fd here */
        store_journal_unlock(journal);
        store_unlock_file(journal->drain_fd);
        fork_mutex_fini(&journal->lock);
    }
    journal->is_made = false;
    journal_keys_fini(&journal->keys);
    store_journal_free_parts(journal);
}
