/* SPDX-License-Identifier: Apache-2.0 */
/* A database that is in a copy of the store, too, is replaced by one that is
 * not. Writers that waited meanwhile, or had it open, are told by SQLite that
 * the file was moved, and open the new one. */
#include "stores/pack/pack_connection.h"

#include <errno.h>

int pack_detach(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, uint64_t deadline_ns)
{
    struct pack_connection c = {.deadline_ns = deadline_ns};
    int error = pack_file_prepare(file, store, false, &c.identity);
    /* In an empty one even a transaction that changes nothing writes to the
     * journal, which may have the second name; and there is nothing to copy. */
    if (error == 0 && pack_file_size(file) == 0)
        return pack_file_leave(file, &c.identity);
    if (error == 0) error = pack_open_database(&c, file, true);
    if (error == 0) error = pack_run_plain(&c, pack_begin_alone);
    if (error == 0) {
        if (pack_file_is(file, &c.identity))
            error = pack_file_detach(file, store);
        (void)pack_end(&c, ECANCELED); /* nothing was changed */
    }
    pack_close_database(&c);
    return error;
}
