/* SPDX-License-Identifier: Apache-2.0 */
/* The least that somebody else's program does for a persistent cache in the
 * directory of its argument. */
#include <dnnl_cache.h>
#include <dnnl_cache/persistent_cache.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    int capacity = -1;
    int enabled = -1;
    if (argc != 2) return 2;
    if (dnnl_cache_persistent_set_dir(argv[1]) != dnnl_success
            || dnnl_cache_persistent_set_capacity(16) != dnnl_success
            || dnnl_cache_persistent_get_capacity(&capacity) != dnnl_success
            || dnnl_cache_persistent_get_enabled(&enabled, dnnl_gpu)
                       != dnnl_success
            || capacity != 16 || enabled != 1) {
        (void)fprintf(stderr, "no persistent cache in %s\n", argv[1]);
        return 1;
    }
    return 0;
}
