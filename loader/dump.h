/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h: what each layer computes, in files, to compare with another's. */
#ifndef DNNL_CACHE_LOADER_DUMP_H
#define DNNL_CACHE_LOADER_DUMP_H

#include "loader.h"

/* Runs the model once, and writes each tensor of its that a step writes to
 * FOLDER/STEP_TENSOR.pb, where the name has '_' for what is no letter, digit or
 * one of "-_."; the file itself has it as it is. Makes the folder if it is not
 * there. *is_written is false if that, and not the run, has failed. */
bool dump_layers(struct loader *loader, const char *folder, bool *is_written,
        struct failure *failure);

#endif /* DNNL_CACHE_LOADER_DUMP_H */
