/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/messages.h"

#include <errno.h> /* program_invocation_short_name */
#include <stdio.h>

void message_warn(const char *path, const char *what)
{
    fprintf(stderr, "%s: warning: %s %s\n", program_invocation_short_name, path,
            what);
}

void message_log(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info)
        fprintf(stderr, "%s: warning: %s\n", program_invocation_short_name,
                text);
}
