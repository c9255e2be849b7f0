/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/lead.h"

#include "layer/driver/quirks.h"
#include "layer/storage/storage.h"

bool lead_or_wait(struct build_call *call)
{
    struct build *build = call->build;
    const struct built_device *d = &build->devices[0];
    bool leads = false;
    if (call->reason != layer_reason_missing || build->count != 1
            || !quirk_answers_at_once(d->device))
        return false;
    const bool is_there = storage_wait_or_lead(d->id_size, d->id, &leads);
    atomic_store(&build->leads, leads);
    return is_there;
}

void lead_end(struct build *build)
{
    const struct built_device *d = &build->devices[0];
    if (atomic_exchange(&build->leads, false))
        storage_stop_leading(d->id_size, d->id);
}
