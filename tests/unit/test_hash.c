/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/blake2b_wide.h"
#include "src/common/content_digest.h"
#include "src/common/hash.h"
#include "src/common/hash_wide.h"

#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/*
 * Byte i of every input is (131 i + 17) modulo 256. The expected values come
 * from other implementations: XXH3 of the xxhash module and BLAKE2b of the
 * hashlib module of Python. The sizes are where XXH3 changes its method.
 */
static const struct {
    size_t size;
    uint64_t xxh3_64;
    const char *xxh3_128;
    const char *blake2b_256;
} vectors[] = {
        {0, UINT64_C(0x2d06800538d394c2), "99aa06d3014798d86001c324468d497f",
                "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3"
                "a8"},
        {1, UINT64_C(0xf319fe2bdfcdfebd), "f46d8182f5a4994af319fe2bdfcdfebd",
                "4c54f47d69e097eed691c686ac18444a10d4abe934c311d0fffba9a3928f9e"
                "71"},
        {3, UINT64_C(0xa107bb65b715c89b), "d3d72a54a914da93a107bb65b715c89b",
                "ca3b95a864ec557f3974211d1af4bd1c434dfca911440d10c9496c499bf180"
                "38"},
        {4, UINT64_C(0x509f0567aa8a3123), "c867fd251db3e6d7b7a8c115066c18e7",
                "26b1edd596763f3666a0ec36cf1d2ec7a3f27a7be92e18cc9c44ba805fcda6"
                "53"},
        {8, UINT64_C(0xb1433dc39b7f946e), "c1dcf76c2349c00260bc8bccebcb0734",
                "93d6fabfe5754ff321810a3d7abd60d196d1009a4cfd9e7ef9f8eb659cb395"
                "bb"},
        {9, UINT64_C(0xfe2542440b36ddc7), "02d0cd6fb1a9d265f11ccf925dc0bf79",
                "0686b80c914acffe8022560aab2b9ba0f80f02712328116d2c54d366d7fa69"
                "f8"},
        {16, UINT64_C(0x715189ff3dcdcff6), "086a52d17f54b78c9803f5a245db3129",
                "65acc4f88e098aab291fa07c72d9d8d634cb8c2ab9eb564eb29921f657ddf8"
                "e2"},
        {17, UINT64_C(0x7d33163b8af0179c), "4721ae433384feedc2f249861431c09e",
                "29312fa3ed2fba7181bbd4bb908c64da3ea0937ae43e84c975711f57af2357"
                "66"},
        {128, UINT64_C(0xee847f7fcef4ddbc), "d25fb3a54bc43c6e37906c780c01150d",
                "2e370c5a09c310e42a7550357d010c29dfe02dc964f0c60b65a5e9efabe070"
                "09"},
        {129, UINT64_C(0x7e3e7b750239d4fc), "ce245f502a54b8313dc26c2565608a13",
                "06753da225904d334f996106264b76d0008efda6f90a3f71146ea5a645491d"
                "a6"},
        {240, UINT64_C(0x44089a144aade02d), "b39403b41f31eeafe1a4f0922856b524",
                "31cb7d27e37e93398f78e9668cfacde596a90783e22080275ddecbd706f515"
                "98"},
        {241, UINT64_C(0xed93572e52acac83), "06229596e1de710aed93572e52acac83",
                "08af050e375a62eaa791a17f9deea963e1a5ead82672f4dab50094279dcb4a"
                "b7"},
        {1024, UINT64_C(0xf0c5763fadfacd25), "73e0806b4c7d6bbcf0c5763fadfacd25",
                "f55c8910b59c6b09340f31bf81090cfc1c15922f970058874136dd328525fb"
                "f8"},
        {100000, UINT64_C(0xce2e97cd0b3b0a41),
                "a8ad80f14c838a58ce2e97cd0b3b0a41",
                "4ddf7a1ae306c4b60997caf1bd86e9c4c78984eb92b696a4dd42c71862d954"
                "1a"},
};

enum { vector_count = sizeof vectors / sizeof vectors[0], largest = 100000 };

static uint8_t *make_input(void)
{
    uint8_t *input = malloc(largest);
    if (input == NULL) abort();
    for (size_t i = 0; i < largest; i++)
        input[i] = (uint8_t)(i * 131 + 17);
    return input;
}

static void to_hex(char *hex, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

static struct digest128 hash128(const void *data, size_t size)
{
    const struct hash_part part = {data, size};
    return hash128_parts(&part, 1);
}

TEST_C(Hash, MatchesKnownVectors)
{
    uint8_t *input = make_input();
    for (size_t i = 0; i < vector_count; i++) {
        char hex[65];
        EXPECT_TRUE(hash64(input, vectors[i].size) == vectors[i].xxh3_64);
        struct digest128 d128 = hash128(input, vectors[i].size);
        to_hex(hex, d128.bytes, sizeof d128.bytes);
        EXPECT_STR_EQ(vectors[i].xxh3_128, hex);
        struct digest256 d256 = digest256_of(input, vectors[i].size);
        to_hex(hex, d256.bytes, sizeof d256.bytes);
        EXPECT_STR_EQ(vectors[i].blake2b_256, hex);
    }
    free(input);
}

#if HASH_WIDE
/* Every size around those where the method changes, also in two parts, as a
 * blob is hashed. */
TEST_C(Hash, WideVectorsGiveTheSameValues)
{
    if (!__builtin_cpu_supports("avx2")) return;
    uint8_t *input = make_input();
    for (size_t i = 0; i < vector_count; i++) {
        char hex[33];
        const struct hash_part part = {input, vectors[i].size};
        struct digest128 wide = hash128_parts_avx2(&part, 1);
        to_hex(hex, wide.bytes, sizeof wide.bytes);
        EXPECT_STR_EQ(vectors[i].xxh3_128, hex);
    }
    for (size_t size = 48; size < largest; size += size < 2500 ? 1 : 997) {
        const struct hash_part parts[] = {{input, 32}, {input + 48, size - 48}};
        uint8_t *joined = malloc(size);
        if (joined == NULL) abort();
        memcpy(joined, input, 32);
        memcpy(joined + 32, input + 48, size - 48);
        struct digest128 wide = hash128_parts_avx2(parts, 2);
        struct digest128 any = hash128_parts(parts, 2);
        const XXH128_hash_t plain = XXH3_128bits(joined, size - 16);
        XXH128_canonical_t expected;
        XXH128_canonicalFromHash(&expected, plain);
        EXPECT_BYTES_EQ(expected.digest, 16, wide.bytes, 16);
        EXPECT_BYTES_EQ(expected.digest, 16, any.bytes, 16);
        free(joined);
    }
    free(input);
}
#endif

TEST_C(Hash, PartsHashLikeTheWhole)
{
    uint8_t *input = make_input();
    for (size_t i = 0; i < vector_count; i++) {
        size_t size = vectors[i].size;
        struct digest128 whole = hash128(input, size);
        for (size_t cut = 0; cut <= size; cut += cut < 300 ? 1 : 9973) {
            const struct hash_part parts[] = {
                    {input, cut / 2},
                    {NULL, 0},
                    {input + cut / 2, cut - cut / 2},
                    {input + cut, size - cut},
            };
            struct digest128 sum = hash128_parts(parts, 4);
            EXPECT_BYTES_EQ(whole.bytes, 16, sum.bytes, 16);
        }
    }
    free(input);
}

TEST_C(Hash, NoPartsHashLikeNothing)
{
    struct digest128 nothing = hash128(NULL, 0);
    struct digest128 none = hash128_parts(NULL, 0);
    EXPECT_BYTES_EQ(nothing.bytes, 16, none.bytes, 16);
}

TEST_C(Hash, DigestIsTheSamePieceByPiece)
{
    uint8_t *input = make_input();
    struct digest256 whole = digest256_of(input, 1000);
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < 1000; i += 100)
        digest256_update(&state, input + i, 100);
    digest256_update(&state, NULL, 0);
    struct digest256 sum = digest256_final(&state);
    EXPECT_BYTES_EQ(whole.bytes, 32, sum.bytes, 32);
    free(input);
}

/* Every thread takes the same digest, all starting about together: the first
 * use in the process starts libsodium. */
static void *take_digest(void *result)
{
    *(struct digest256 *)result = digest256_of("thread", 6);
    return NULL;
}

TEST_C(Hash, DigestsFromManyThreadsAgree)
{
    enum { count = 8 };
    pthread_t threads[count];
    struct digest256 results[count];
    for (int i = 0; i < count; i++)
        ASSERT_EQ(
                0, pthread_create(&threads[i], NULL, take_digest, &results[i]));
    for (int i = 0; i < count; i++)
        ASSERT_EQ(0, pthread_join(threads[i], NULL));
    struct digest256 expected = digest256_of("thread", 6);
    for (int i = 0; i < count; i++)
        EXPECT_BYTES_EQ(expected.bytes, 32, results[i].bytes, 32);
}

/* ---- Contents of files --------------------------------------------------- */

/* Byte i is (131 i + 29 (i / 16384) + 17) modulo 256, so that leaves differ.
 * The values come from BLAKE2b of Python's hashlib. */
static const struct {
    size_t size;
    const char *digest;
} contents[] = {
        {0, "27b4c81d3049025725f3b8847cd42213552d40c60fc4c023caacde279aa50a19"},
        {1, "dbb85cf5982690311265e0c0c6431e52edad74233f4fbaef6b0ae33aaf1f217d"},
        {16383, "b98bd5227d237b40ea2e1bdfd3576f56b4eb83e25686a3af82029d95de19d"
                "c12"},
        {16384, "16ac8f95d4440be708bc3ef4685eb5f62634de30dc686e9056550c5ab24ca"
                "698"},
        {16385, "9a686009d48294dc15b199ed85b22df9bf81ba11de11aba83bf94fc0501d6"
                "c2c"},
        {65535, "eb996bf71ac9abc18f94ba46a78b3383c47506ac4c9c33d9afe84a98707ab"
                "a2e"},
        {65536, "c53f69aaa927096a63be013a9931ce257428e94bfb1839485b6e5f1cc91dc"
                "5ce"},
        {131072, "46272472c4ab4953d5f02ac65ec4da0563e2fd335d312fa0ba62a2bd1f2c7"
                 "162"},
        {131073, "70c40f79017e82e2fb60524d3839ff942f2606856cc43c45b770ad012a232"
                 "178"},
        {212992, "2f88402e919da589af2817fd7a6c48a0a9bbddaa24a53201d951101a885d8"
                 "518"},
        {300000, "4df16e27f8cbd97128a2293db862b2bac2fb8f705be26039ea83e3e39589c"
                 "1ae"},
};

enum { most_contents = 300000 };

static uint8_t *make_contents(void)
{
    uint8_t *bytes = malloc(most_contents);
    if (bytes == NULL) abort();
    for (size_t i = 0; i < most_contents; i++)
        bytes[i] = (uint8_t)(i * 131 + (i >> 14) * 29 + 17);
    return bytes;
}

static void expect_contents(const char *expected, struct digest256 digest)
{
    char hex[65];
    to_hex(hex, digest.bytes, sizeof digest.bytes);
    EXPECT_STR_EQ(expected, hex);
}

TEST_C(ContentDigest, MatchesKnownVectorsWholeAndByPieces)
{
    uint8_t *bytes = make_contents();
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        struct content_digest digest;
        const size_t size = contents[i].size;
        content_digest_init(&digest);
        content_digest_update(&digest, bytes, size);
        expect_contents(contents[i].digest, content_digest_final(&digest));
        for (size_t leaves = 1; leaves <= 11; leaves += 5) {
            const size_t step = leaves * content_digest_leaf;
            content_digest_init(&digest);
            for (size_t at = 0; at < size; at += step)
                content_digest_update(&digest, bytes + at,
                        size - at < step ? size - at : step);
            expect_contents(contents[i].digest, content_digest_final(&digest));
        }
    }
    free(bytes);
}

TEST_C(ContentDigest, CountsEveryByte)
{
    enum { size = 3 * content_digest_leaf + 5 };
    uint8_t *bytes = make_contents();
    const struct digest256 none = {{0}};
    struct digest256 last = none;
    for (size_t i = 0; i <= size; i += 1021) {
        struct content_digest digest;
        bytes[i < size ? i : size - 1] ^= 1;
        content_digest_init(&digest);
        content_digest_update(&digest, bytes, size);
        const struct digest256 now = content_digest_final(&digest);
        EXPECT_TRUE(memcmp(last.bytes, now.bytes, sizeof now.bytes) != 0);
        last = now;
    }
    free(bytes);
}

/* Each way of this processor, from unaligned memory, too. */
TEST_C(ContentDigest, WideWaysAreBlake2b)
{
    static const size_t sizes[] = {128, 256, 1024, content_digest_leaf};
    const struct blake2b_wide *way;
    if (blake2b_wide_get(0) == NULL) SKIP_TEST("this processor has none");
    uint8_t *bytes = make_contents();
    for (size_t w = 0; (way = blake2b_wide_get(w)) != NULL; w++) {
        ASSERT_TRUE(way->lanes >= 1 && way->lanes <= blake2b_wide_most);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint8_t digests[32 * blake2b_wide_most];
            const uint8_t *from = bytes + w + s;
            way->digest(digests, from, sizes[s]);
            for (size_t lane = 0; lane < way->lanes; lane++) {
                const struct digest256 right =
                        digest256_of(from + lane * sizes[s], sizes[s]);
                EXPECT_BYTES_EQ(right.bytes, 32, digests + 32 * lane, 32);
            }
        }
    }
    free(bytes);
}
