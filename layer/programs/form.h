/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalised forms of stored binaries, which the driver loads faster
 * (docs/how_it_works/finalisers.md): tried before the binaries, with crash
 * markers of their own, so that one that ends processes is left out and the
 * entry stays.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_FORM_H
#define DNNL_CACHE_LAYER_PROGRAMS_FORM_H

#include "layer/programs/build.h"
#include "layer/storage/storage.h"

/* Takes the form of a device's entry, if there is one that is fit, and that did
 * not end processes. */
void form_read(const struct storage_entry *entry, struct built_device *d);
void form_free(struct built_device *d);

/* True if any device of the build has one. */
bool form_is_in(const struct build *build);
/* True if the entry has a form in place of the binary. */
bool form_is_entry(const dnnl_cache_blob_info_t *info);
/* One of a build that stands alone (built_device.is_form_alone). */
bool form_is_alone(const struct build *build);

/* A crash marker on what the driver gets for the device: the form, or, without,
 * the binary. For crash_markers_end(). */
int form_mark(const struct built_device *d, bool with_form);

/* True if no processes ended while the form of a device's program was made or
 * loaded; and a crash marker, for crash_markers_end(), while one is made. */
bool form_is_safe(const struct built_device *d);
int form_mark_making(const struct built_device *d);

/* The driver refused the build's forms (error; CL_SUCCESS: they lack kernels):
 * they are dropped, and not tried again in this process. */
void form_refuse(struct build *build, cl_int error);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_FORM_H */
