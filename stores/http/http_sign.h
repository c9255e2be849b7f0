/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_sign.h: AWS signature version 4, of requests to S3 and what speaks its
 * protocol.
 *
 * libcurl signs, too, but 7.88 signs headers that it does not send ("Expect:"),
 * no body of an upload, and each version other queries.
 */
#ifndef DNNL_CACHE_STORES_HTTP_SIGN_H
#define DNNL_CACHE_STORES_HTTP_SIGN_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct http_keys {
    char *id;
    char *secret;
    char *session; /* a token; NULL: none */
};

/* What is signed. Path and query are escaped as http_escape() does, and the
 * query's parameters are sorted. */
struct http_signed {
    const char *method;
    const char *host; /* as in the header */
    const char *path;
    const char *query;
    const uint8_t *data;
    size_t size;
    const char *region;
    time_t time;
};

/* The headers' values. */
struct http_signature {
    char date[17];    /* x-amz-date */
    char content[65]; /* x-amz-content-sha256 */
    char authorization[640];
};

enum { http_region_most = 64, http_key_id_most = 256 };

void http_sign(struct http_signature *signature,
        const struct http_signed *request, const struct http_keys *keys);

/* All but letters, digits and "-._~" becomes %XX; "/" too, unless it is kept.
 * Returns the bytes written, without the NUL. The room is 3 * size + 1. */
size_t http_escape(char *to, const char *from, size_t size, const char *keep);

/* Turns %XX into bytes, in place. Returns how many. */
size_t http_unescape(char *text, size_t size);

#endif /* DNNL_CACHE_STORES_HTTP_SIGN_H */
