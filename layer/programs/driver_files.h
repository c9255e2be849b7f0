/* SPDX-License-Identifier: Apache-2.0 */
/* driver_files.h: which files a driver is made of, kept beside the store for
 * "dnnl-cache why" (tools/common/state/driver_names.h). */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_DRIVER_FILES_H
#define DNNL_CACHE_LAYER_PROGRAMS_DRIVER_FILES_H

#include "layer/programs/build.h"

/* Of a build that was compiled under its IDs: writes what the store's folder
 * does not have, once a process for each driver; of one for which that fails a
 * process tries it three times. A hit calls nothing of this. */
void driver_files_note(const struct build *build);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_DRIVER_FILES_H */
