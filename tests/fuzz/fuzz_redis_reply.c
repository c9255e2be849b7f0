/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a Redis server says. Read at once, or in pieces with long
 * texts passed on as they come, or received where they belong, they are the
 * same replies; none is longer than the limit. The same with what RESP3 adds,
 * and with arrays whose elements are replies.
 */
#include "fuzz.h"
#include "stores/redis/redis_reply.h"

#include <string.h>

enum { max_bytes = 64 * 1024, most_replies = 64, most_depth = 16 };

/* What there is to compare of replies, in their order. */
struct replies {
    size_t count;
    uint64_t digests[most_replies];
    uint64_t passed; /* digest of the text that is being passed on */
    uint64_t passed_size;
    uint64_t announced; /* size of that text */
    bool has_passed;
    uint8_t room[512]; /* less than many texts have */
};

/* What becomes of long texts. */
enum passing { passing_none, passing_copies, passing_rooms };

static uint64_t mix(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ at[i]) * 0x100000001b3u;
    return digest;
}

static uint64_t mix_number(uint64_t digest, uint64_t number)
{
    return mix(digest, &number, sizeof number);
}

static void begin(void *user, uint64_t size)
{
    struct replies *replies = user;
    REQUIRE(size <= max_bytes);
    replies->passed = 0;
    replies->passed_size = 0;
    replies->announced = size;
    replies->has_passed = true;
}

static void take(void *user, const void *bytes, size_t size)
{
    struct replies *replies = user;
    REQUIRE(replies->has_passed);
    replies->passed = mix(replies->passed, bytes, size);
    replies->passed_size += size;
}

static void *room(void *user, size_t *size)
{
    struct replies *replies = user;
    REQUIRE(replies->has_passed && *size > 0);
    REQUIRE(*size <= replies->announced - replies->passed_size);
    if (*size > sizeof replies->room) *size = sizeof replies->room;
    return replies->room;
}

static void fill(void *user, size_t size)
{
    struct replies *replies = user;
    REQUIRE(size <= sizeof replies->room);
    take(user, replies->room, size);
}

static uint64_t digest_of(
        const struct replies *replies, const struct redis_reply *r, int depth)
{
    REQUIRE(r != NULL && depth < most_depth);
    REQUIRE(r->size <= max_bytes);
    uint64_t digest = mix_number(1, (uint64_t)r->type);
    digest = mix_number(digest, (uint64_t)r->integer);
    digest = mix_number(digest, r->is_push);
    if (r->is_passed_on) {
        REQUIRE(depth == 0 && replies->has_passed);
        digest = mix_number(digest, replies->passed_size);
        digest = mix_number(digest, replies->passed);
    } else {
        REQUIRE((r->text == NULL)
                == (r->type >= redis_reply_integer
                        || r->type == redis_reply_nil));
        REQUIRE(r->text == NULL || r->text[r->size] == '\0');
        digest = mix_number(digest, r->size);
        digest = mix_number(digest, mix(0, r->text, r->size));
    }
    for (size_t i = 0; i < r->count; i++)
        digest = mix_number(
                digest, digest_of(replies, r->elements[i], depth + 1));
    return mix_number(digest, r->count);
}

/* The reader's way: RESP3, and arrays of so many elements entered; 0: none. */
struct way {
    bool may_push;
    size_t elements;
};

/* The next reply, or none: what there is of an array of the way's is entered.
 */
static int next(struct redis_reader *reader, const struct way *way,
        struct redis_reply **reply)
{
    enum redis_array array = redis_array_none;
    *reply = NULL;
    if (way->elements > 0)
        array = redis_reader_enter_array(reader, way->elements);
    while (array == redis_array_entered)
        array = redis_reader_enter_array(reader, way->elements);
    if (array == redis_array_another) return 1;
    return array == redis_array_waits ? 0 : redis_reader_next(reader, reply);
}

/* As a connection does it. Returns how many bytes were received. */
static size_t receive_in_place(
        struct redis_reader *reader, const uint8_t *data, size_t size)
{
    size_t most = size;
    void *at = redis_reader_room(reader, &most);
    if (at == NULL) return 0;
    REQUIRE(most <= size);
    memcpy(at, data, most);
    redis_reader_fill(reader, most);
    return most;
}

/* In pieces of so many bytes; false: it is refused. */
static bool read_all(struct replies *replies, const uint8_t *data, size_t size,
        size_t piece, enum passing passing, const struct way *way)
{
    static const struct redis_sink sink = {begin, take, room, fill};
    struct redis_reader *reader = redis_reader_create(max_bytes);
    REQUIRE(reader != NULL);
    if (way->may_push) redis_reader_allow_pushes(reader);
    int error = 0;
    *replies = (struct replies){.count = 0};
    for (size_t at = 0; at < size && error == 0; at += piece) {
        const size_t n = piece < size - at ? piece : size - at;
        struct redis_reply *reply = NULL;
        redis_reader_set_sink(
                reader, passing != passing_none ? &sink : NULL, replies);
        const size_t placed = passing == passing_rooms
                                      ? receive_in_place(reader, data + at, n)
                                      : 0;
        error = redis_reader_feed(reader, data + at + placed, n - placed);
        while (error == 0 && (error = next(reader, way, &reply)) == 0
                && reply != NULL) {
            if (replies->count < most_replies)
                replies->digests[replies->count++] =
                        digest_of(replies, reply, 0);
            redis_reply_destroy(reply);
        }
    }
    redis_reader_destroy(reader);
    return error == 0;
}

static void try_way(const uint8_t *data, size_t size, const struct way *way)
{
    struct replies whole;
    struct replies pieces;
    const size_t piece = (size_t)data[0] + 1;
    (void)read_all(&whole, data + 1, size - 1, size, passing_none, way);
    const bool is_good =
            read_all(&pieces, data + 1, size - 1, piece, passing_none, way);
    REQUIRE(pieces.count == whole.count);
    REQUIRE(memcmp(pieces.digests, whole.digests, sizeof whole.digests) == 0);
    for (enum passing p = passing_copies; p <= passing_rooms; p++) {
        /* hiredis does not look at what ends a text; what is passed on has to
         * end as it should. */
        if (!read_all(&pieces, data + 1, size - 1, 16 * piece, p, way)
                || !is_good)
            REQUIRE(pieces.count <= whole.count);
        else
            REQUIRE(pieces.count == whole.count);
        REQUIRE(memcmp(pieces.digests, whole.digests,
                        pieces.count * sizeof pieces.digests[0])
                == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct way ways[] = {{false, 0}, {true, 0}, {true, 2}};
    if (size == 0) return 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        try_way(data, size, &ways[i]);
    return 0;
}
