/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes random OpenCL calls about programs:
 *
 *     walk_client PLATFORM SALT SEED FIRST COUNT [CALL | wWALK ...]
 *
 * takes the first platform whose name holds PLATFORM, makes the calls of COUNT
 * walks of the seed, but for those of the numbers behind and for the walks of
 * those with a "w", and prints what is answered, and "end" at the end. Sources
 * of another SALT are other programs. Ends with 77 where there is no such
 * platform. A walk that takes minutes ends the process.
 *
 * For tests of the test: in the walk of the number in WALK_CLIENT_DIES it dies
 * as drivers do, in that of WALK_CLIENT_DIFFERS each process prints something
 * else; where WALK_CLIENT_LAYERED is set, with the layer alone.
 */
#include "answers.h"
#include "play.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Whether the walk is that of a variable. */
static bool is_faulty(const char *variable, unsigned walk)
{
    const char *number = getenv(variable);
    return number != NULL && strtoul(number, NULL, 10) == walk
           && (getenv("WALK_CLIENT_LAYERED") == NULL
                   || getenv("OPENCL_LAYERS") != NULL);
}

static void play_number(struct world *world, uint64_t seed, unsigned number,
        const bool *is_left_out)
{
    enum { most_seconds = 600 }; /* with a sanitizer and other work, too */
    struct walk walk;
    walk_make(&walk, seed, number);
    (void)alarm(most_seconds);
    play(world, &walk, is_left_out);
    if (is_faulty("WALK_CLIENT_DIES", number)) (void)raise(SIGKILL);
    if (is_faulty("WALK_CLIENT_DIFFERS", number))
        answer("process %d", (int)getpid());
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
    bool *is_walk_left_out = calloc((size_t)count + 1, sizeof(bool));
    if (is_walk_left_out == NULL) return 2;
    for (int i = 6; i < argc; i++) {
        const bool is_walk = argv[i][0] == 'w';
        const unsigned long number = strtoul(argv[i] + is_walk, NULL, 10);
        if (is_walk && number - first < count)
            is_walk_left_out[number - first] = true;
        else if (!is_walk && number < most_calls)
            is_left_out[number] = true;
    }
    for (unsigned i = 0; i < count; i++)
        if (!is_walk_left_out[i])
            play_number(&world, seed, first + i, is_left_out);
    free(is_walk_left_out);
    world_close(&world);
    answers_begin("end");
    answer("of the walks");
    return 0;
}
