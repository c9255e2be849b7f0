/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a program of the binaries in the storage: a hit. */
#ifndef DNNL_CACHE_LAYER_COMPILE_LOAD_H
#define DNNL_CACHE_LAYER_COMPILE_LOAD_H

#include "layer/programs/build_call.h"

/* True if, on one of the build's devices, the driver compiles faster than it
 * loads. Asked once for each call. */
bool load_driver_is_faster(const struct build *build);

/* Looks every device of an identified build up and, if all are there, makes the
 * build's substitute of the binaries. False: compile; the call has the reason,
 * and useless entries are removed. Devices that were found have is_kept set,
 * and their facts. */
bool load(struct build_call *call);

/* The driver's part of a late load: of a build of lazy.h, whose devices have
 * their bytes. True: it has its substitute. False: compile, unless it is to be
 * tried again; the call has the reason, and with removes useless entries are
 * removed. With the program's load_lock. */
bool load_late(struct build_call *call, bool removes);

/* After false: what is compiled instead would not be loaded either, so it is
 * not to be kept. */
bool load_is_given_up(const struct build_call *call);

/* Counts and traces a hit. */
void load_count_hit(const struct build_call *call);

#endif /* DNNL_CACHE_LAYER_COMPILE_LOAD_H */
