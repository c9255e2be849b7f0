/* SPDX-License-Identifier: Apache-2.0 */
/* What asking for a program's binary costs, by the name of the platform. */
#ifndef DNNL_CACHE_DRIVERS_DRIVER_BINARIES_H
#define DNNL_CACHE_DRIVERS_DRIVER_BINARIES_H

#include <stdbool.h>

#define POCL_PLATFORM_NAME "Portable Computing Language"

/* What NVIDIA's finaliser is called, before its version; and the bytes of PTX
 * that it assembles in the process of an application, at most. The assembler
 * cannot be interrupted: such a text takes it a few seconds. */
#define DRIVER_PTX_FINALISER "nvidia-ptx "
enum { driver_most_ptx = 512 << 10 };

/* What PoCL's finaliser is called, before its version. */
#define DRIVER_POCL_FINALISER "pocl-machine-code "

enum driver_binaries {
    driver_binaries_unknown,
    driver_binaries_at_hand, /* complete without compiling anything */
    driver_binaries_compiled /* the query compiles every kernel once more */
};

enum driver_binaries driver_binaries_of(const char *platform_name);

/* Does the driver compile a kernel again at the first launch of each class
 * (launch_class.h), and has a binary some of them? */
bool driver_has_launch_classes(const char *platform_name);

#endif /* DNNL_CACHE_DRIVERS_DRIVER_BINARIES_H */
