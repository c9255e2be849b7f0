/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker reads from who started it, and what that one reads from its
 * worker: a message as it arrives, and the same items with a head made right.
 * Items lie inside the bytes and are the same when they are written again;
 * orders and answers point into them, and texts end.
 */
#include "fuzz.h"
#ifdef FUZZ_MODEL
#include "model/compile/worker_message.h"
#endif
#ifdef FUZZ_REFRESH
#include "tools/dnnl_cache/jobs/refresh_message.h"
#endif
#include "src/worker/build_message.h"

#include <string.h>

static void require_inside(
        const struct message *m, const void *data, size_t size)
{
    const uint8_t *at = data;
    REQUIRE(size == 0
            || (at >= m->data && size <= m->size
                    && (size_t)(at - m->data) <= m->size - size));
}

static void require_text(const struct message *m, const char *text)
{
    if (text != NULL) require_inside(m, text, strlen(text) + 1);
}

static void require_the_same_when_written(const struct message *m)
{
    struct message again = {.data = NULL};
    struct message_item item;
    size_t at = 0;
    message_begin(&again, message_of_build);
    while (message_next(&item, m, &at)) {
        require_inside(m, item.data, item.size);
        message_put(&again, item.kind, item.number, item.size, item.data);
    }
    REQUIRE(!again.has_failed && at <= m->size && again.size == at);
    REQUIRE(at == 0 || memcmp(again.data, m->data, at) == 0);
    REQUIRE((at == m->size) == message_is_sound(m));
    message_fini(&again);
}

static void read_build(const struct message *m)
{
    struct build_order order;
    struct build_reply reply;
    if (build_order_read(&order, m)) {
        require_text(m, order.platform);
        require_text(m, order.device);
        require_text(m, order.options);
        require_inside(m, order.id.data, order.id.size);
        if (order.il.size > 0) require_inside(m, order.il.data, order.il.size);
        for (size_t i = 0; i < order.source_count; i++)
            require_inside(m, order.sources[i], order.sizes[i]);
    }
    build_order_fini(&order);
    if (build_reply_read(&reply, m)) {
        REQUIRE(reply.outcome >= build_outcome_made
                && reply.outcome <= build_outcome_unable);
        require_inside(m, reply.blob, reply.blob_size);
        require_text(m, reply.log);
    }
}

#ifdef FUZZ_MODEL
static void read_model(const struct message *m)
{
    struct loader_options options;
    struct worker_place place;
    struct worker_answer answer;
    struct blob_list unkept = {0};
    int step;
    if (worker_place_read(&options, &place, m)) {
        require_text(m, options.path);
        require_text(m, options.folder);
        require_text(m, options.session.folder);
        require_text(m, options.session.remote);
        require_text(m, options.session.device.text);
        require_text(m, place.device_name);
        require_text(m, place.identity);
        for (int i = 0; i < options.shape_count; i++) {
            REQUIRE(options.shapes[i].shape.ndims >= 0
                    && options.shapes[i].shape.ndims <= graph_max_ndims);
            require_text(m, options.shapes[i].name);
        }
        for (int i = 0; i < options.constant_count; i++)
            require_text(m, options.constants[i].name);
    }
    worker_place_fini(&options, &place);
    if (worker_step_read(&step, m)) REQUIRE(step >= 0);
    if (worker_answer_read(&answer, &unkept, m))
        REQUIRE(answer.unkept == &unkept
                && unkept.ids.count <= m->size / message_item_head_size);
    blob_list_fini(&unkept);
}
#else
static void read_model(const struct message *m)
{
    (void)m;
}
#endif

#ifdef FUZZ_REFRESH
static void read_refresh(const struct message *m)
{
    char turn;
    int code;
    if (refresh_order_read(&turn, m)) REQUIRE(turn == '0' || turn == '1');
    if (refresh_answer_read(&code, m))
        REQUIRE(code >= 0 && code <= refresh_worker_other_driver);
}
#else
static void read_refresh(const struct message *m)
{
    (void)m;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message m = {.data = NULL};
    uint64_t said = 0;
    if (size < message_head_size) return 0;
    if (message_read_head(&m, &said, data) != 0)
        REQUIRE(m.subject == 0 && said == 0);
    REQUIRE(said <= message_most && m.size == 0);
    /* The subject as it is, the size made right. */
    m.subject = data[6];
    m.size = size - message_head_size;
    m.data = malloc(m.size > 0 ? m.size : 1);
    REQUIRE(m.data != NULL);
    memcpy(m.data, data + message_head_size, m.size);
    require_the_same_when_written(&m);
    if (message_is_sound(&m)) {
        read_build(&m);
        read_model(&m);
        read_refresh(&m);
    }
    message_fini(&m);
    return 0;
}
