/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: is loading faster than compiling, on this device?
 *
 * Some drivers take as long to load a binary as to compile the source, or have
 * a cache of their own. For each device the layer adds up the times of loads
 * and of the compilations of the same programs; recent ones count most. If
 * loading is not faster after 8 loads, the layer lets the driver compile. Every
 * 64th build is loaded nevertheless, so that a driver that became faster is
 * noticed. The sums are stored in the state folder (state_folder.h) and shared
 * by all processes.
 *
 * A device is identified by the cache blob ID of its engine. Thread-safe.
 */
#ifndef DNNL_CACHE_LAYER_MEASURE_H
#define DNNL_CACHE_LAYER_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called once for each build, before it is looked up. True: let the driver
 * compile, and store nothing. */
bool measure_driver_is_faster(size_t device_id_size, const uint8_t *device_id);

/* The driver loaded a binary in load_ns, undisturbed (watch.h). compile_ns: the
 * time of its compilation; 0: unknown, and the load does not count. */
void measure_note_load(size_t device_id_size, const uint8_t *device_id,
        uint64_t load_ns, uint64_t compile_ns);

/* Stores the sums, at exit. */
void measure_close(void);

#endif /* DNNL_CACHE_LAYER_MEASURE_H */
