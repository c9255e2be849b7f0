/* SPDX-License-Identifier: Apache-2.0 */
#include "include_helpers.h"

bool follow_sources(struct includes *out, size_t count,
        const char *const *sources, const size_t *lengths, const char *options)
{
    return includes_follow(out, NULL, NULL, count, sources, lengths, options);
}
