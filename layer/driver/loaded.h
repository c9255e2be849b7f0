/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded.h: which entries this driver has loaded before.
 *
 * A note is a hash of an entry's ID, which names the driver's build, and of the
 * checksum of its bytes, so that an entry that was replaced has none. The notes
 * are in a file of the state folder (state_folder.h), shared by all processes.
 * One that is lost means that the entry is loaded at once the next time; one
 * that is wrong, that the driver may reject the entry later than it would.
 * Thread-safe.
 */
#ifndef DNNL_CACHE_LAYER_DRIVER_LOADED_H
#define DNNL_CACHE_LAYER_DRIVER_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_key {
    uint64_t high;
    uint64_t low;
};

/* Of a blob that was verified. */
struct loaded_key loaded_key(size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob);

/* True if the driver has loaded it, in this process or in another one. */
bool loaded_before(struct loaded_key key);

/* The driver has loaded it. */
void loaded_note(struct loaded_key key);

/* The driver rejected an entry: from now on no note counts that was made
 * before, since the same bytes may be stored again. */
void loaded_forget(void);

/* Stores the notes, at exit. */
void loaded_close(void);

#endif /* DNNL_CACHE_LAYER_DRIVER_LOADED_H */
