/* SPDX-License-Identifier: Apache-2.0 */
/* Callers that do the thread's work, with a server in this process. */
#include "fake_transport.h"
#include "remote_helpers.h"
#include "test.h"

#include <unistd.h>

enum { blob_size = 100, most_tries = 10000 };

/* A store with one entry, whose thread has nothing to do: the next get of one
 * is its caller's. */
static dnnl_cache_store_handle_t *open_idle(void)
{
    fake_begin();
    dnnl_cache_store_handle_t *store =
            fake_open(NULL, "&timeout_ms=60000", NULL);
    EXPECT_OK(put_number(store, 1, blob_size));
    remote_flush(store);
    /* The first one makes the transport. */
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_FALSE(fake_is_submitter(pthread_self()));
    fake_lend(true);
    for (int i = 0; i < most_tries && fake_lent() == 0; i++) {
        (void)usleep(100);
        EXPECT_OK(get_number(store, 1, blob_size));
    }
    EXPECT_TRUE(fake_is_submitter(pthread_self()));
    EXPECT_EQ(fake_lent(), fake_given_back());
    return store;
}

static void close_idle(dnnl_cache_store_handle_t *store)
{
    EXPECT_EQ(fake_lent(), fake_given_back());
    dnnl_cache_store_close(store);
    fake_await_end();
}

/* A caller that gets one entry, in a thread of its own. */
struct caller {
    dnnl_cache_store_handle_t *store;
    unsigned number;
    dnnl_status_t status;
    pthread_t thread;
};

static void *get_one(void *user)
{
    struct caller *caller = user;
    caller->status = get_number(caller->store, caller->number, blob_size);
    return NULL;
}

static void begin(struct caller *caller, dnnl_cache_store_handle_t *store,
        unsigned number)
{
    const unsigned before = fake_submitted(remote_verb_get);
    *caller = (struct caller){.store = store, .number = number};
    EXPECT_EQ(0, pthread_create(&caller->thread, NULL, get_one, caller));
    fake_await(remote_verb_get, before + 1);
}

static void await_driver(pthread_t thread, bool is_one)
{
    for (int i = 0; i < most_tries && fake_is_driver(thread) != is_one; i++)
        (void)usleep(1000);
    EXPECT_EQ(is_one, fake_is_driver(thread));
}

TEST_C(RemoteLent, WhoWaitsForOneAsksItself)
{
    dnnl_cache_store_handle_t *store = open_idle();
    const unsigned lent = fake_lent();
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, blob_size));
    EXPECT_EQ(lent + 2, fake_lent());
    close_idle(store);
}

TEST_C(RemoteLent, OfWhatMayNotBeLentNobodyAsksItself)
{
    dnnl_cache_store_handle_t *store = open_idle();
    const unsigned lent = fake_lent();
    fake_lend(false);
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_EQ(lent, fake_lent());
    EXPECT_FALSE(fake_is_submitter(pthread_self()));
    close_idle(store);
}

/* Its caller has no more time than that. */
TEST_C(RemoteLent, WithWhatIsNotDoneInTimeTheThreadGoesOn)
{
    static const uint64_t moment_ns = 20000000u;
    static const uint64_t long_ns = 60 * (uint64_t)1000000000u;
    dnnl_cache_store_handle_t *store = open_idle();
    struct remote_live *live = remote_store_live(remote_store_of(store));
    struct remote_call *call = remote_call_make(1);
    fake_set(fake_holds);
    call->requests[0].verb = remote_verb_head;
    call->timeout_ns = long_ns;
    call->may_drive = true;
    EXPECT_TRUE(remote_thread_submit(live->gets, call));
    EXPECT_TRUE(fake_lent() > fake_given_back());
    remote_call_wait(call, moment_ns);
    EXPECT_EQ(fake_lent(), fake_given_back());
    EXPECT_EQ(remote_result_none, remote_call_result(call, 0));
    await_driver(pthread_self(), false);
    fake_set(fake_answers);
    remote_call_wait(call, long_ns);
    EXPECT_EQ(remote_result_absent, remote_call_result(call, 0));
    remote_call_leave(call);
    close_idle(store);
}

TEST_C(RemoteLent, WhoeverDrivesAsksForOthers)
{
    struct caller first;
    struct caller second;
    dnnl_cache_store_handle_t *store = open_idle();
    fake_set(fake_holds);
    begin(&first, store, 1);
    EXPECT_TRUE(fake_is_submitter(first.thread));
    begin(&second, store, 1);
    EXPECT_TRUE(fake_is_submitter(first.thread));
    fake_set(fake_answers);
    EXPECT_EQ(0, pthread_join(first.thread, NULL));
    EXPECT_EQ(0, pthread_join(second.thread, NULL));
    EXPECT_OK(first.status);
    EXPECT_OK(second.status);
    close_idle(store);
}

/* It lost its connection, for one. */
TEST_C(RemoteLent, WhatMayBeLentNoLongerIsGivenBack)
{
    struct caller caller;
    dnnl_cache_store_handle_t *store = open_idle();
    fake_set(fake_holds);
    begin(&caller, store, 2);
    await_driver(caller.thread, true);
    fake_lend(false);
    fake_set(fake_holds_absent);
    await_driver(caller.thread, false);
    EXPECT_EQ(fake_lent(), fake_given_back());
    fake_set(fake_answers);
    EXPECT_EQ(0, pthread_join(caller.thread, NULL));
    EXPECT_STATUS(dnnl_cache_miss, caller.status);
    close_idle(store);
}

TEST_C(RemoteLent, WhoIsCancelledGivesBackFirst)
{
    struct caller caller;
    dnnl_cache_store_handle_t *store = open_idle();
    fake_set(fake_holds);
    begin(&caller, store, 1);
    await_driver(caller.thread, true);
    EXPECT_EQ(0, pthread_cancel(caller.thread));
    (void)usleep(10000);
    fake_set(fake_answers);
    EXPECT_EQ(0, pthread_join(caller.thread, NULL));
    EXPECT_OK(get_number(store, 1, blob_size));
    close_idle(store);
}
