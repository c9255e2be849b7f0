/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of onednn_peer.c where oneDNN 2 was not found.
 */
#include "onednn_peer.h"

#include "failure.h"

bool onednn_peer_open(struct onednn_peer **peer, size_t size)
{
    (void)peer;
    (void)size;
    failure_set("built without oneDNN 2 (Debian: libdnnl-dev)");
    return false;
}

void onednn_peer_close(struct onednn_peer *peer)
{
    (void)peer;
}

bool onednn_peer_hit(struct onednn_peer *peer, size_t count)
{
    (void)count;
    return peer != NULL;
}

bool onednn_peer_hit_described(struct onednn_peer *peer, size_t count)
{
    return onednn_peer_hit(peer, count);
}

const char *onednn_peer_version(void)
{
    return "none";
}
