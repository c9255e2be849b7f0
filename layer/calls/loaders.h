/* SPDX-License-Identifier: Apache-2.0 */
/* How many loaders of OpenCL the process has. */
#ifndef DNNL_CACHE_LAYER_LOADERS_H
#define DNNL_CACHE_LAYER_LOADERS_H

/* Objects named libOpenCL... that are loaded now: the system's, and copies that
 * Python packages bring. What is linked into a program is not seen. */
unsigned loaders_count(void);

#endif /* DNNL_CACHE_LAYER_LOADERS_H */
