/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_builds.h: which builds of drivers there are on this machine now.
 *
 * A build is what the IDs of its devices say of it: platform, version, its own
 * object, and a digest of all that makes its code. Devices are looked at in a
 * process of its own: a driver may crash or hang.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_DRIVER_BUILDS_H
#define DNNL_CACHE_TOOLS_JOBS_DRIVER_BUILDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver_build {
    uint64_t platform; /* hashes */
    uint64_t build; /* 0: there is the platform, and its build is not known */
};

struct driver_builds {
    struct driver_build *list; /* owned */
    size_t count;
};

/* The build that an ID names. False: it names none, or one for processes of
 * other bits than this one. */
bool driver_build_of(
        struct driver_build *build, size_t id_size, const uint8_t *id);

/* Looks at all devices of all platforms. False: that failed, or took too long.
 * Pair with driver_builds_fini(). */
bool driver_builds_find(struct driver_builds *builds, bool is_quiet);
void driver_builds_fini(struct driver_builds *builds);

/* Is it here, or may it be? */
bool driver_builds_have(
        const struct driver_builds *builds, const struct driver_build *build);

#endif /* DNNL_CACHE_TOOLS_JOBS_DRIVER_BUILDS_H */
