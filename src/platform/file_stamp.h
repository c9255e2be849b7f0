/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_stamp.h: whether what the system says of a file shows that it was
 * changed. Any thread.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_FILE_STAMP_H
#define DNNL_CACHE_SRC_PLATFORM_FILE_STAMP_H

#include "src/platform/file.h"

#include <stdbool.h>
#include <stdint.h>

/* Has an open file, with that path from the root on, a number that no other
 * gets while the system runs, and a change time that shows each change? *mount:
 * 0, or the number of the mount in which alone that is so. *system: what the
 * call told (file_system_type()) of an open file with the same device, which is
 * not asked for again; 0 before. Of a file that is not open (file_none) this is
 * said without opening it, if the system is known. */
bool file_stamp_is_reliable(uint64_t *mount, uint64_t *system, int fd,
        const struct file_facts *facts, const char *path);

/* The clock that changes get their time from, which moves in ticks. */
uint64_t file_stamp_clock_ns(void);

/* What tells this run of the system from all others; "" if nothing does. */
enum { file_stamp_boot_size = 36 + 1 };
const char *file_stamp_boot(void);

#endif /* DNNL_CACHE_SRC_PLATFORM_FILE_STAMP_H */
