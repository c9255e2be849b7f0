/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/chain/chain_internal.h"

#include "stores/files/store_size.h"

static uint64_t now_ns(const struct chain *chain)
{
    return chain->options.now_ns(chain->options.clock_user);
}

/* May the member be asked? One that was skipped for long enough is tried by
 * whoever comes first, while the others still pass it by. */
static bool may_call(struct chain *chain, struct link *link, uint64_t now)
{
    (void)fork_lock(&chain->lock);
    const bool may = link->skip_until_ns == 0 || now >= link->skip_until_ns;
    if (may && link->skip_until_ns != 0)
        link->skip_until_ns =
                store_size_add(now, chain->options.retry_after_ns);
    fork_unlock(&chain->lock);
    return may;
}

bool chain_begin(struct call *call, struct chain *chain, size_t member)
{
    struct link *link = &chain->links[member];
    if (link->is_absent) return false;
    const uint64_t now = now_ns(chain);
    if (!may_call(chain, link, now)) {
        store_count(&link->skipped);
        return false;
    }
    *call = (struct call){chain, link, now};
    return true;
}

void chain_begin_always(struct call *call, struct chain *chain, size_t member)
{
    *call = (struct call){chain, &chain->links[member], now_ns(chain)};
}

/* True if this failure makes the member one that is skipped. */
static bool note_failure(struct chain *chain, struct link *link, uint64_t now)
{
    (void)fork_lock(&chain->lock);
    const bool was_skipped = link->skip_until_ns != 0;
    if (link->failures_in_a_row < chain->options.failures_to_skip)
        link->failures_in_a_row++;
    const bool skip =
            link->failures_in_a_row == chain->options.failures_to_skip;
    if (skip)
        link->skip_until_ns =
                store_size_add(now, chain->options.retry_after_ns);
    fork_unlock(&chain->lock);
    return skip && !was_skipped;
}

/* True if the member had been skipped. */
static bool note_success(struct chain *chain, struct link *link)
{
    (void)fork_lock(&chain->lock);
    const bool was_skipped = link->skip_until_ns != 0;
    link->failures_in_a_row = 0;
    link->skip_until_ns = 0;
    fork_unlock(&chain->lock);
    return was_skipped;
}

dnnl_status_t chain_end(
        struct call *call, dnnl_status_t status, bool may_miss, bool *failed)
{
    struct chain *chain = call->chain;
    struct link *link = call->link;
    const uint64_t now = now_ns(chain);
    const bool slow = now - call->began_ns > chain->options.slow_ns;
    if (status == dnnl_cache_miss && !may_miss) status = dnnl_runtime_error;
    const bool good = status == dnnl_success || status == dnnl_cache_miss;
    *failed = !good && status != dnnl_out_of_memory;
    if (slow) store_count(&link->slow);
    if (slow || *failed) {
        store_count(&link->failures);
        if (note_failure(chain, link, now))
            store_log(&chain->base, dnnl_cache_log_warning,
                    "chain: %s fails (%s): not asked for a while", link->name,
                    *failed ? "an error" : "too slow");
    } else if (good && note_success(chain, link)) {
        store_log(&chain->base, dnnl_cache_log_info, "chain: %s is back",
                link->name);
    }
    return status;
}

bool chain_is_skipped(struct chain *chain, size_t member)
{
    (void)fork_lock(&chain->lock);
    const bool skipped = chain->links[member].skip_until_ns != 0;
    fork_unlock(&chain->lock);
    return skipped;
}
