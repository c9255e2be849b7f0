/* SPDX-License-Identifier: Apache-2.0 */
/* remedy.h: what a user can do about a place that cannot be used. */
#ifndef DNNL_CACHE_LAYER_REMEDY_H
#define DNNL_CACHE_LAYER_REMEDY_H

/* The advice that fits the reason, which a store or the system gave for that
 * folder: another one for a folder of another user, for one that is no store,
 * and for a disk that fails. */
const char *remedy_for(const char *reason, const char *folder);

/* The same for a reason that is the file system's: it is full, over quota, or
 * fails. NULL: it is another one. */
const char *remedy_of_system(const char *reason);

#endif /* DNNL_CACHE_LAYER_REMEDY_H */
