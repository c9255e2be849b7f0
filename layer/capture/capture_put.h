/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_put.h: judges what the driver is to be asked for, and stores what it
 * answered.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_PUT_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_PUT_H

#include "layer/capture/capture_ask.h"
#include "layer/settings/statistics.h"

/* Is there to be an entry of what the driver will answer? False: the answer may
 * be another driver's, there is an entry already, or none can be kept; that is
 * counted. */
bool capture_should_ask(struct build *build, size_t device);

/* May what the driver has compiled by now be of another driver than the one in
 * the ID? */
bool capture_driver_is_changed(cl_device_id device);

/* Counts a build that is not kept although the driver was asked for query_ns.
 */
void capture_not_kept(const struct built_device *d, enum layer_reason reason,
        uint64_t query_ns);

/* The blob, malloc'ed; NULL: the driver or memory failed. */
uint8_t *capture_make_blob(const struct built_device *d,
        const struct captured *captured, size_t *size);

/* Puts one, and counts it. */
void capture_put_entry(struct build *build, const struct built_device *d,
        const uint8_t *blob, size_t size, const struct bytes *record,
        uint64_t query_ns);

/* Puts those of all devices that were asked about; all may be NULL. */
void capture_put(struct build *build, struct captured *all);

/* Puts the entry again, with its form. False: a worker is to make that. What
 * the driver refuses a worker cannot make either. */
bool capture_put_with_form(
        struct build *build, size_t device, struct captured *captured);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_PUT_H */
