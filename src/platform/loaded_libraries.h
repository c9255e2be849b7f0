/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_libraries.h: the libraries of this process as they are in memory,
 * whatever their files hold by now. Any thread.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_LOADED_LIBRARIES_H
#define DNNL_CACHE_SRC_PLATFORM_LOADED_LIBRARIES_H

#include "src/platform/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { library_build_id_most = 64 };

struct library_facts {
    const char
            *path; /* as it was loaded, for the visit alone: may be relative */
    const char *name;  /* its own; NULL: it has none */
    uintptr_t base;    /* where it is */
    const void *table; /* of what it links; NULL: it has none */
    uint8_t build_id[library_build_id_most]; /* what its linker gave it */
    size_t build_id_size;                    /* 0: none */
};

/* Calls visit with each but the program itself until it returns false, which is
 * returned. Nothing is loaded meanwhile. */
bool libraries_each(
        bool (*visit)(void *user, const struct library_facts *library),
        void *user);

/* The name of the next library that it links; *at begins as 0. NULL: that was
 * the last. */
const char *library_next_linked(
        const struct library_facts *library, size_t *at);

/* The base of the library that has the address; 0: none has. */
uintptr_t library_base_of(const void *address);

/* Opens the file that it was loaded from, wherever it is now: the name may have
 * another file by now. path receives where it is, from the root on. 0 or an
 * errno value: ESTALE if the file is no more, others if the system does not say
 * which it is or it cannot be opened. */
int library_open_file(
        int *fd, char path[path_size], const struct library_facts *library);

/* The build-id in the notes of a library's file, or in its first so many bytes;
 * its size, 0 if there is none. */
size_t library_build_id_of_notes(
        const uint8_t *notes, size_t size, uint8_t id[library_build_id_most]);
size_t library_build_id_of_file(
        const uint8_t *file, size_t size, uint8_t id[library_build_id_most]);

#endif /* DNNL_CACHE_SRC_PLATFORM_LOADED_LIBRARIES_H */
