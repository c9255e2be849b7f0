/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_describe.h: how the library and the layer name the programs of a
 * record on a device. Loads drivers: for a process of its own (replay_names.h).
 */
#ifndef DNNL_CACHE_TOOLS_REPLAY_REPLAY_DESCRIBE_H
#define DNNL_CACHE_TOOLS_REPLAY_REPLAY_DESCRIBE_H

#include "src/includes/include_places.h"
#include "tools/dnnl_cache/jobs/refresh_objection.h"

#include <dnnl_cache.h>

struct replay_id {
    size_t size; /* 0: none */
    uint8_t *id;
};

struct replay_device {
    size_t count; /* of such devices; equal ones count once */
    cl_device_id id;
    dnnl_engine_t engine; /* NULL: none */
    bool is_pocl;
    struct include_driver driver; /* as the layer tells it */
    struct replay_id own;         /* of its engine */
    char name[384];               /* "PLATFORM: DEVICE (DRIVER)" */
};

/* Opens the device of that index among those with the text in the name of their
 * platform or their own, whatever its case (NULL: all). False: there are not so
 * many (count), or it cannot be opened. */
bool replay_device_open(
        struct replay_device *device, const char *text, size_t index);

struct replay_descriptions {
    struct replay_id *ids; /* of each item of the list; 0 but for builds */
};

/* Names every build to which there is no objection. folder: where headers are
 * written for that, and the working directory from then on. False: memory, or
 * the disk. The process ends before anything is freed. */
bool replay_describe_all(struct replay_descriptions *all,
        const struct replay_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy, const char *folder);

#endif /* DNNL_CACHE_TOOLS_REPLAY_REPLAY_DESCRIBE_H */
