/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_internal.h: what the parts of the module for HTTP know of each other.
 *
 * http_transport.c is what the core calls: libcurl's multi handle, deadlines,
 * waiting. http_request.c makes transfers of requests and judges the answers,
 * http_server.c says where and who, http_sign.c signs for S3, http_list.c reads
 * what it lists, http_sockets.c keeps account of descriptors, http_exit.c is
 * for exit() amid a transfer.
 *
 * All of it belongs to one thread at a time, the core's or a caller's that it
 * is lent to, but for remote_transport.wake().
 */
#ifndef DNNL_CACHE_STORES_HTTP_INTERNAL_H
#define DNNL_CACHE_STORES_HTTP_INTERNAL_H

#include "stores/http/http_server.h"
#include "stores/http/http_sockets.h"
#include "stores/remote/thread/remote_transport.h"

#include <curl/curl.h>
#include <pthread.h>

/* A transfer, for one request after the other. */
struct http_operation {
    struct http_operation *next, **at; /* in one of the lists */
    struct remote_transport *transport;
    CURL *easy;
    /* Of the request that it has: */
    struct remote_request *request;
    struct curl_slist *headers; /* its own ones; NULL: those of all */
    size_t sent;
    /* Of the answer: */
    size_t head_size;
    size_t other_size;  /* of a body that is none for us */
    const char *coding; /* the header that says its body is coded; or NULL */
    enum remote_result result; /* why a callback ended it; none: it did not */
    char *list;                /* what S3 lists */
    size_t list_size, list_capacity;
    char error[CURL_ERROR_SIZE];
};

struct remote_transport {
    struct http_server server;
    const struct remote_host *host;
    pthread_mutex_t wake_lock; /* guards the two below against wake(); leaf */
    CURLM *multi;
    struct http_sockets sockets;
    struct curl_slist *headers;
    struct http_operation *operations;
    struct http_operation *abandoned; /* at the end of the process */
    struct http_operation *idle;
    unsigned idle_count;
    bool is_done; /* something was, in this drive() */
    /* A request timed out and none was answered since: its connection is not
     * trusted to be one. */
    bool was_late;
    bool is_lent;     /* to a caller, which must not block */
    bool was_refused; /* meanwhile: who we are is to be read again */
    uint64_t seen_ns; /* when its descriptors were looked at */
    uint64_t secrets_read_ns;
    struct remote_transport *next_left; /* of those that the process leaves */
};

/* ---- http_request.c ------------------------------------------------------ */

/* A transfer; NULL: no memory. */
struct http_operation *http_operation_make(struct remote_transport *transport);
void http_operation_destroy(struct http_operation *operation);
/* False: libcurl before 8.1.0 must not get a second transfer of one handle. An
 * answer whose first header begins with a blank would be appended to a header
 * of the answer before, which is freed. */
bool http_operation_may_be_reused(void);
/* Sets all options for a request. Done: go ahead. */
enum remote_result http_operation_begin(
        struct http_operation *operation, struct remote_request *request);
/* What a transfer came to that has ended, with the request's "why". */
enum remote_result http_operation_judge(
        struct http_operation *operation, CURLcode code);
/* Forgets the request. */
void http_operation_end(struct http_operation *operation);

/* ---- http_exit.c --------------------------------------------------------- */

/* Begins a call of libcurl that may use TLS. False: the process ends, and what
 * libcurl needs may be gone. */
bool http_exit_enter(const struct remote_transport *transport);
void http_exit_leave(const struct remote_transport *transport);
/* A request is on its way, and done. */
void http_exit_begin(const struct remote_transport *transport,
        const struct remote_request *request);
void http_exit_end(const struct remote_transport *transport,
        const struct remote_request *request);
/* Once, after libcurl's initialisation. */
void http_exit_watch(void);

#endif /* DNNL_CACHE_STORES_HTTP_INTERNAL_H */
