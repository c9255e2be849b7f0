/* SPDX-License-Identifier: Apache-2.0 */
/* A rebuilt program: a second program of the driver's, made of what the
 * application's is made of, for a build that must leave the first as it is. */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_REBUILT_H
#define DNNL_CACHE_LAYER_PROGRAMS_REBUILT_H

#include "layer/programs/objects.h"

/* The caller owns it. NULL: the driver or memory failed, or it is not known
 * what the program is made of. */
cl_program rebuilt_create(struct layer_program *program);

/* Gives one that was made before the constants that the program has now. False:
 * as above. */
bool rebuilt_set_constants(struct layer_program *program, cl_program rebuilt);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_REBUILT_H */
