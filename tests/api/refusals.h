/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/ONEDNN.md says that this release rejects, with a call for each. */
#ifndef DNNL_CACHE_TESTS_API_REFUSALS_H
#define DNNL_CACHE_TESTS_API_REFUSALS_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct refusal_engines {
    dnnl_engine_t gpu;
    dnnl_engine_t cpu;
};

/* Item `what` of the table's row `where`. The call answers dnnl_unimplemented
 * for it, or the status that `what` names, and the verbose line of the refusal
 * ends with reason; NULL: it is no primitive descriptor that is refused. */
struct refusal {
    const char *where;
    const char *what;
    const char *reason;
    dnnl_status_t (*ask)(const struct refusal_engines *engines);
};

extern const struct refusal refusals[];
extern const int refusal_count;

/* Does a verbose line end with a reason that an item of the table has? */
bool refusal_is_listed(const char *line);

#endif /* DNNL_CACHE_TESTS_API_REFUSALS_H */
