/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/lease.h"

#include "layer/driver/quirks.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"

bool lease_or_wait(struct build_call *call)
{
    struct build *build = call->build;
    const struct built_device *d = &build->devices[0];
    bool holds_lease = false;
    if (layer_settings()->mode == settings_mode_cached_only) return false;
    if (call->reason != layer_reason_missing || build->count != 1
            || !quirk_answers_at_once(d->device))
        return false;
    const bool is_there =
            storage_acquire_lease(d->id_size, d->id, &holds_lease);
    atomic_store(&build->holds_lease, holds_lease);
    return is_there;
}

void lease_end(struct build *build)
{
    const struct built_device *d = &build->devices[0];
    if (atomic_exchange(&build->holds_lease, false))
        storage_release_lease(d->id_size, d->id);
}
