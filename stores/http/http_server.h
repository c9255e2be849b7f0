/* SPDX-License-Identifier: Apache-2.0 */
/* http_server.h: where the server is, and who we are for it. */
#ifndef DNNL_CACHE_STORES_HTTP_SERVER_H
#define DNNL_CACHE_STORES_HTTP_SERVER_H

#include "stores/http/http_sign.h"
#include "stores/remote/thread/remote_url.h"

struct http_server {
    const struct remote_url *url;
    char *authority; /* host, with the port if it is not the scheme's own */
    char *path;      /* of the URL; on S3 with the escapes of a signature */
    char *token;     /* a bearer token, or NULL */
    char *password;  /* of url->user, or NULL */
    struct http_keys keys; /* of S3; with a region alone */
};

/* Reads the files with secrets, and tests that the others can be read. 0, or an
 * errno value with why in words. */
int http_server_init(struct http_server *server, const struct remote_url *url,
        char why[remote_why_size]);
void http_server_fini(struct http_server *server);

/* S3: the size of "/BUCKET" in the path; 0 if the host is the bucket's own. */
size_t http_server_bucket_size(const struct http_server *server);

#endif /* DNNL_CACHE_STORES_HTTP_SERVER_H */
