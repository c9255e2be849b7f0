/* SPDX-License-Identifier: Apache-2.0 */
/* first_launch.h: drivers load code when it is launched first; a start that is
 * to be ready launches it. */
#ifndef DNNL_CACHE_MODEL_RUN_FIRST_LAUNCH_H
#define DNNL_CACHE_MODEL_RUN_FIRST_LAUNCH_H

#include "model/plan/plan.h"

/* Chooses the steps to launch: of those that may be one program, the one with
 * least to do, but no long ones. Writes their numbers to chosen, which has room
 * for all, and returns how many. A choice too many costs its time, one too few
 * makes the first run a little longer. */
int first_launch_choose(const struct plan *plan, int *chosen);

#endif /* DNNL_CACHE_MODEL_RUN_FIRST_LAUNCH_H */
