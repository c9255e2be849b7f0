/* SPDX-License-Identifier: Apache-2.0 */
/* What this library was built from; generated at build time. */
#ifndef DNNL_CACHE_GPU_BUILD_IDENTITY_H
#define DNNL_CACHE_GPU_BUILD_IDENTITY_H

/* SHA-256 over src, kernels too, and the headers of include: an edited tree
 * never hits entries of its own past. */
extern const char build_source_digest[65];

/* The git commit, "unknown" outside a repository and outside a source release.
 */
extern const char build_git_hash[41];

#endif /* DNNL_CACHE_GPU_BUILD_IDENTITY_H */
