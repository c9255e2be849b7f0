/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what the layer keeps of a build that fails: a key and an ID, two
 * logs, a record. A record that is read is the same when it is written again,
 * its answers lie in the bytes, no device of it succeeds, and one that is cut
 * is none. A log is the same as itself, and blames no source without an error.
 */
#include "pieces.h"
#include "tools/common/id/failure.h"
#include "tools/common/id/failure_log.h"

static void check_key(const struct piece *key, const struct piece *id)
{
    const struct failure_id ids[] = {{id->size, id->data}};
    struct bytes made;
    (void)failure_key_has(key->size, key->data, id->size, id->data);
    REQUIRE(failure_key_make(&made, NULL, false, 1, ids));
    REQUIRE(failure_key_has(made.size, made.data, id->size, id->data));
    REQUIRE(!failure_key_has(made.size - 1, made.data, id->size, id->data));
    free(made.data);
}

static bool has_error(const struct piece *log)
{
    for (size_t i = 0; i + 6 <= log->size; i++)
        if (memcmp(log->data + i, "error:", 6) == 0) return true;
    return false;
}

static void check_logs(const struct piece *a, const struct piece *b)
{
    const char *log = (const char *)a->data;
    const char *other = (const char *)b->data;
    REQUIRE(failure_log_is_same(log, a->size, log, a->size));
    REQUIRE(failure_log_is_same(log, a->size, other, b->size)
            == failure_log_is_same(other, b->size, log, a->size));
    REQUIRE(!failure_log_blames_source(log, a->size) || has_error(a));
}

static void check_answer(
        const struct failure_answer *answer, const struct piece *record)
{
    if (answer->error != CL_SUCCESS) {
        REQUIRE(answer->size == 0);
        return;
    }
    REQUIRE(answer->bytes >= record->data
            && answer->bytes + answer->size <= record->data + record->size);
    touch(answer->bytes, answer->size);
}

static void check_record(const struct piece *record)
{
    struct failure failure;
    struct failure cut;
    struct bytes again;
    if (!failure_decode(&failure, record->data, record->size)) {
        REQUIRE(failure.devices == NULL && failure.device_count == 0);
        return;
    }
    REQUIRE(failure.returned <= 0 && failure.kernel_error < 0);
    for (uint32_t i = 0; i < failure.device_count; i++)
        for (int q = 0; q < failure_query_count; q++)
            check_answer(&failure.devices[i].answers[q], record);
    REQUIRE(failure_is_same(&failure, &failure));
    REQUIRE(failure_encode(&failure, &again));
    REQUIRE(again.size == record->size
            && memcmp(again.data, record->data, again.size) == 0);
    REQUIRE(!failure_decode(&cut, record->data, record->size - 1));
    free(again.data);
    failure_fini(&failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece key = pieces_next(&pieces);
    struct piece id = pieces_next(&pieces);
    struct piece log = pieces_next(&pieces);
    struct piece other = pieces_next(&pieces);
    struct piece record = pieces_rest(&pieces);
    check_key(&key, &id);
    check_logs(&log, &other);
    check_record(&record);
    free(key.data);
    free(id.data);
    free(log.data);
    free(other.data);
    free(record.data);
    return 0;
}
