/* SPDX-License-Identifier: Apache-2.0 */
/* The store over HTTP and servers that are none: nothing of them is a hit, and
 * nobody waits for them beyond the deadline. */
#include "remote_helpers.h"
#include "src/common/byte_order.h"
#include "stores/remote/remote_entry.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    timeout_ms = 200,
    slack_ms = 5000 /* a busy machine's, or of a sanitizer */
};

static dnnl_cache_store_handle_t *open_at(unsigned port, const char *more)
{
    return remote_open("http://127.0.0.1:%u/fleet?insecure=1&timeout_ms=%d%s%s",
            port, timeout_ms, more[0] != '\0' ? "&" : "", more);
}

/* Where the answer, not its time, is what is tested. */
static dnnl_cache_store_handle_t *open_patiently_at(unsigned port)
{
    return remote_open("http://127.0.0.1:%u?insecure=1&timeout_ms=60000", port);
}

/* One of each call, all within their deadlines, none a hit. */
static void expect_nothing(dnnl_cache_store_handle_t *store)
{
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, timeout_ms + slack_ms);
    EXPECT_OK(put_number(store, 1, 100));
    (void)remove_id(store, "id 2");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, 3 * timeout_ms + slack_ms);
    EXPECT_EQ(0, statistics_of(store).hits);
    const uint64_t close_start = now_ms();
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - close_start, 1200 + slack_ms);
}

/* ---- Answers ------------------------------------------------------------- */

#define ANSWER(text) .answer = (text), .size = sizeof(text) - 1
#define OK_HEAD "HTTP/1.1 200 OK\r\n"

TEST_C(HttpHostile, GarbageIsAMiss)
{
    static struct liar answers[] = {
            {ANSWER("$5\r\nabcde\r\n")},
            {ANSWER("")},
            {ANSWER("\0\0\0\0\0\0\0\0")},
            {ANSWER("HTTP/9.9 200 OK\r\n\r\n")},
            {ANSWER("HTTP/1.1 2 OK\r\n\r\n")},
            {ANSWER("HTTP/1.1 99999999999 OK\r\n\r\n")},
            {ANSWER("HTTP/1.1\r\n\r\n")},
            {ANSWER(OK_HEAD "\r\n")},
            {ANSWER(OK_HEAD "\r\nabcde")},
            {ANSWER(OK_HEAD "Content-Length: 0\r\n\r\n")},
            {ANSWER(OK_HEAD "Content-Length: -5\r\n\r\nabcde")},
            {ANSWER(OK_HEAD "Content-Length: 3\r\n\r\nabcde")},
            {ANSWER(OK_HEAD "Content-Length: 99999\r\n\r\nabcde")},
            {ANSWER(OK_HEAD
                    "Content-Length: 99999999999999999999999\r\n\r\na")},
            {ANSWER(OK_HEAD "Content-Length: 5\r\nContent-Length: 9\r\n\r\n"
                            "abcdefghi")},
            {ANSWER(OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n")},
            {ANSWER(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
                            "fffffffffffffffff\r\n")},
            {ANSWER(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nab")},
            {ANSWER(OK_HEAD "Transfer-Encoding: gzip\r\n\r\nabcde")},
            {ANSWER(OK_HEAD ": \r\n\r\n")},
            {ANSWER(OK_HEAD "\0\r\n\r\n")},
            {ANSWER("HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n\0\0\0")},
            {ANSWER("HTTP/1.1 204 No Content\r\n\r\n")},
            {ANSWER("HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\n\r\n"
                    "ab")},
            {ANSWER("HTTP/1.1 301 Moved\r\nLocation: file:///etc/passwd\r\n"
                    "Content-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 304 Not Modified\r\n\r\n")},
            {ANSWER("HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM\r\n"
                    "Content-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n"
                    "Content-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 429 Later\r\nRetry-After: 9999\r\n"
                    "Content-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 503 Later\r\nContent-Length: 999999\r\n\r\nabc")},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct liar *liar = &answers[i];
        liar_begin(liar);
        dnnl_cache_store_handle_t *store = open_at(liar->port, "");
        expect_nothing(store);
        EXPECT_TRUE(atomic_load(&liar->asked) > 0);
        liar_end(liar);
    }
}

static unsigned count_told(const char *words)
{
    unsigned told = 0;
    for (const char *at = remote_messages(); (at = strstr(at, words)) != NULL;
            at++)
        told++;
    return told;
}

TEST_C(HttpHostile, ADamagedEntryIsToldOnce)
{
    static struct liar liar = {
            ANSWER(OK_HEAD "Content-Length: 5\r\n\r\nabcde")};
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store = open_patiently_at(liar.port);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_EQ(4, statistics_of(store).damaged);
    EXPECT_EQ(2, count_told(": damaged\n"));
    dnnl_cache_store_close(store);
    liar_end(&liar);
}

/* Far below the longest entry that a store takes, which is 256 MiB. */
enum { soon = 1 << 20 };

/* A body need not say how long it is. One that is no entry is not kept until it
 * is as long as an entry may be. */
TEST_C(HttpHostile, AnEndlessBodyIsCutOff)
{
    static struct liar answers[] = {
            {ANSWER(OK_HEAD "\r\n"
                            "0123456789abcdef0123456789abcdef"
                            "0123456789abcdef0123456789abcdef"),
                    .is_endless = true},
            {ANSWER(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
                            "3a\r\n0123456789abcdef0123456789abcdef"
                            "0123456789abcdef0123456789\r\n"),
                    .is_endless = true},
            /* Of a newer version, which may have anything in it. */
            {ANSWER(OK_HEAD "\r\ndnnlcrem\x02\0\0\0"
                            "0123456789abcdef0123456789abcdef"
                            "0123456789abcdef0123456789abcdef"),
                    .is_endless = true},
            {ANSWER(OK_HEAD "Content-Length: 200000000\r\n\r\n"
                            "0123456789abcdef0123456789abcdef"
                            "0123456789abcdef0123456789abcdef"),
                    .is_endless = true},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        liar_begin(&answers[i]);
        dnnl_cache_store_handle_t *store = open_patiently_at(answers[i].port);
        for (unsigned n = 0; n < 2; n++)
            EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(2, remote_of(store).too_large);
        EXPECT_LT(remote_of(store).bytes_received, soon);
        EXPECT_EQ(0, remote_of(store).errors);
        EXPECT_EQ(2, statistics_of(store).damaged);
        EXPECT_EQ(1,
                count_told(i == 2 ? ": of a newer format\n" : ": damaged\n"));
        dnnl_cache_store_close(store);
        liar_end(&answers[i]);
    }
}

/* An entry of the test, its head with another size of the blob if there is one,
 * behind an answer that does not say how long it is. The caller frees it. */
static char *make_answer(size_t *size, uint64_t blob_size)
{
    static const char head[] = OK_HEAD "\r\n";
    static const uint8_t id[] = "some ID";
    static const uint8_t blob[300] = {1, 2, 3};
    const struct remote_key_files none = {.insecure = true};
    const struct remote_entry entry = {
            .item = {.id_size = sizeof id, .id = id, .blob_size = sizeof blob},
            .blob = blob};
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    uint8_t *bytes = NULL;
    size_t entry_size = 0;
    EXPECT_EQ(0, remote_keys_open(&keys, &none, why));
    EXPECT_EQ(0, remote_entry_encode(&bytes, &entry_size, &entry, keys));
    remote_keys_close(keys);
    if (blob_size > 0) store_le64(bytes + 32, blob_size);
    *size = sizeof head - 1 + entry_size;
    char *answer = malloc(*size);
    memcpy(answer, head, sizeof head - 1);
    memcpy(answer + sizeof head - 1, bytes, entry_size);
    free(bytes);
    return answer;
}

/* Its head says how long it is. */
TEST_C(HttpHostile, AnEntryThatGoesOnBehindItsEndIsCutOff)
{
    struct liar liar = {.is_endless = true};
    char *answer = make_answer(&liar.size, 0);
    liar.answer = answer;
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store = open_patiently_at(liar.port);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_LT(remote_of(store).bytes_received, soon);
    EXPECT_EQ(1, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
    liar_end(&liar);
    free(answer);
}

/* All of these are compiled at each start: who opened the store learns why. */
TEST_C(HttpHostile, AnEntryThatIsTooLargeIsToldOnce)
{
    struct liar liar = {.is_endless = true};
    char *answer = make_answer(&liar.size, 2000000);
    liar.answer = answer;
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store =
            remote_open("http://127.0.0.1:%u?insecure=1&timeout_ms=60000&"
                        "max_blob_bytes=1000000",
                    liar.port);
    for (unsigned n = 1; n <= 3; n++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, n, 100));
    EXPECT_EQ(3, remote_of(store).too_large);
    EXPECT_LT(remote_of(store).bytes_received, soon);
    EXPECT_EQ(3, remote_of(store).gets_failed);
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(1, count_told("larger than max_blob_bytes=1000000"));
    dnnl_cache_store_close(store);
    liar_end(&liar);
    free(answer);
}

/* Nothing of it is asked for: what says before that it is too large. */
TEST_C(HttpHostile, ALongBodyIsRefusedByItsLength)
{
    struct liar liar = {ANSWER(OK_HEAD "Content-Length: 2000000\r\n\r\nabc"),
            .keeps_open = true};
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store =
            remote_open("http://127.0.0.1:%u?insecure=1&timeout_ms=60000&"
                        "max_blob_bytes=1000000",
                    liar.port);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_EQ(0, remote_of(store).bytes_received);
    EXPECT_EQ(1, count_told("larger than max_blob_bytes=1000000"));
    dnnl_cache_store_close(store);
    liar_end(&liar);
}

TEST_C(HttpHostile, AHeadWithoutEndIsCutOff)
{
    static struct liar answers[] = {
            {ANSWER(OK_HEAD "X-a: 0123456789abcdef0123456789abcdef0123456789a\r"
                            "\nX-b: 0123456789abcdef0123456789abcdef0123456789"
                            "a456\r\n"),
                    .is_endless = true},
            {ANSWER(OK_HEAD "X: 0123456789abcdef0123456789abcdef0123456789abcd"
                            "0123456789abcdef0123456789abcdef"),
                    .is_endless = true},
            {ANSWER("HTTP/1.1 100 Continue\r\nX: 012345678901234567890123456789"
                    "\r\n\r\nHTTP/1.1 100 Continue\r\nX: "
                    "01234567890123456789012"
                    "3456789\r\n\r\n"),
                    .is_endless = true},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        liar_begin(&answers[i]);
        dnnl_cache_store_handle_t *store = open_patiently_at(answers[i].port);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(1, remote_of(store).errors);
        EXPECT_EQ(0, remote_of(store).timeouts);
        dnnl_cache_store_close(store);
        liar_end(&answers[i]);
    }
}

/* What a proxy compressed is not what was put. */
TEST_C(HttpHostile, CodedBodiesAreRefused)
{
    static struct liar answers[] = {
            {ANSWER(OK_HEAD
                    "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"
                    "abcde")},
            {ANSWER(OK_HEAD
                    "content-encoding:br\r\nContent-Length: 0\r\n\r\n")},
            /* libcurl would expand it: gzip of "abcde". */
            {ANSWER(OK_HEAD
                    "Transfer-Encoding: gzip, chunked\r\n\r\n19\r\n"
                    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\x4c\x4a\x4e\x49\x05"
                    "\0\x65\xd8\x87\x85\x05\0\0\0\r\n0\r\n\r\n")},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        liar_begin(&answers[i]);
        dnnl_cache_store_handle_t *store = open_patiently_at(answers[i].port);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(1, remote_of(store).errors);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100)); /* logs */
        /* libcurl 8.14 refuses the last one by itself. */
        EXPECT_TRUE(
                strstr(remote_messages(), "the answer has a ") != NULL
                || strstr(remote_messages(), "Unsolicited Transfer-") != NULL);
        EXPECT_TRUE(strstr(remote_messages(), "-Encoding") != NULL);
        dnnl_cache_store_close(store);
        liar_end(&answers[i]);
    }
}

/* A message may have what the server said, but nothing that moves a cursor. */
TEST_C(HttpHostile, MessagesHaveNoControlCharacters)
{
    struct liar liar = {ANSWER("HTTP/1.1 200 OK\r\nContent-Length: \x1b[2J\r\n"
                               "\x1b[31m: x\r\n\r\n")};
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store = open_at(liar.port, "");
    expect_nothing(store);
    EXPECT_NULL(strchr(remote_messages(), 0x1b));
    liar_end(&liar);
}

/* ---- Time ---------------------------------------------------------------- */

TEST_C(HttpHostile, ALateAnswerIsNotWaitedFor)
{
    struct liar liar = {
            ANSWER("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
            .answer_after_ms = 1000, .keeps_open = true};
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store = open_at(liar.port, "");
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, timeout_ms + slack_ms);
    EXPECT_EQ(1, remote_of(store).timeouts);
    EXPECT_EQ(0, statistics_of(store).misses);
    expect_nothing(store);
    liar_end(&liar);
}

TEST_C(HttpHostile, SilenceIsNotWaitedFor)
{
    struct liar liar = {.is_silent = true};
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store = open_at(liar.port, "");
    expect_nothing(store);
    store = open_at(liar.port, "");
    const uint64_t start = now_ms();
    for (int i = 0; i < 1000; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    const uint64_t took = now_ms() - start;
    EXPECT_LT(took, timeout_ms + slack_ms);
    /* Each second it may be tried once more, which no get waits for. */
    EXPECT_GE(remote_of(store).timeouts, 1);
    EXPECT_LE(remote_of(store).timeouts, 1 + took / 1000);
    EXPECT_EQ(999, remote_of(store).gets_skipped);
    dnnl_cache_store_close(store);
    liar_end(&liar);
}

TEST_C(HttpHostile, AFullBacklogIsNotWaitedFor)
{
    struct full_backlog full;
    full_backlog_begin(&full);
    dnnl_cache_store_handle_t *store = open_at(full.port, "");
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, timeout_ms + slack_ms);
    EXPECT_EQ(1, remote_of(store).timeouts);
    expect_nothing(store);
    full_backlog_end(&full);
}

/* Also where a resolver takes its time to say so. */
TEST_C(HttpHostile, ANameThatDoesNotResolveIsNotWaitedFor)
{
    dnnl_cache_store_handle_t *store = remote_open(
            "http://no-such-host.invalid?insecure=1&timeout_ms=%d", timeout_ms);
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, timeout_ms + slack_ms);
    EXPECT_EQ(1, remote_of(store).errors);
    expect_nothing(store);
}

/* ---- Lists of S3 --------------------------------------------------------- */

TEST_C(HttpHostile, ListsThatAreNoneAreErrors)
{
#define LIST(text)                  \
    {                               \
        ANSWER(OK_HEAD "\r\n" text) \
    }
    static struct liar answers[] = {
            LIST(""),
            LIST("<html>hello</html>"),
            LIST("<ListBucketResult>"),
            LIST("<ListBucketResult><Key>abc</ListBucketResult>"),
            LIST("<ListBucketResult><IsTruncated>true</IsTruncated>"
                 "</ListBucketResult>"),
            {ANSWER("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")},
            {ANSWER("HTTP/1.1 404 No bucket\r\nContent-Length: 0\r\n\r\n")},
    };
#undef LIST
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", "id", 1));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", "a-secret", 1));
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        liar_begin(&answers[i]);
        dnnl_cache_store_handle_t *store =
                open_at(answers[i].port, "aws_region=eu-west-1");
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_verify(store, false, NULL, NULL, &check));
        EXPECT_NULL(strstr(remote_messages(), "a-secret"));
        dnnl_cache_store_close(store);
        liar_end(&answers[i]);
    }
    EXPECT_EQ(0, unsetenv("AWS_ACCESS_KEY_ID"));
    EXPECT_EQ(0, unsetenv("AWS_SECRET_ACCESS_KEY"));
}

TEST_C(HttpHostile, AListWithoutEndIsCutOff)
{
    enum { longest_page = 16 << 20 };
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct liar liar = {ANSWER(OK_HEAD "\r\n<ListBucketResult>"
                                       "<Key>0123456789abcdef0123456789abcdef"
                                       "0123456789abcdef</Key> "),
            .is_endless = true};
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", "id", 1));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", "a-secret", 1));
    liar_begin(&liar);
    dnnl_cache_store_handle_t *store =
            open_at(liar.port, "aws_region=eu-west-1");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_LE(remote_of(store).bytes_received, longest_page);
    EXPECT_EQ(1, count_told("a page of names is too long"));
    dnnl_cache_store_close(store);
    liar_end(&liar);
    EXPECT_EQ(0, unsetenv("AWS_ACCESS_KEY_ID"));
    EXPECT_EQ(0, unsetenv("AWS_SECRET_ACCESS_KEY"));
}
