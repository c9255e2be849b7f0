/* SPDX-License-Identifier: Apache-2.0 */
/* What all stores on servers have in common: the breaker, the queue of puts,
 * deadlines, close and fork(), with a server in this process. */
#include "fake_transport.h"
#include "remote_helpers.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t second = 1000000000u;

static bool is_left_alone(dnnl_cache_store_handle_t *store)
{
    return remote_of(store).is_left_alone;
}

/* ---- The breaker --------------------------------------------------------- */

TEST_C(RemoteCore, TheBreakerOpensAndHalfOpens)
{
    atomic_uint_fast64_t now = second;
    fake_begin();
    fake_set(fake_fails);
    dnnl_cache_store_handle_t *store =
            fake_open(NULL, "&timeout_ms=60000", &now);
    /* One that has never answered has no second chance. */
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_TRUE(is_left_alone(store));
    EXPECT_EQ(1, remote_of(store).breaker_opened);
    /* No time passes: nothing is asked. */
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, fake_submitted(remote_verb_get));
    /* Each pause is twice the last; then one get asks, and is not waited for.
     */
    uint64_t pause = second;
    for (unsigned probes = 1; probes < 5; probes++, pause *= 2) {
        atomic_fetch_add(&now, pause - 1);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(probes, fake_submitted(remote_verb_get));
        atomic_fetch_add(&now, 1);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        fake_await(remote_verb_get, probes + 1);
    }
    EXPECT_EQ(1, remote_of(store).breaker_opened);
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_store_get_callbacks(store)->can_put(
                    dnnl_cache_store_get_callbacks(store)->user));
    /* An answer, even that there is nothing, closes it. */
    fake_set(fake_answers);
    atomic_fetch_add(&now, pause);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    while (is_left_alone(store))
        (void)usleep(1000);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    /* Once it has answered, three errors in a row are needed. */
    fake_set(fake_fails);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_FALSE(is_left_alone(store));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_TRUE(is_left_alone(store));
    EXPECT_EQ(2, remote_of(store).breaker_opened);
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* What was waited for since it arrived fast enough, and was nothing after all,
 * counts as a whole, but for waits beyond all measure. */
TEST_C(RemoteCore, ALongWaitInVainIsPaidFor)
{
    const uint64_t timeout = second / 5;
    uint64_t wait = 0;
    struct remote_breaker breaker;
    remote_breaker_init(&breaker, timeout);
    remote_breaker_waited(&breaker, 2 * second, 0, second);
    EXPECT_EQ(remote_admission_none,
            remote_breaker_admit(&breaker, 30 * second, &wait));
    EXPECT_EQ(remote_admission_ask,
            remote_breaker_admit(&breaker, 42 * second, &wait));
    EXPECT_TRUE(wait <= timeout);
    remote_breaker_waited(&breaker, 3600 * second, 0, 100 * second);
    EXPECT_EQ(remote_admission_none,
            remote_breaker_admit(&breaker, 150 * second, &wait));
    EXPECT_EQ(remote_admission_ask,
            remote_breaker_admit(&breaker, 161 * second, &wait));
}

/* A server that says no is there. */
TEST_C(RemoteCore, RefusalsOfGetsDoNotOpenTheBreaker)
{
    fake_begin();
    fake_set(fake_refuses);
    dnnl_cache_store_handle_t *store =
            fake_open(NULL, "&timeout_ms=60000", NULL);
    for (int i = 0; i < 5; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(5, remote_of(store).refusals);
    EXPECT_EQ(5, remote_of(store).gets_failed);
    EXPECT_EQ(0, statistics_of(store).misses);
    EXPECT_FALSE(is_left_alone(store));
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* What was answered in time counts, and a server that answered others is not
 * left alone for the rest. */
TEST_C(RemoteCore, ManyGetsThatAreAnsweredInPart)
{
    enum { count = 10, there = 5, size = 100 };
    static char ids[count][16];
    size_t id_sizes[count];
    const uint8_t *list[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    fake_begin();
    dnnl_cache_store_handle_t *store = fake_open(NULL, "&timeout_ms=50", NULL);
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
        if (i < there) EXPECT_OK(put_number(store, i, size));
    }
    remote_flush(store);
    fake_set(fake_holds_absent);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQ(i < there ? size : 0, sizes[i]);
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    EXPECT_EQ(there, statistics_of(store).hits);
    EXPECT_EQ(count - there, remote_of(store).gets_failed);
    EXPECT_FALSE(is_left_alone(store));
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* The deadline of a get of which these bytes have come. More than some of what
 * is no entry is not taken. */
static uint64_t deadline_of(struct remote_call *call, const uint8_t *bytes,
        size_t size, size_t step, bool is_entry)
{
    struct remote_request *request = &call->requests[0];
    bool goes_on = true;
    for (size_t at = 0; at < size && goes_on; at += step) {
        enum remote_result result = remote_result_none;
        const size_t some = size - at < step ? size - at : step;
        goes_on = remote_call_receive(request, bytes + at, some, &result);
        if (!goes_on) EXPECT_EQ(remote_result_too_large, result);
    }
    EXPECT_EQ(is_entry, goes_on);
    if (!is_entry) EXPECT_LE(request->body_size, 65536 + step);
    return remote_call_deadline(request);
}

static struct remote_call *new_get(size_t max_bytes)
{
    struct remote_call *call = remote_call_make(1);
    if (call == NULL) abort();
    call->timeout_ns = second;
    call->start_ns = clock_ns() - second / 2;
    call->is_wanted = remote_store_wants;
    call->requests[0].verb = remote_verb_get;
    call->requests[0].max_bytes = max_bytes;
    return call;
}

/* Bytes move the deadline that may become an entry: not what is none, nor what
 * is behind the end of one, however fast it comes. */
TEST_C(RemoteCore, OnlyForAnEntryIsWaitedLonger)
{
    enum { size = 8 << 20 };
    static const uint8_t id[] = "id";
    uint8_t *blob = calloc(1, size);
    uint8_t *bytes = NULL;
    size_t entry_size = 0;
    struct remote_keys *keys = NULL;
    const struct remote_key_files no_files = {.insecure = true};
    char why[remote_why_size];
    ASSERT_EQ(0, remote_keys_open(&keys, &no_files, why));
    const struct remote_entry entry = {
            .item = {.id_size = sizeof id, .id = id, .blob_size = size},
            .blob = blob};
    ASSERT_EQ(0, remote_entry_encode(&bytes, &entry_size, &entry, keys));
    static const size_t steps[] = {7, 100000, size};
    for (size_t i = 0; i < COUNT(steps); i++) {
        const size_t step = steps[i];
        const size_t most = step == 7 ? 1 << 20 : size;
        struct remote_call *call = new_get(2 * size);
        const uint64_t plain = call->start_ns + second;
        EXPECT_EQ(plain, deadline_of(call, blob, most, step, false));
        remote_call_destroy(call);
        call = new_get(2 * size);
        const uint64_t later = call->start_ns + second;
        EXPECT_LT(later, deadline_of(call, bytes, most, step, true));
        remote_call_destroy(call);
    }
    free(bytes);
    free(blob);
    remote_keys_close(keys);
}

static void ask_for(struct remote_call *call, size_t i, unsigned number)
{
    char id[16];
    const int size = snprintf(id, sizeof id, "id %u", number);
    struct remote_request *request = &call->requests[i];
    request->verb = remote_verb_get;
    request->max_bytes = 1000;
    remote_entry_name(request->name, (size_t)size, (const uint8_t *)id);
}

static size_t count_list(const struct remote_request *list)
{
    size_t requests = 0;
    for (; list != NULL; list = list->next) {
        EXPECT_TRUE(list->result == remote_result_done
                    || list->result == remote_result_absent);
        requests++;
    }
    return requests;
}

enum { asked = 10, there = 6 };
static const uint64_t patience = 60 * UINT64_C(1000000000);

/* A store with the first of these, whose server does not tell that it lacks the
 * others; and a call that asks for all. */
static struct remote_call *ask_for_all(dnnl_cache_store_handle_t **store)
{
    fake_begin();
    *store = fake_open(NULL, "&timeout_ms=60000", NULL);
    for (unsigned i = 0; i < there; i++)
        EXPECT_OK(put_number(*store, i, 100));
    remote_flush(*store);
    fake_set(fake_holds_absent);
    struct remote_thread *thread =
            remote_store_live(remote_store_of(*store))->gets;
    struct remote_call *call = remote_call_make(asked);
    if (call == NULL) return NULL;
    call->timeout_ns = patience;
    for (unsigned i = 0; i < asked; i++)
        ask_for(call, i, i);
    EXPECT_TRUE(remote_thread_submit(thread, call));
    return call;
}

/* Takes some, then, once the server tells of the others, the rest: each once.
 * The call and the store end. */
static void take_all(struct remote_call *call, dnnl_cache_store_handle_t *store)
{
    /* At the least a half of them, at the most all that are there. */
    size_t taken = count_list(remote_call_take_some(call, patience));
    EXPECT_TRUE(taken >= asked / 2 && taken <= there);
    fake_set(fake_answers);
    while (taken < asked) {
        const size_t more = count_list(remote_call_take_some(call, patience));
        ASSERT_TRUE(more > 0);
        taken += more;
    }
    EXPECT_EQ(asked, taken);
    EXPECT_TRUE(remote_call_take_some(call, patience) == NULL);
    remote_call_leave(call);
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* While the server still has some of them to answer. */
TEST_C(RemoteCore, WhatIsAnsweredIsTakenBeforeTheRest)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct remote_call *call = ask_for_all(&store);
    ASSERT_TRUE(call != NULL);
    take_all(call, store);
}

/* Who comes when all that the server has is answered does not wait for the
 * rest. */
TEST_C(RemoteCore, WhatWasAnsweredBeforeIsTakenAtOnce)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct remote_call *call = ask_for_all(&store);
    ASSERT_TRUE(call != NULL);
    for (unsigned i = 0; i < there; i++)
        while (remote_call_result(call, i) == remote_result_none)
            (void)usleep(1000);
    take_all(call, store);
}

/* ---- Deadlines ----------------------------------------------------------- */

/* Its caller has left; it is counted once, and freed. */
TEST_C(RemoteCore, AnAnswerThatComesTooLateIsDropped)
{
    fake_begin();
    dnnl_cache_store_handle_t *store = fake_open(NULL, "&timeout_ms=20", NULL);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    fake_set(fake_stuck);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).errors);
    EXPECT_EQ(1, remote_of(store).timeouts);
    fake_set(fake_answers);
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* Nor is a thread that does not come back waited for at close. */
TEST_C(RemoteCore, CloseLeavesAStuckThreadAlone)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.close_timeout_ms = 20;
    fake_begin();
    fake_set(fake_stuck);
    dnnl_cache_store_handle_t *store =
            fake_open(&options, "&timeout_ms=20", NULL);
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    fake_await(remote_verb_put, 1);
    const uint64_t start = now_ms();
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - start, 10000);
    fake_set(fake_answers);
    fake_await_end(); /* they end by themselves, and free all */
    EXPECT_EQ(2, fake_created());
}

/* ---- Puts ---------------------------------------------------------------- */

TEST_C(RemoteCore, PutsBeyondTheQueueAreDropped)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.queue_entries = 4;
    fake_begin();
    fake_set(fake_holds);
    dnnl_cache_store_handle_t *store = fake_open(&options, "", NULL);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, 100));
    EXPECT_EQ(6, remote_of(store).puts_dropped);
    EXPECT_EQ(4, remote_of(store).puts_queued);
    fake_set(fake_answers);
    remote_flush(store);
    EXPECT_EQ(4, fake_objects());
    EXPECT_EQ(4, statistics_of(store).puts);
    EXPECT_EQ(0, remote_of(store).puts_queued);
    dnnl_cache_store_close(store);
    options.queue_entries = 100;
    options.queue_bytes = 5000;
    fake_set(fake_holds);
    store = fake_open(&options, "", NULL);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, 2000));
    EXPECT_EQ(8, remote_of(store).puts_dropped);
    fake_set(fake_answers);
    dnnl_cache_store_close(store);
    fake_await_end();
}

TEST_C(RemoteCore, CloseSendsWhatIsQueued)
{
    fake_begin();
    dnnl_cache_store_handle_t *store = fake_open(NULL, "", NULL);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(put_number(store, i, 1000));
    dnnl_cache_store_close(store);
    EXPECT_EQ(20, fake_objects());
    fake_await_end();
}

static void keep_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    snprintf(user, 256, "%s", text);
}

TEST_C(RemoteCore, CloseWaitsForPutsNoLongerThanItsDeadline)
{
    char said[256] = "";
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.close_timeout_ms = 20;
    options.log = keep_message;
    options.log_user = said;
    fake_begin();
    fake_set(fake_holds);
    dnnl_cache_store_handle_t *store = fake_open(&options, "", NULL);
    EXPECT_OK(put_number(store, 1, 1000));
    const uint64_t start = now_ms();
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - start, 10000);
    EXPECT_TRUE(strstr(said, ": the server did not take all within 20 ms: "
                             "entries that were not sent: 1")
                != NULL);
    EXPECT_EQ(0, fake_objects());
    fake_await_end();
}

TEST_C(RemoteCore, WhatIsPutWhereNothingIsTakenIsNotQueuedAgain)
{
    fake_begin();
    fake_set(fake_refuses);
    dnnl_cache_store_handle_t *store = fake_open(NULL, "", NULL);
    EXPECT_OK(put_number(store, 1, 1000));
    remote_flush(store);
    EXPECT_EQ(1, statistics_of(store).puts_failed);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, 1000));
    EXPECT_EQ(10, remote_of(store).puts_dropped);
    EXPECT_EQ(1, fake_submitted(remote_verb_put));
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* ---- Removes ------------------------------------------------------------- */

/* A put that is on its way comes first, one that waits is taken back. That the
 * caller's time is over then is not the server's fault. */
TEST_C(RemoteCore, ARemoveComesBehindThePutOnItsWay)
{
    fake_begin();
    fake_set(fake_holds);
    dnnl_cache_store_handle_t *store = fake_open(NULL, "&timeout_ms=20", NULL);
    EXPECT_OK(put_number(store, 1, 1000));
    fake_await(remote_verb_put, 1);
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, remote_of(store).puts_dropped);
    EXPECT_EQ(0, fake_submitted(remote_verb_remove));
    EXPECT_EQ(0, remote_of(store).breaker_opened);
    EXPECT_EQ(0, remote_of(store).timeouts);
    fake_set(fake_answers);
    remote_flush(store);
    EXPECT_EQ(1, fake_submitted(remote_verb_put));
    EXPECT_EQ(1, fake_submitted(remote_verb_remove));
    EXPECT_EQ(0, fake_objects());
    dnnl_cache_store_close(store);
    fake_await_end();
}

static void *answer_later(void *unused)
{
    (void)unused;
    fake_await(remote_verb_remove, 1);
    (void)usleep(100000); /* many times the time-out */
    fake_set(fake_answers);
    return NULL;
}

TEST_C(RemoteCore, ToolsWaitForRemoves)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    pthread_t thread;
    options.is_patient = true;
    fake_begin();
    dnnl_cache_store_handle_t *store =
            fake_open(&options, "&timeout_ms=1", NULL);
    EXPECT_OK(put_number(store, 1, 100));
    fake_set(fake_holds);
    ASSERT_EQ(0, pthread_create(&thread, NULL, answer_later, NULL));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, fake_objects());
    (void)pthread_join(thread, NULL);
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* ---- fork() -------------------------------------------------------------- */

TEST_C(RemoteCore, AChildHasThreadsOfItsOwn)
{
    fake_begin();
    dnnl_cache_store_handle_t *store =
            fake_open(NULL, "&timeout_ms=60000", NULL);
#ifndef __SANITIZE_THREAD__
    /* The store has threads from now on. ThreadSanitizer takes those of a child
     * for its parent's. */
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, fake_created());
#endif
    const unsigned before = fake_created();
    const pid_t pid = fork();
    if (pid == 0) {
        const bool is_right =
                put_number(store, 1, 100) == dnnl_success
                && dnnl_cache_store_remote_flush(store, 60000) == dnnl_success
                && get_number_quietly(store, 1, 100) == dnnl_success
                && fake_objects() == 1 && fake_created() == before + 2;
        dnnl_cache_store_close(store);
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    EXPECT_EQ(0, status);
    EXPECT_EQ(0, fake_objects());
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    fake_await_end();
}
