/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_place.h"

#include "stores/core/store_internal.h"

#include <errno.h>

int store_place_find(struct store_place *place,
        const dnnl_cache_store_handle_t *store, enum store_beside file)
{
    place->leave = NULL;
    place->owner = NULL;
    return store->calls->find_place != NULL
                   ? store->calls->find_place(place, store, file)
                   : ENOTSUP;
}

void store_place_leave(const struct store_place *place)
{
    if (place->leave != NULL)
        place->leave(place->owner);
    else
        (void)file_close(place->folder_fd);
}
