/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/content_digest.h"

#include "src/common/blake2b_wide.h"
#include "src/common/byte_order.h"

static const char kind[] = "dnnl_cache contents 1";

/* Leaves of full size, as many of them as fit the way; how many bytes. */
static size_t put_leaves(struct digest256_state *root,
        const struct blake2b_wide *way, const uint8_t *data, size_t size)
{
    uint8_t digests[blake2b_wide_most * sizeof(struct digest256)];
    const size_t step = way->lanes * content_digest_leaf;
    size_t done = 0;
    for (; size - done >= step; done += step) {
        way->digest(digests, data + done, content_digest_leaf);
        digest256_update(root, digests, way->lanes * sizeof(struct digest256));
    }
    return done;
}

static void put_leaf(
        struct digest256_state *root, const uint8_t *data, size_t size)
{
    const struct digest256 digest = digest256_of(data, size);
    digest256_update(root, digest.bytes, sizeof digest.bytes);
}

void content_digest_init(struct content_digest *digest)
{
    digest->size = 0;
    digest256_init(&digest->root);
    digest256_update(&digest->root, kind, sizeof kind);
}

void content_digest_update(
        struct content_digest *digest, const void *data, size_t size)
{
    const struct blake2b_wide *way;
    const uint8_t *at = data;
    digest->size += size;
    for (size_t i = 0; (way = blake2b_wide_get(i)) != NULL; i++) {
        const size_t done = put_leaves(&digest->root, way, at, size);
        at += done;
        size -= done;
    }
    while (size > 0) {
        const size_t n =
                size < content_digest_leaf ? size : content_digest_leaf;
        put_leaf(&digest->root, at, n);
        at += n;
        size -= n;
    }
}

struct digest256 content_digest_final(struct content_digest *digest)
{
    uint8_t size[8];
    store_le64(size, digest->size);
    digest256_update(&digest->root, size, sizeof size);
    return digest256_final(&digest->root);
}
