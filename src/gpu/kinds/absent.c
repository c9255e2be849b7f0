/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's calls for primitives that are not here, so that programs that name
 * them are linked and can be told. */
#include "dnnl_cache/onednn/absent.h"
#include "src/gpu/memory/memory_desc.h"
#include "src/gpu/primitive/refusal.h"

/* The answer is the same whatever is asked. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static dnnl_status_t answer(dnnl_primitive_kind_t kind,
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine)
{
    if (primitive_desc == NULL || engine == NULL)
        return refuse(kind, REFUSAL_NULL);
    return decline(kind, kind == dnnl_rnn ? LACK_RECURRENT : LACK_BACKWARD);
}

#define ABSENT(kind, name, ...)                               \
    dnnl_status_t name(dnnl_primitive_desc_t *primitive_desc, \
            dnnl_engine_t engine, __VA_ARGS__)                \
    {                                                         \
        return answer(kind, primitive_desc, engine);          \
    }
DNNL_CACHE_ABSENT_PRIMITIVES(ABSENT)
