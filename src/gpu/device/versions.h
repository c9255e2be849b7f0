/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of what shapes the blobs of the application's programs, besides
 * BLOB_FORMAT_VERSION. They stand in those IDs for the library's build, so that
 * another build of the library uses the same entries.
 *
 * scripts/versions.json lists the files behind each. scripts/check_versions.py
 * fails if one of these changes and its version does not. A number only grows.
 */
#ifndef DNNL_CACHE_GPU_VERSIONS_H
#define DNNL_CACHE_GPU_VERSIONS_H

/* How a program gets to the compiler, and what is taken of it afterwards. */
#define CAPTURE_VERSION 2u
/* What makes another form of a driver's binary, and when it is trusted. */
#define FINALISER_VERSION 1u
/* Which facts are in an ID, and how they are found. */
#define IDENTITY_VERSION 6u
/* Which programs read files, and which files those are. */
#define INCLUDE_SCANNER_VERSION 5u

#endif /* DNNL_CACHE_GPU_VERSIONS_H */
