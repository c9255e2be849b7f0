/* SPDX-License-Identifier: Apache-2.0 */
#include "src/worker/build_message.h"

#include <stdlib.h>

static bool read_sources(struct build_order *order)
{
    struct message_item item;
    size_t count = 0;
    for (size_t at = 0; message_next(&item, order->message, &at);)
        count += item.kind == build_item_source;
    order->sources = calloc(count + 1, sizeof *order->sources);
    order->sizes = calloc(count + 1, sizeof *order->sizes);
    if (order->sources == NULL || order->sizes == NULL) return false;
    for (size_t at = 0; message_next(&item, order->message, &at);) {
        if (item.kind != build_item_source) continue;
        order->sizes[order->source_count] = item.size;
        order->sources[order->source_count++] =
                item.size > 0 ? (const char *)item.data : "";
    }
    return true;
}

bool build_order_read(struct build_order *order, const struct message *message)
{
    struct message_item unused;
    *order = (struct build_order){.message = message,
            .platform = message_text(message, build_item_platform),
            .device = message_text(message, build_item_device),
            .options = message_text(message, build_item_options),
            .wants_object =
                    message_find(&unused, message, build_item_wants_object)};
    if (!message_find(&order->il, message, build_item_il)) order->il.size = 0;
    return order->platform != NULL && order->device != NULL
           && order->options != NULL
           && message_find(&order->id, message, build_item_id)
           && read_sources(order);
}

void build_order_fini(struct build_order *order)
{
    free(order->sources);
    free(order->sizes);
    *order = (struct build_order){.message = NULL};
}

bool build_reply_read(struct build_reply *reply, const struct message *message)
{
    struct message_item status;
    struct message_item blob;
    *reply = (struct build_reply){.log = message_text(message, build_item_log)};
    if (message->subject != message_of_build
            || !message_find(&status, message, build_item_status)
            || status.number < build_outcome_made
            || status.number > build_outcome_unable)
        return false;
    reply->outcome = (enum build_outcome)status.number;
    if (message_find(&blob, message, build_item_blob)) {
        reply->blob = blob.data;
        reply->blob_size = blob.size;
    }
    if (!message_u64(&reply->compile_ns, message, build_item_compile_ns))
        reply->compile_ns = 0;
    return true;
}
