/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/answer_time.h"

#include <stdatomic.h>

/* On average: drivers that compile for a query take that long for each
 * kernel. */
static atomic_uint_least64_t asked_ns;
static atomic_uint_least64_t asked_kernels;
static atomic_uint_least64_t asked_compile_ns; /* of what was asked for */

void answer_time_add(uint64_t ns, size_t kernel_count, uint64_t compile_ns)
{
    atomic_fetch_add(&asked_compile_ns, compile_ns);
    atomic_fetch_add(&asked_ns, ns);
    atomic_fetch_add(&asked_kernels, kernel_count > 0 ? kernel_count : 1);
}

uint64_t answer_time_predict_ns(size_t kernel_count)
{
    const uint64_t kernels = atomic_load(&asked_kernels);
    return kernels > 0 ? atomic_load(&asked_ns) / kernels * kernel_count : 0;
}

bool answer_time_is_long(void)
{
    enum { share = 10 };
    /* Less is no burden, however slow a busy machine makes the driver seem. */
    static const uint64_t least_ns = 500000000;
    const uint64_t ns = atomic_load(&asked_ns);
    return ns > least_ns && ns > atomic_load(&asked_compile_ns) / share;
}
