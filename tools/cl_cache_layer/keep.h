/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the driver for the binaries of a program that it compiled, and keeps
 * them. harvest.h knows when. */
#ifndef DNNL_CACHE_LAYER_KEEP_H
#define DNNL_CACHE_LAYER_KEEP_H

#include "objects.h"

/* Keeps what the program's build is to have kept, if that was not done yet. May
 * take as long as compiling; the program may be used meanwhile, but who would
 * build it anew waits. */
void keep_program(struct layer_program *program);

/* Waits for the program's harvest, if one is under way, and sees to it that
 * none of its present build begins any more: it is about to be built or
 * compiled anew. True: one was expected. */
bool keep_prevent(struct layer_program *program);

#endif /* DNNL_CACHE_LAYER_KEEP_H */
