/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_message.h: what a build queue and its worker process say to each other.
 *
 * Over a socket of bytes that the worker has as its standard input, one message
 * to the worker and one back for each program. A message is a head and items;
 * numbers are little-endian, texts have their NUL. The worker belongs to the
 * library of the same version: if it reads the head of another one, it ends
 * with build_worker_exit_version.
 *
 *     head  u32 magic, u32 version, u64 bytes of all items
 *     item  u32 kind, u32 number, u64 size, size bytes
 */
#ifndef DNNL_CACHE_DRIVERS_BUILD_MESSAGE_H
#define DNNL_CACHE_DRIVERS_BUILD_MESSAGE_H

enum {
    build_message_magic = 0x77626e64, /* "dnbw" */
    build_message_version = 1,
    build_message_head_size = 16,
    build_item_head_size = 16,
    build_message_most = 1 << 30 /* bytes of items */
};

/* Its exit status. */
enum { build_worker_exit_done = 0, build_worker_exit_version = 125 };

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

#endif /* DNNL_CACHE_DRIVERS_BUILD_MESSAGE_H */
