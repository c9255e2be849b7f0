/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_descriptors.h: an application that closes every descriptor that it does
 * not know, as one does that becomes a daemon, and opens files, folders and
 * sockets of its own. For a process of the test's own.
 */
#ifndef DNNL_CACHE_TESTS_OWN_DESCRIPTORS_H
#define DNNL_CACHE_TESTS_OWN_DESCRIPTORS_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>

/* Closes all from the first one that is no standard stream, and opens so many
 * of its own below the folder, which get the lowest numbers. False: it could
 * not, which is said on the standard error stream. */
bool own_descriptors_take(const char *folder, int count);

/* Is each what was opened, with nothing written to it, and are the folders as
 * they were made? What is not so is said there, too. */
bool own_descriptors_are_untouched(void);

/* The same while other threads are in calls, which may close what has just been
 * opened. */
bool own_descriptors_are_not_written_to(void);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_OWN_DESCRIPTORS_H */
