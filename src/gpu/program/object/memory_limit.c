/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/memory_limit.h"

#include "dnnl_cache.h"
#include "src/common/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static bool is_off_by_default;      /* set once */
static atomic_uint_least64_t limit; /* of each context; see the setter */

/* Variables that were set to what is no number, to be told of once. */
static _Atomic(const char *) misspelt[2];

/* Digits only, and no more than there can be bytes. */
static bool read_number(
        const char *name, _Atomic(const char *) *wrong, uint64_t *out)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (strspn(text, "0123456789") != strlen(text) || errno != 0) {
        atomic_store(wrong, name);
        return false;
    }
    *out = value;
    return true;
}

void memory_limit_complain(void)
{
    for (size_t i = 0; i < sizeof misspelt / sizeof misspelt[0]; i++) {
        const char *name = atomic_exchange(&misspelt[i], NULL);
        if (name != NULL)
            log_message(dnnl_cache_log_error, "memory",
                    "the environment variable %s is no number: ignored", name);
    }
}

static void read_environment(void)
{
    uint64_t value;
    uint64_t bytes = DNNL_CACHE_NO_LIMIT;
    /* As in SYCL, 0 is no limit here; in our own call it keeps nothing. */
    if (read_number(
                "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD", &misspelt[0], &value)
            && value > 0)
        bytes = value;
    if (read_number("DNNL_CACHE_IN_MEM", &misspelt[1], &value) && value == 0) {
        is_off_by_default = true;
        bytes = 0;
    }
    atomic_store(&limit, bytes);
}

uint64_t memory_limit(void)
{
    pthread_once(&environment_once, read_environment);
    return atomic_load_explicit(&limit, memory_order_relaxed);
}

bool memory_is_limited(void)
{
    return memory_limit() != DNNL_CACHE_NO_LIMIT;
}

bool memory_is_off_by_default(void)
{
    pthread_once(&environment_once, read_environment);
    return is_off_by_default;
}

uint64_t memory_limit_set(uint64_t bytes)
{
    (void)memory_limit(); /* what the environment says counts no more */
    return atomic_exchange(&limit, bytes);
}

dnnl_status_t dnnl_cache_get_program_cache_limit(uint64_t *bytes)
{
    if (bytes == NULL) return dnnl_invalid_arguments;
    *bytes = memory_limit();
    return dnnl_success;
}
