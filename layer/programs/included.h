/* SPDX-License-Identifier: Apache-2.0 */
/*
 * included.h: the files that a build included, for its entry, by which
 * "dnnl-cache why" names the one that changed.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_INCLUDED_H
#define DNNL_CACHE_LAYER_PROGRAMS_INCLUDED_H

#include "layer/programs/build.h"

#include <dnnl_cache.h>

/* Adds one; an entry is no worse for lacking it. digest: at least
 * DNNL_CACHE_INCLUDED_DIGEST_SIZE bytes. */
void included_add(struct build *build, const char *name, const uint8_t *digest);

/* Of a build that was loaded and is to be stored again: takes those of the
 * intact entry that it replaces, unless it has some. */
void included_take(struct build *build, size_t blob_size, const uint8_t *blob);

/* Hands them to what is captured. */
void included_give(const struct build *build, dnnl_cache_program_t adopted);

void included_free(struct build *build);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_INCLUDED_H */
