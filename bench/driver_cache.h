/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of NVIDIA's driver, which holds what creating a context needs. To
 * switch it off would make contexts, and the first program of a process, slower
 * than they are for users. So a process creates a context and nothing else, and
 * each measured process gets a copy of what that left: no program is in it.
 * Other drivers' caches are switched off, and these folders stay empty.
 */
#ifndef BENCH_DRIVER_CACHE_H
#define BENCH_DRIVER_CACHE_H

#include <stdbool.h>

/* Makes the folder, by a process of this executable on the first device of the
 * platform (NULL: any). It is fine if the folder is there already. */
bool driver_cache_prime(const char *folder, const char *platform);

/* Copies a primed folder to a new one. */
bool driver_cache_copy(const char *to, const char *from);

/* Has this process, which has not used OpenCL yet, use the folder. */
bool driver_cache_use(const char *folder);

/* That process's main(), for what process_arguments() gave; false: it is
 * another one. */
bool driver_cache_is_child(char **argv);
int driver_cache_main(char **argv);

#endif /* BENCH_DRIVER_CACHE_H */
