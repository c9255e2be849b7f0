/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: is loading faster than compiling, on this device?
 *
 * Some drivers take as long to load a binary as to compile the source, or keep
 * a cache themselves. For each device the times of loads and of the same
 * programs' compilations are summed up, the recent ones counting most. After 8
 * loads, if loading is not the faster, the layer stands aside: it lets the
 * driver compile. Every 64th build goes the layer's way nevertheless, so that a
 * driver that became better is noticed. What was learned is kept in the state
 * folder (state_folder.h), and shared by all processes.
 *
 * A device is named by the cache blob ID of its engine. Any thread may call
 * these.
 */
#ifndef DNNL_CACHE_LAYER_MEASURE_H
#define DNNL_CACHE_LAYER_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asked once for each build, before anything is looked up: true, let the driver
 * compile, and keep nothing. */
bool measure_driver_is_faster(size_t device_id_size, const uint8_t *device_id);

/* The driver made a program of a binary in load_ns, undisturbed (watch.h), that
 * took compile_ns to compile; 0 is not known, and not counted. */
void measure_note_load(size_t device_id_size, const uint8_t *device_id,
        uint64_t load_ns, uint64_t compile_ns);

/* Writes down what was learned, at exit. */
void measure_close(void);

#endif /* DNNL_CACHE_LAYER_MEASURE_H */
