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

struct refresh_classes {
    char *list;   /* owned; "" for none */
    char *before; /* the variable's value; owned; NULL: it was not set */
};

/* Sets the variable to the classes of all launches of that ID in the list, if
 * there are any. program is built; it tells what the driver would choose for
 * launches without a local size. False: out of memory. Either way
 * refresh_classes_end() follows. */
bool refresh_classes_begin(struct refresh_classes *classes,
        const struct refresh_device *device, cl_program program,
        const struct dnnl_cache_store_journal_list *list, size_t id_size,
        const uint8_t *id);

/* Sets the variable as it was. */
void refresh_classes_end(struct refresh_classes *classes);

#endif /* DNNL_CACHE_TOOL_REFRESH_CLASSES_H */
