/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binaries of Intel's GPU driver as bytes. There are two kinds, both ELF: that
 * of newer drivers (zebin), whose notes name the product, and that of older
 * ones, in which a section has the device's binary with a head of its own
 * (patch tokens). Trusts nothing, allocates nothing.
 */
#ifndef DNNL_CACHE_BINARIES_INTEL_BINARY_H
#define DNNL_CACHE_BINARIES_INTEL_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_binary {
    bool is_zebin;
    bool has_device;
    /* Zebin: the product's number; else that of its family of cores. */
    uint32_t device;
    bool has_spirv; /* the driver compiles it if the device is another */
};

/* False: it is none, or not whole: a section lies beyond its end. */
bool intel_binary_read(
        struct intel_binary *binary, const uint8_t *bytes, size_t size);

/* What ocloc calls the device; NULL: not one of those that were looked at. */
const char *intel_binary_device_name(const struct intel_binary *binary);

#endif /* DNNL_CACHE_BINARIES_INTEL_BINARY_H */
