/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/finaliser.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The first that accepts a device is its own. */
static const struct finaliser *const finalisers[] = {
        &finaliser_nvidia, &finaliser_pocl};

static pthread_once_t setting_read = PTHREAD_ONCE_INIT;
static bool is_off;
static bool takes_large;

static void read_setting(void)
{
    const char *value = getenv("DNNL_CACHE_FINALISE");
    is_off = value != NULL && strcmp(value, "0") == 0;
    takes_large = value != NULL && strcmp(value, "large") == 0;
}

const struct finaliser *finaliser_of(cl_device_id device)
{
    pthread_once(&setting_read, read_setting);
    if (is_off) return NULL;
    for (size_t i = 0; i < sizeof finalisers / sizeof finalisers[0]; i++)
        if (finalisers[i]->accepts(device)) return finalisers[i];
    return NULL;
}

bool finaliser_takes_large(void)
{
    pthread_once(&setting_read, read_setting);
    return takes_large;
}
