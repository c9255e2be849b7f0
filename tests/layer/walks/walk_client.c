/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes random OpenCL calls about programs:
 *
 *     walk_client PLATFORM SALT SEED FIRST COUNT [CALL ...]
 *
 * takes the first platform whose name holds PLATFORM, makes the calls of COUNT
 * walks of the seed, but for those of the numbers behind, and prints what is
 * answered. Sources of another SALT are other programs. Ends with 77 where
 * there is no such platform.
 */
#include "play.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loading must be faster than compiling, or the layer stands aside: the layer
 * of this process, if it has one, is told that compiling takes an hour. */
static void say_that_compiling_is_slow(void)
{
    static const uint64_t hour = UINT64_C(3600000000000);
    void (*set)(uint64_t ns) = NULL;
    const char *path = getenv("OPENCL_LAYERS");
    void *layer = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (layer == NULL) return;
    *(void **)&set = dlsym(layer, "dnnl_cache_layer_set_compile_ns");
    if (set != NULL) set(hour);
    (void)dlclose(layer);
}

int main(int argc, char **argv)
{
    static struct world world;
    bool is_left_out[most_calls] = {false};
    if (argc < 6) return 2;
    if (!world_open(&world, argv[1])) return 77;
    say_that_compiling_is_slow();
    world.salt = argv[2];
    const uint64_t seed = strtoull(argv[3], NULL, 0);
    const unsigned first = (unsigned)strtoul(argv[4], NULL, 10);
    const unsigned count = (unsigned)strtoul(argv[5], NULL, 10);
    for (int i = 6; i < argc; i++) {
        const unsigned long call = strtoul(argv[i], NULL, 10);
        if (call < most_calls) is_left_out[call] = true;
    }
    for (unsigned i = first; i < first + count; i++) {
        struct walk walk;
        walk_make(&walk, seed, i);
        play(&world, &walk, is_left_out);
    }
    world_close(&world);
    return 0;
}
