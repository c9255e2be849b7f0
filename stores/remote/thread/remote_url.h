/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_url.h: where a remote store is, and how it is used.
 *
 *     http://HOST[:PORT][/PATH][?OPTIONS]     an object an entry below PATH
 *     https://...
 *     redis://HOST[:PORT][/DATABASE][?OPTIONS]
 *     unix://PATH[?OPTIONS]                   Redis at a Unix socket
 *
 * An option is name=value, separated by "&"; an unknown one is refused. No
 * message and no field but those for it has a secret: secrets are in files.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_URL_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum remote_scheme {
    remote_scheme_http = 1,
    remote_scheme_https = 2,
    remote_scheme_redis = 3,
    remote_scheme_unix = 4
};

enum {
    remote_default_timeout_ms = 200,
    remote_default_lease_ms = 10000,
    remote_default_max_blob_bytes = 256 * 1024 * 1024,
    remote_why_size = 256 /* of a message, with its NUL */
};

/* Variables of the environment that modules use. */
enum remote_variable {
    remote_variable_redis_user,     /* DNNL_CACHE_REDIS_USER */
    remote_variable_redis_password, /* DNNL_CACHE_REDIS_PASSWORD */
    remote_variable_aws_id,         /* AWS_ACCESS_KEY_ID */
    remote_variable_aws_secret,     /* AWS_SECRET_ACCESS_KEY */
    remote_variable_aws_session,    /* AWS_SESSION_TOKEN */
    remote_variable_count
};

/* All strings are owned; NULL where the URL does not say. */
struct remote_url {
    enum remote_scheme scheme;
    char *text;    /* without the options and without a user: for messages */
    char *host;    /* a name or an address, without the brackets of IPv6 */
    uint16_t port; /* 80, 443 or 6379 if the URL has none; unix: 0 */
    /* http: begins with "/" and does not end with one; "" if there is none.
     * unix: the socket. redis: NULL. */
    char *path;
    char *prefix; /* redis: in front of each name; NULL: the module's own */
    unsigned database; /* redis */

    /* ---- Options ---- */
    bool insecure;           /* insecure=1: may be used without a key */
    bool read_only;          /* read_only=1 */
    uint64_t timeout_ms;     /* timeout_ms=, 1 to 60000 */
    uint64_t max_blob_bytes; /* max_blob_bytes=, at least 1 */
    uint64_t ttl_s;          /* ttl_s=; 0: entries stay */
    /* lease_ms=, 100 to 600000: after how long without a sign of a host that
     * compiles another one does; redis. */
    uint64_t lease_ms;
    /* Keys (remote_keys.h). */
    char *key_file;            /* key_file= */
    char *old_key_file;        /* old_key_file=: accepted, not used for puts */
    char *public_key_file;     /* public_key_file= */
    char *old_public_key_file; /* old_public_key_file= */
    char *sign_key_file;       /* sign_key_file= */
    char *encryption_key_file; /* encryption_key_file= */
    char *old_encryption_key_file; /* old_encryption_key_file=: read, not used
                                    * for puts */
    /* Who we are. */
    char *user;          /* user= */
    char *password_file; /* password_file=: one line */
    char *token_file;    /* token_file=: a bearer token, one line */
    /* TLS: of whom a certificate is trusted, and ours. */
    char *ca_file;     /* ca_file=; NULL: the system's */
    char *client_cert; /* client_cert= */
    char *client_key;  /* client_key= */
    /* S3: with a region requests are signed (AWS signature v4). The keys are
     * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the
     * environment, or the lines aws_access_key_id=, ... of a file. */
    char *aws_region;    /* aws_region= */
    char *aws_keys_file; /* aws_keys_file= */

    /* As they were when the URL was read: the application may change its
     * environment while a thread of a store connects. NULL: not set, or empty.
     */
    char *variables[remote_variable_count];
};

/* Reads a URL. 0, EINVAL or ENOMEM with why in words; *url is zeroed then. */
int remote_url_parse(
        struct remote_url *url, const char *text, char why[remote_why_size]);

/* Is it one of the schemes above (or rediss, which is refused later), and not
 * a path? */
bool remote_url_is_one(const char *text);

/* A zeroed one is fine. */
void remote_url_fini(struct remote_url *url);

/* Its value; -1: it is not a hexadecimal digit. */
static inline int remote_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that the %XX at the beginning of so many characters is; -1: there is
 * none. */
static inline int remote_percent_byte(const char *text, size_t size)
{
    const bool may_be = size > 2 && text[0] == '%';
    const int high = may_be ? remote_hex_digit(text[1]) : -1;
    const int low = high >= 0 ? remote_hex_digit(text[2]) : -1;
    return low >= 0 ? 16 * high + low : -1;
}

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_URL_H */
