/* SPDX-License-Identifier: Apache-2.0 */
/*
 * present.h: the entry of a job that is in the store already: what it lacks,
 * and what of it the worker need not compile again.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_PRESENT_H
#define DNNL_CACHE_TOOLS_REFRESH_PRESENT_H

#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/refresh/refresh_pool.h"

/* Borrowed from the store. */
struct present {
    size_t size;
    const uint8_t *blob;
};

/* False: there is none, or it is damaged as the store sees it. Its damage is
 * not told again where the application, which met the entry first, has told
 * it. */
bool present_get(struct present *present, struct tool *tool,
        const dnnl_cache_note_t *note);
void present_release(const struct present *present, struct tool *tool);

/* What a worker can add to an entry. */
enum present_lack {
    present_lacks_nothing, /* or there is none */
    present_lacks_form,    /* NVIDIA's, which only a worker makes */
    /* PoCL's, of a program that was kept as it was compiled: machine code alone
     * needs the functions for all launches. */
    present_lacks_all_launches,
    /* PoCL's, whose binary is asked for: it stays as it is. */
    present_is_for_queries
};
enum present_lack present_find_lack(
        struct tool *tool, const struct refresh_job *job);

/* Of a job that makes the form of an entry: keeps in the job which entry that
 * is, adds the launches that it has to the notes, and puts its machine code
 * where the worker finds it (REFRESH_MADE), unless others may write to the
 * store. False: the folder cannot be written, or memory ran out. An entry that
 * is gone is no failure. */
bool present_pass(struct tool *tool, struct refresh_job *job,
        const struct refresh_slot *slot, dnnl_cache_store_handle_t *notes);

/* Is it still that one? *is_there: another one is. */
bool present_is_same(
        bool *is_there, struct tool *tool, const struct refresh_job *job);

#endif /* DNNL_CACHE_TOOLS_REFRESH_PRESENT_H */
