/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between a process and its workers, and workers. */
#include "src/platform/clock.h"
#include "src/worker/build_message.h"
#include "src/worker/worker.h"

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only a failure comes near it. */
static uint64_t soon(void)
{
    return clock_ns() + 60 * UINT64_C(1000000000);
}

static void fill_in(struct message *m)
{
    message_begin(m, message_of_build);
    message_put_text(m, build_item_log, "text");
    message_put_text(m, build_item_log, NULL);
    message_put_u64(m, build_item_compile_ns, UINT64_C(0x0102030405060708));
    message_put(m, build_item_blob, 7, 3, "abc");
}

TEST_C(WorkerMessage, ArrivesAsItWasWritten)
{
    struct message m = {.data = NULL};
    struct message got = {.data = NULL};
    struct message_item item;
    struct channel ends[2];
    uint64_t number = 0;
    int other;
    ASSERT_EQ(0, channel_open(&ends[0], &other));
    ASSERT_EQ(0, kept_descriptor_keep(&ends[1].kept, other));
    fill_in(&m);
    EXPECT_EQ(0, message_send(&m, &ends[0], soon()));
    EXPECT_EQ(0, message_receive(&got, &ends[1], soon()));
    EXPECT_EQ(message_of_build, got.subject);
    EXPECT_EQ(m.size, got.size);
    EXPECT_TRUE(memcmp(m.data, got.data, m.size) == 0);
    EXPECT_TRUE(strcmp("text", message_text(&got, build_item_log)) == 0);
    EXPECT_TRUE(message_u64(&number, &got, build_item_compile_ns));
    EXPECT_EQ(UINT64_C(0x0102030405060708), number);
    EXPECT_TRUE(message_find(&item, &got, build_item_blob));
    EXPECT_EQ(7, item.number);
    EXPECT_EQ(3, item.size);
    EXPECT_TRUE(message_text(&got, build_item_blob) == NULL);
    EXPECT_FALSE(message_find(&item, &got, build_item_id));
    channel_close(&ends[0]);
    EXPECT_EQ(EPIPE, message_receive(&got, &ends[1], soon()));
    channel_close(&ends[1]);
    message_fini(&m);
    message_fini(&got);
}

/* What is received of bytes that somebody sends and then ends. */
static int receive(struct message *got, size_t size, const uint8_t *bytes)
{
    struct channel channel;
    int other;
    EXPECT_EQ(0, channel_open(&channel, &other));
    EXPECT_EQ((ssize_t)size, write(other, bytes, size));
    close(other);
    const int error = message_receive(got, &channel, soon());
    channel_close(&channel);
    return error;
}

/* Cut anywhere, or with any byte of a head another one, it is none, or says
 * what lies inside it. */
TEST_C(WorkerMessage, ThatIsDamagedIsNone)
{
    struct message m = {.data = NULL};
    struct message got = {.data = NULL};
    fill_in(&m);
    const size_t size = message_head_size + m.size;
    uint8_t *bytes = calloc(1, size);
    const uint8_t head[] = {'d', 'n', 'b', 'w', message_version, 0,
            message_of_build, 0, (uint8_t)m.size};
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + message_head_size, m.data, m.size);
    EXPECT_EQ(0, receive(&got, size, bytes));
    for (size_t cut = 0; cut < size; cut++)
        EXPECT_EQ(EPIPE, receive(&got, cut, bytes));
    for (size_t i = 0; i < 6; i++) {
        bytes[i] ^= 1;
        EXPECT_EQ(EPROTO, receive(&got, size, bytes));
        bytes[i] ^= 1;
    }
    /* Shorter than its items, or longer than any. */
    bytes[8]--;
    EXPECT_EQ(EBADMSG, receive(&got, size, bytes));
    bytes[8]++;
    bytes[15] = 0xff;
    EXPECT_EQ(EBADMSG, receive(&got, size, bytes));
    bytes[15] = 0;
    for (size_t i = 0; i < 8; i++) { /* the size of the first item */
        bytes[message_head_size + 8 + i] ^= 0x80;
        EXPECT_EQ(EBADMSG, receive(&got, size, bytes));
        bytes[message_head_size + 8 + i] ^= 0x80;
    }
    free(bytes);
    message_fini(&m);
    message_fini(&got);
}

TEST_C(WorkerMessage, ThatIsTooLargeIsNotSent)
{
    struct message m = {.data = NULL};
    struct channel channel;
    int other;
    ASSERT_EQ(0, channel_open(&channel, &other));
    message_begin(&m, message_of_build);
    message_put(&m, build_item_blob, 0, (size_t)message_most, "");
    EXPECT_TRUE(m.has_failed);
    EXPECT_EQ(EMSGSIZE, message_send(&m, &channel, soon()));
    close(other);
    channel_close(&channel);
    message_fini(&m);
}

/* ---- Workers ------------------------------------------------------------- */

static bool echo(void *user, struct message *order, struct message *answer)
{
    struct message_item item;
    size_t *count = user;
    size_t at = 0;
    ++*count;
    message_begin(answer, message_of_build);
    while (message_next(&item, order, &at))
        message_put(answer, item.kind, item.number + (uint32_t)*count,
                item.size, item.data);
    return true;
}

static bool fail(void *user, struct message *order, struct message *answer)
{
    (void)user;
    (void)order;
    (void)answer;
    return false;
}

/* A child of this process that serves at the other end. */
static struct worker serve(struct message *first)
{
    static const struct worker_job jobs[] = {
            {message_of_build, echo}, {message_of_model, fail}};
    struct worker worker = {.channel = CHANNEL_NONE};
    size_t count = 0;
    int other;
    EXPECT_EQ(0, channel_open(&worker.channel, &other));
    worker.process.number = fork();
    if (worker.process.number == 0) {
        struct worker_service service = {
                .jobs = jobs, .count = 2, .user = &count};
        channel_close(&worker.channel);
        if (dup2(other, STDIN_FILENO) != STDIN_FILENO) _exit(99);
        close(other);
        _exit(worker_serve(&service, first));
    }
    close(other);
    return worker;
}

static uint32_t ask(const struct worker *worker)
{
    struct message m = {.data = NULL};
    struct message_item item = {0, 0, 0, NULL};
    message_begin(&m, message_of_build);
    message_put(&m, build_item_status, 0, 0, NULL);
    EXPECT_EQ(0, message_send(&m, &worker->channel, soon()));
    EXPECT_EQ(0, message_receive(&m, &worker->channel, soon()));
    EXPECT_TRUE(message_find(&item, &m, build_item_status));
    const uint32_t number = item.number;
    message_fini(&m);
    return number;
}

/* How it ends after an order about the subject, of which there is no answer. */
static int code_after(unsigned subject)
{
    struct message m = {.subject = subject};
    struct worker worker = serve(NULL);
    EXPECT_EQ(0, message_send(&m, &worker.channel, soon()));
    EXPECT_EQ(EPIPE, message_receive(&m, &worker.channel, soon()));
    message_fini(&m);
    return worker_end(&worker, UINT64_MAX / 2).code;
}

TEST_C(Worker, DoesOneJobAfterTheOtherUntilNobodyAsks)
{
    struct message first = {.data = NULL};
    struct worker worker = serve(NULL);
    EXPECT_EQ(1, ask(&worker));
    EXPECT_EQ(2, ask(&worker));
    EXPECT_EQ(worker_exit_done, worker_end(&worker, UINT64_MAX / 2).code);
    EXPECT_FALSE(worker_is_there(&worker));
    EXPECT_EQ(-1, worker_end(&worker, 0).code);
    /* One that goes on with what another process was told. */
    message_begin(&first, message_of_build);
    message_put(&first, build_item_status, 40, 0, NULL);
    worker = serve(&first);
    EXPECT_EQ(0, message_receive(&first, &worker.channel, soon()));
    EXPECT_EQ(2, ask(&worker));
    EXPECT_EQ(worker_exit_done, worker_end(&worker, UINT64_MAX / 2).code);
    message_fini(&first);
}

TEST_C(Worker, EndsWithWhatItCannotDo)
{
    EXPECT_EQ(worker_exit_failed, code_after(message_of_model));
    EXPECT_EQ(worker_exit_version, code_after(message_of_refresh));
    EXPECT_EQ(worker_exit_version, code_after(0));
}

TEST_C(Worker, ThatDoesNotEndIsKilled)
{
    char shell[] = "/bin/sh";
    char option[] = "-c";
    char script[] = "trap '' TERM; sleep 1000 & wait";
    char *arguments[] = {shell, option, script, NULL};
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct worker worker;
    plan.program = shell;
    plan.arguments = arguments;
    plan.has_group = true;
    ASSERT_EQ(0, worker_start(&worker, &plan));
    EXPECT_EQ(SIGKILL, worker_end(&worker, 20000000).signal);
    EXPECT_FALSE(channel_is_open(&worker.channel));
    EXPECT_EQ(-1, waitpid(-1, NULL, WNOHANG));
}
