/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_message.h: what a build queue and its worker say to each other: an
 * order and an answer for each program, about message_of_build.
 */
#ifndef DNNL_CACHE_WORKER_BUILD_MESSAGE_H
#define DNNL_CACHE_WORKER_BUILD_MESSAGE_H

#include "src/worker/message.h"

enum build_item_kind {
    /* To the worker. Which device, by names, and which program, by its ID: it
     * has the application's keys, too. */
    build_item_platform = 1,
    build_item_device,
    build_item_id,
    build_item_source, /* one after the other, without NUL */
    build_item_il,
    build_item_options,
    build_item_header_name, /* the text follows */
    build_item_header_text, /* without NUL */
    build_item_constant,    /* number: its ID */
    build_item_includes,    /* number: enum build_includes */
    /* Not the program but the object of it is wanted, which the other process
     * links: asking PoCL for a program's binary compiles all kernels, which is
     * several times the work; an object's it has at hand. */
    build_item_wants_object,
    /* Back. */
    build_item_status,    /* number: enum build_outcome */
    build_item_blob,      /* or the object */
    build_item_log,       /* of a program that does not compile; a text */
    build_item_compile_ns /* 8 bytes */
};

enum build_includes {
    build_includes_none,
    build_includes_known,
    build_includes_followed
};

enum build_outcome {
    build_outcome_made = 1,
    build_outcome_object,
    build_outcome_refused, /* it does not compile */
    build_outcome_unable   /* no such device, another ID, no memory */
};

/* What an order has once; borrowed from the message, but for the lists. */
struct build_order {
    const struct message *message;
    const char *platform;
    const char *device;
    const char *options;
    struct message_item id;
    struct message_item il; /* size 0: there is none */
    bool wants_object;
    size_t source_count;
    const char **sources; /* owned, as sizes is; with room for one more */
    size_t *sizes;        /* a size of 0 is that of "" */
};

/* False: it is none, or memory ran out. build_order_fini() in any case. */
bool build_order_read(struct build_order *order, const struct message *message);
void build_order_fini(struct build_order *order);

/* What an answer says; borrowed from it. */
struct build_reply {
    enum build_outcome outcome;
    size_t blob_size;
    const uint8_t *blob;
    const char *log; /* NULL: there is none */
    uint64_t compile_ns;
};

/* False: it is none. */
bool build_reply_read(struct build_reply *reply, const struct message *message);

#endif /* DNNL_CACHE_WORKER_BUILD_MESSAGE_H */
