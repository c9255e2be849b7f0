/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/state_place.h"

#include "layer/settings/print.h"
#include "layer/settings/settings.h"

#include <errno.h>
#include <stdio.h>

int state_folder_open(void)
{
    const struct layer_settings *settings = layer_settings();
    char path[settings_path_size + 16];
    if (!settings->persistent || settings->directory[0] == '\0') return -1;
    (void)snprintf(path, sizeof path, "%s%s", settings->directory,
            state_folder_suffix(settings->store->is_file));
    const int folder = state_folder_open_path(path, true);
    if (folder < 0 && errno == EPERM)
        print_failure(
                "state", "%s: ignored: other users may write to it", path);
    else if (folder < 0 && errno == EACCES)
        print_failure("state",
                "%s: not used: it, or the folder that it is in, belongs to "
                "another user",
                path);
    return folder;
}
