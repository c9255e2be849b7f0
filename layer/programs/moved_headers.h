/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moved_headers.h: what is in the folders of a program that moves, for a record
 * that is replayed where these folders are not. A header is named by the number
 * of its folder in the ID: "<folder 1>/sub/a.h"; "<folder 1>/." says that the
 * folder is there.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_MOVED_HEADERS_H
#define DNNL_CACHE_LAYER_PROGRAMS_MOVED_HEADERS_H

#include "layer/programs/build.h"

#include <dnnl_cache.h>

struct moved_headers {
    size_t count;
    dnnl_cache_note_header_t *list; /* names and texts are owned */
};

/* Reads the files that the build has (build.h, files). None if it does not
 * move, looks for no file, or has folders that are more than others are (the
 * working directory, for example). False: no memory. moved_headers_fini()
 * follows. */
bool moved_headers_init(
        struct moved_headers *headers, const struct build *build);
void moved_headers_fini(struct moved_headers *headers);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_MOVED_HEADERS_H */
