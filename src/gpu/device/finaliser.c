/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/device/finaliser.h"

/* The first that accepts a device is its own. */
static const struct finaliser *const finalisers[] = {
        &finaliser_nvidia, &finaliser_pocl};

const struct finaliser *finaliser_of(cl_device_id device)
{
    for (size_t i = 0; i < sizeof finalisers / sizeof finalisers[0]; i++)
        if (finalisers[i]->accepts(device)) return finalisers[i];
    return NULL;
}
