/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: which machine this is, as far as its files go. Any thread. */
#ifndef DNNL_CACHE_SRC_PLATFORM_MACHINE_H
#define DNNL_CACHE_SRC_PLATFORM_MACHINE_H

#include <stdbool.h>

/* A text that is the same for processes that see the same files, drivers among
 * them, at every boot: of the machine's ID, or its name if it has none, of
 * what it was booted from, and of the mount namespace. A container has another
 * one than its host, and so has a machine that boots another system or another
 * image of it. False: the system does not tell. */
enum { machine_view_size = 2048 };
bool machine_view(char text[machine_view_size]);

#endif /* DNNL_CACHE_SRC_PLATFORM_MACHINE_H */
