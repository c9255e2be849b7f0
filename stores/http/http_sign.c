/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_sign.h"

#include "stores/remote/thread/remote_url.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { hash_size = crypto_hash_sha256_BYTES, hex_size = 2 * hash_size + 1 };

/* ---- Escapes ------------------------------------------------------------- */

static int is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'
           || c == '~';
}

size_t http_escape(char *to, const char *from, size_t size, const char *keep)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)from[i];
        if (is_plain(from[i]) || (c != '\0' && strchr(keep, c) != NULL)) {
            to[used++] = from[i];
            continue;
        }
        to[used++] = '%';
        to[used++] = digits[c >> 4];
        to[used++] = digits[c & 15];
    }
    to[used] = '\0';
    return used;
}

size_t http_unescape(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const int byte = remote_percent_byte(text + i, size - i);
        text[used++] = byte >= 0 ? (char)byte : text[i];
        if (byte >= 0) i += 2;
    }
    return used;
}

/* ---- Signing ------------------------------------------------------------- */

static void to_hex(char hex[hex_size], const unsigned char hash[hash_size])
{
    (void)sodium_bin2hex(hex, hex_size, hash, hash_size);
}

static void mac(unsigned char out[hash_size], const void *key, size_t key_size,
        const char *text)
{
    crypto_auth_hmacsha256_state state;
    (void)crypto_auth_hmacsha256_init(&state, key, key_size);
    (void)crypto_auth_hmacsha256_update(
            &state, (const unsigned char *)text, strlen(text));
    (void)crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(&state, sizeof state);
}

/* The key of one day, region and service. */
static void derive(unsigned char key[hash_size], const struct http_keys *keys,
        const char *day, const char *region)
{
    char first[4096 + 5];
    const int size = snprintf(first, sizeof first, "AWS4%s", keys->secret);
    mac(key, first, (size_t)size, day);
    mac(key, key, hash_size, region);
    mac(key, key, hash_size, "s3");
    mac(key, key, hash_size, "aws4_request");
    sodium_memzero(first, sizeof first);
}

static void add(crypto_hash_sha256_state *state, const char *text)
{
    (void)crypto_hash_sha256_update(
            state, (const unsigned char *)text, strlen(text));
}

/* The hash of the request in its canonical form. */
static void hash_request(char hex[hex_size], const struct http_signed *request,
        const struct http_keys *keys, const struct http_signature *signature,
        const char *names)
{
    crypto_hash_sha256_state state;
    unsigned char hash[hash_size];
    const char *session = keys->session;
    const char *const parts[] = {request->method, "\n", request->path, "\n",
            request->query, "\nhost:", request->host,
            "\nx-amz-content-sha256:", signature->content,
            "\nx-amz-date:", signature->date,
            session != NULL ? "\nx-amz-security-token:" : "",
            session != NULL ? session : "", "\n\n", names, "\n",
            signature->content};
    (void)crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add(&state, parts[i]);
    (void)crypto_hash_sha256_final(&state, hash);
    to_hex(hex, hash);
}

void http_sign(struct http_signature *signature,
        const struct http_signed *request, const struct http_keys *keys)
{
    unsigned char hash[hash_size];
    unsigned char key[hash_size];
    char hex[hex_size];
    char scope[http_region_most + 32];
    char text[sizeof scope + hex_size + 64];
    char day[9];
    struct tm tm;
    const char *names = keys->session != NULL
                                ? "host;x-amz-content-sha256;x-amz-date;"
                                  "x-amz-security-token"
                                : "host;x-amz-content-sha256;x-amz-date";
    (void)gmtime_r(&request->time, &tm);
    (void)strftime(
            signature->date, sizeof signature->date, "%Y%m%dT%H%M%SZ", &tm);
    (void)snprintf(day, sizeof day, "%.8s", signature->date);
    (void)crypto_hash_sha256(hash, request->data, request->size);
    to_hex(signature->content, hash);
    (void)snprintf(
            scope, sizeof scope, "%s/%s/s3/aws4_request", day, request->region);
    hash_request(hex, request, keys, signature, names);
    (void)snprintf(text, sizeof text, "AWS4-HMAC-SHA256\n%s\n%s\n%s",
            signature->date, scope, hex);
    derive(key, keys, day, request->region);
    mac(hash, key, sizeof key, text);
    sodium_memzero(key, sizeof key);
    to_hex(hex, hash);
    (void)snprintf(signature->authorization, sizeof signature->authorization,
            "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
            keys->id, scope, names, hex);
}
