/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/admission.h"

#include "src/platform/library.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/configuration.h"
#include "tools/run/command_file.h"

#include <stdio.h>

/* Without links: so /proc/self/exe names it. */
static bool find(char path[path_size], const char *command)
{
    char found[path_size];
    return command_file_find(found, command) && path_resolve(path, found);
}

static const char *get_list(
        const struct configuration *files, const char *name, const char **from)
{
    const char *value = configuration_find(files, name, from);
    if (*from == NULL) *from = "the environment";
    return value;
}

bool admission_check(const char *command, char why[], size_t why_capacity)
{
    /* The layer reports what is wrong with them in the command. */
    const struct configuration_reader reader = {NULL, NULL, NULL};
    struct configuration *files = configuration_read(&reader);
    char path[path_size];
    const char *allow_from;
    const char *deny_from;
    const char *allow = get_list(files, APPLICATIONS_ALLOW, &allow_from);
    const char *deny = get_list(files, APPLICATIONS_DENY, &deny_from);
    const bool good = (allow == NULL && deny == NULL) || !find(path, command)
                      || command_file_is_script(path)
                      || applications_admit(allow, deny, path);
    if (!good && applications_name(deny, path))
        (void)snprintf(why, why_capacity, APPLICATIONS_DENY " of %s names %s",
                deny_from, path);
    else if (!good)
        (void)snprintf(why, why_capacity,
                APPLICATIONS_ALLOW " of %s does not name %s", allow_from, path);
    configuration_free(files);
    return good;
}
