/* SPDX-License-Identifier: Apache-2.0 */
/* identity_diff.h: in what two machines differ, for their entries. */
#ifndef DNNL_CACHE_TOOLS_VIEW_IDENTITY_DIFF_H
#define DNNL_CACHE_TOOLS_VIEW_IDENTITY_DIFF_H

#include "tools/common/text/json_tree.h"

#include <stdbool.h>
#include <stddef.h>

enum identity_place {
    identity_place_device,  /* a field of every ID of the device */
    identity_place_library, /* of engines and primitives only */
    identity_place_part,    /* a part of the driver that counts */
    identity_place_ignored  /* one that does not */
};

/* NULL for what one of them has not. Valid during the call that gets it. */
struct identity_difference {
    enum identity_place place;
    const char *name;
    const char *a;
    const char *b;
};

typedef void (*identity_visit)(
        void *user, const struct identity_difference *difference);

/* Calls visit for each difference of two devices, objects of the array
 * "devices" of two reports, each of which has the name and platform of the
 * other. False: out of memory; nothing more is told. */
bool identity_diff(const struct json_node *a, const struct json_node *b,
        identity_visit visit, void *user);

struct identity_device {
    const char *platform;
    const char *name;
    size_t number; /* in the report, from 0 */
    const struct json_node *node;
};

/* The devices of a report, which must outlive it. */
struct identity_devices {
    struct identity_device *sorted; /* by platform, name and number */
    size_t count;
};

/* False: out of memory; fini is needed even so. */
bool identity_devices_init(
        struct identity_devices *devices, const struct json_node *report);
void identity_devices_fini(struct identity_devices *devices);

/* The first device of the report that has the same platform and name as of;
 * NULL: none. */
const struct json_node *identity_devices_find(
        const struct identity_devices *devices, const struct json_node *of);

/* True if it is what "dnnl-cache identity --json" writes. */
bool identity_is_report(const struct json_node *report);

#endif /* DNNL_CACHE_TOOLS_VIEW_IDENTITY_DIFF_H */
