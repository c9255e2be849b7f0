/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the calls of a walk, and prints what is answered. */
#ifndef DNNL_CACHE_TESTS_LAYER_WALKS_PLAY_H
#define DNNL_CACHE_TESTS_LAYER_WALKS_PLAY_H

#include "world.h"

/* A program or kernel that the walk has. */
struct held {
    unsigned references; /* of the walk's; 0: nothing */
    char name[16];
    char seen[8192]; /* what it said when it was looked at last */
    cl_program program;
    cl_kernel kernel;
    bool is_linked;
    bool is_loaded;
    bool is_built; /* or it was tried */
};

struct player {
    struct world *world;
    struct place *place;
    struct held programs[walk_programs];
    struct held kernels[walk_kernels];
};

/* Makes the calls of the walk that are in the list (NULL: all), and releases
 * what is left. Every line has the walk's number in front. */
void play(
        struct world *world, const struct walk *walk, const bool *is_left_out);

/* look.c: prints of each program and kernel what has changed since the last
 * time; and everything of one program and of the kernels. */
void look_at_all(struct player *player);
void examine(struct player *player, struct held *program);

/* sources.c: the text of a source, with the world's salt in front. */
const char *source_text(const struct world *world, enum walk_source source);

#endif /* DNNL_CACHE_TESTS_LAYER_WALKS_PLAY_H */
