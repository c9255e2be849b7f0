/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_code.h: is the machine code of an entry what the driver makes now?
 *
 * The comparison of dnnl-cache prove (tools/common/proof), made in the
 * application: by bytes where the driver makes the same bytes each time; on
 * PoCL kernels, arguments, intermediate code and the machine code that both
 * have, which is that for all launches. Nothing is launched here, so machine
 * code for the launches of the application is not made again.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_VERIFY_CODE_H
#define DNNL_CACHE_LAYER_COMPILE_VERIFY_CODE_H

#include "layer/programs/objects.h"
#include "tools/common/proof/proof.h"

/* Compares the entry that was loaded for a device with `made`, the same build
 * compiled again, which is asked for its binary. What seems to differ is
 * compiled once more: of a driver that does not compile the same twice nothing
 * can be said. */
void verify_code(struct proof *proof, struct layer_program *program,
        const struct build *loaded, struct build *made, size_t device);

#endif /* DNNL_CACHE_LAYER_COMPILE_VERIFY_CODE_H */
