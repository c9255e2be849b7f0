/* SPDX-License-Identifier: Apache-2.0 */
/* state_place.h: the state folder of the store that the settings name. */
#ifndef DNNL_CACHE_LAYER_SETTINGS_STATE_PLACE_H
#define DNNL_CACHE_LAYER_SETTINGS_STATE_PLACE_H

#include "tools/common/state/state_folder.h"

/* Opens the folder, and creates it if it is missing. A descriptor that the
 * caller closes; -1: there is none. */
int state_folder_open(void);

#endif /* DNNL_CACHE_LAYER_SETTINGS_STATE_PLACE_H */
