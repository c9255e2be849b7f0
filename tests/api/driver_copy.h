/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of the fake driver in the test's folder with a name, plugins and data
 * files like PoCL's, so that all of them count:
 *     lib/libpocl_fake.so
 *     lib/pocl/libpocl-devices-a.so, -b.so     the second without a build-id
 *     share/pocl/large.bc, small.bc, empty.bc  3 MiB, 100 bytes, none
 *     share/pocl/link.bc                       leads nowhere
 *     share/pocl/include/x.h
 */
#ifndef DNNL_CACHE_TESTS_API_DRIVER_COPY_H
#define DNNL_CACHE_TESTS_API_DRIVER_COPY_H

#include <stddef.h>

enum { driver_copy_path_size = 600 };

/* Of that library file. */
void driver_copy_make(const char *driver);

/* OCL_ICD_VENDORS=FOLDER, for the copy alone; after driver_copy_make(). */
const char *driver_copy_vendors(void);

/* The path of a file of the copy. */
const char *driver_copy_path(
        char path[driver_copy_path_size], const char *name);

/* Puts a file there: these bytes, or a copy of another file with some text
 * behind it. */
void driver_copy_write(const char *name, const void *bytes, size_t size);
void driver_copy_add(const char *name, const char *from, const char *extra);

#endif /* DNNL_CACHE_TESTS_API_DRIVER_COPY_H */
