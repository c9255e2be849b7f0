/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/log_once.h"

#include "src/common/hash.h"
#include "src/common/log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { most_texts = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static uint64_t told[most_texts];                        /* guarded by lock */
static size_t count;                                     /* guarded by lock */

static bool is_first(uint64_t text)
{
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < count && told[i] != text)
        i++;
    const bool is_new = i == count && count < most_texts;
    if (is_new) told[count++] = text;
    pthread_mutex_unlock(&lock);
    return is_new;
}

void log_warning_once(const char *component, const char *what, const char *why)
{
    const struct hash_part parts[] = {{what, strlen(what)}, {why, strlen(why)}};
    const struct digest128 digest = hash128_parts(parts, 2);
    uint64_t text;
    memcpy(&text, digest.bytes, sizeof text);
    log_message(is_first(text) ? dnnl_cache_log_warning : dnnl_cache_log_info,
            component, "%s: %s", what, why);
}
