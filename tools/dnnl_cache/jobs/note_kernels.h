/* SPDX-License-Identifier: Apache-2.0 */
/* note_kernels.h: by which kernels people know the program of a note. */
#ifndef DNNL_CACHE_TOOLS_JOBS_NOTE_KERNELS_H
#define DNNL_CACHE_TOOLS_JOBS_NOTE_KERNELS_H

#include <dnnl_cache.h>

enum { note_kernels_size = 160 };

/* "scale, fill, blur, ..." of a build's sources, as they are written: what a
 * macro makes is not seen. "" if there are none. */
void note_kernels_list(
        char text[note_kernels_size], const dnnl_cache_note_t *build);

/* The same as " (kernels scale, fill)", or "", for messages. */
void note_kernels_print(
        char text[note_kernels_size], const dnnl_cache_note_t *build);

#endif /* DNNL_CACHE_TOOLS_JOBS_NOTE_KERNELS_H */
