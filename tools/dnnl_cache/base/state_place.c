/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/state_place.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/common/state/state_folder.h"
#include "tools/dnnl_cache/base/place.h"

#include <dnnl_cache/store_types.h>

#include <stdio.h>
#include <stdlib.h>

bool state_place_find_own(char path[state_place_size])
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int n = -1;
    if (state != NULL && state[0] == '/')
        n = snprintf(path, state_place_size, "%s/dnnl_cache", state);
    else if (home != NULL && home[0] == '/')
        n = snprintf(
                path, state_place_size, "%s/.local/state/dnnl_cache", home);
    return n > 0 && n < state_place_size;
}

bool state_place_find(char path[state_place_size], const struct tool *tool)
{
    char place[place_path_size];
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type(tool->type);
    if (place_is_remote(tool->options)) return state_place_find_own(path);
    if (type == NULL || !place_path(place, tool->options)) return false;
    const int n = snprintf(path, state_place_size, "%s%s", place,
            state_folder_suffix(type->is_file));
    return n > 0 && n < state_place_size;
}

int state_place_open(const char *path, bool make)
{
    int folder = state_folder_open_path(path, false);
    if (folder < 0 && make) {
        size_t length;
        (void)folder_make_above(path, 0700, &length);
        folder = state_folder_open_path(path, true);
    }
    return folder < 0 ? file_none : folder;
}
