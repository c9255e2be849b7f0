/* SPDX-License-Identifier: Apache-2.0 */
/* What a program was built to before the application asks for the next build.
 */
#ifndef DNNL_CACHE_LAYER_EARLIER_H
#define DNNL_CACHE_LAYER_EARLIER_H

#include "objects.h"

/* Takes the program's build away; who calls releases it. */
struct build *earlier_take(struct layer_program *program);

/* Makes a build the program's, with the caller's reference. NULL: none. */
void earlier_replace(struct layer_program *program, struct build *build);

enum earlier {
    earlier_none,
    earlier_shadow,
    earlier_driver, /* kernels that we do not know of may be attached */
    earlier_in_use, /* kernels are attached to the shadow */
    earlier_partly  /* for devices that the next one is not for, too */
};

enum earlier earlier_look(struct layer_program *program, struct build *next);

/* Takes the build away, and has the driver do what the shadow stood for. */
cl_int earlier_build_from_source(struct layer_program *program);

#endif /* DNNL_CACHE_LAYER_EARLIER_H */
