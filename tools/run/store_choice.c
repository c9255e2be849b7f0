/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/store_choice.h"

#include "tools/common/state/store_setting.h"

#include <stdio.h>

const char *store_choice_check(char why[], size_t why_capacity)
{
    /* The layer reports what is wrong with the files in the command. */
    const struct configuration_reader reader = {NULL, NULL, NULL};
    struct configuration *files = configuration_read(&reader);
    struct store_setting setting;
    store_setting_find(&setting, files);
    configuration_free(files);
    if (setting.complaint[0] == '\0') return NULL;
    (void)snprintf(why, why_capacity, "%s", setting.complaint);
    return setting.type;
}
