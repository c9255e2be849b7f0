/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/reference/onednn.md says that this release rejects, with a call for
 * each. */
#ifndef DNNL_CACHE_TESTS_API_REFUSALS_H
#define DNNL_CACHE_TESTS_API_REFUSALS_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct refusal_engines {
    dnnl_engine_t gpu;
    dnnl_engine_t cpu;
};

/* A case of gpu/engine/lacks.h. The call answers dnnl_unimplemented for it, or
 * the status that `what` names, and the verbose line ends with reason. */
struct refusal {
    const char *where;
    const char *what;
    const char *reason;
    dnnl_status_t (*ask)(const struct refusal_engines *engines);
};

extern const int refusal_count;
struct refusal refusal_at(int i);

/* Does a verbose line end with the words of a lack? */
bool refusal_is_listed(const char *line);

#endif /* DNNL_CACHE_TESTS_API_REFUSALS_H */
