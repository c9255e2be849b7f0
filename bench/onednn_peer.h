/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN itself: its primitive cache, for comparison. Its headers and ours
 * declare the same names and so never meet in one source file.
 */
#ifndef BENCH_ONEDNN_PEER_H
#define BENCH_ONEDNN_PEER_H

#include <stdbool.h>
#include <stddef.h>

enum { ONEDNN_PEER_SIZE = 64 };

struct onednn_peer;

/* An f32 matmul of size x size matrices on oneDNN's CPU engine, whose
 * primitive is in its cache from now on. False, with failure.h saying why,
 * also if the benchmark was built without oneDNN. */
bool onednn_peer_open(struct onednn_peer **peer, size_t size);
void onednn_peer_close(struct onednn_peer *peer);

/* Creates and destroys the primitive count times, from its descriptor; or
 * from a descriptor that is created and destroyed as often. */
bool onednn_peer_hit(struct onednn_peer *peer, size_t count);
bool onednn_peer_hit_described(struct onednn_peer *peer, size_t count);

/* oneDNN's version, "none" without it. Static memory. */
const char *onednn_peer_version(void);

#endif /* BENCH_ONEDNN_PEER_H */
