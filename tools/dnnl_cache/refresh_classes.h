/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_classes.h: launches for which a driver is to compile, though nothing
 * is launched.
 *
 * PoCL compiles a kernel once more for each class of launches (launch_class.h).
 * With POCL_BINARY_SPECIALIZE_WG set it compiles for these classes when it is
 * asked for the binary. The variable is a part of IDs: so it is set only for
 * that query, when the ID is known.
 */
#ifndef DNNL_CACHE_TOOL_REFRESH_CLASSES_H
#define DNNL_CACHE_TOOL_REFRESH_CLASSES_H

#include "refresh_device.h"

#include <dnnl_cache/journal.h>

/* Has the driver compile a built program for all launches of that ID in the
 * list, and make its binary: what it makes at the first query is what it
 * returns from then on. False: the driver failed, or memory ran out. */
bool refresh_classes_compile(const struct refresh_device *device,
        cl_program program, const struct dnnl_cache_store_journal_list *list,
        size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_TOOL_REFRESH_CLASSES_H */
