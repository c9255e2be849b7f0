/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as the URL of a remote store. One that is refused has a reason and
 * leaves nothing behind; one that is accepted has values in their bounds, and
 * its text for messages means the same place and has no option.
 */
#include "fuzz.h"
#include "stores/remote/thread/remote_url.h"

#include <string.h>

static void require_printable(const char *text)
{
    if (text == NULL) return;
    for (; *text != '\0'; text++)
        REQUIRE((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void require_file(const char *path)
{
    require_printable(path);
    REQUIRE(path == NULL || path[0] == '/');
}

static void require_place(const struct remote_url *u)
{
    require_printable(u->text);
    require_printable(u->host);
    require_printable(u->path);
    REQUIRE(u->text != NULL);
    switch (u->scheme) {
    case remote_scheme_http:
    case remote_scheme_https:
        REQUIRE(u->path != NULL);
        REQUIRE(u->path[0] == '\0'
                || (u->path[0] == '/' && u->path[strlen(u->path) - 1] != '/'));
        break;
    case remote_scheme_redis:
        REQUIRE(u->path == NULL);
        break;
    case remote_scheme_unix:
        REQUIRE(u->host == NULL && u->port == 0 && u->path[0] == '/');
        return;
    default:
        REQUIRE(false);
    }
    REQUIRE(u->port > 0 && u->host != NULL && u->host[0] != '\0');
    REQUIRE(strpbrk(u->host, "/@?[] ") == NULL);
}

static void require_options(const struct remote_url *u)
{
    REQUIRE(u->timeout_ms >= 1 && u->timeout_ms <= 60000);
    REQUIRE(u->max_blob_bytes >= 1);
    REQUIRE(u->user == NULL || u->password_file != NULL);
    REQUIRE((u->client_cert == NULL) == (u->client_key == NULL));
    require_printable(u->user);
    require_printable(u->prefix);
    require_printable(u->aws_region);
    const char *const files[] = {u->key_file, u->old_key_file,
            u->public_key_file, u->old_public_key_file, u->sign_key_file,
            u->encryption_key_file, u->old_encryption_key_file,
            u->password_file, u->token_file, u->ca_file, u->client_cert,
            u->client_key, u->aws_keys_file};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        require_file(files[i]);
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The socket's text is decoded, so it may have what a URL must not. */
static void require_text_means_the_same(const struct remote_url *u)
{
    struct remote_url again;
    char why[remote_why_size];
    if (u->scheme == remote_scheme_unix) return;
    REQUIRE(strchr(u->text, '?') == NULL);
    REQUIRE(remote_url_is_one(u->text));
    REQUIRE(remote_url_parse(&again, u->text, why) == 0);
    REQUIRE(again.scheme == u->scheme && again.port == u->port
            && again.database == u->database && is_same(again.host, u->host)
            && is_same(again.path, u->path));
    remote_url_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct remote_url zeroed;
    struct remote_url url;
    char why[remote_why_size] = "";
    char *text = calloc(1, size + 1);
    REQUIRE(text != NULL);
    if (size > 0) memcpy(text, data, size);
    if (remote_url_parse(&url, text, why) != 0) {
        REQUIRE(why[0] != '\0' && memchr(why, '\0', sizeof why) != NULL);
        require_printable(why);
        REQUIRE(memcmp(&url, &zeroed, sizeof url) == 0);
    } else {
        REQUIRE(remote_url_is_one(text));
        require_place(&url);
        require_options(&url);
        require_text_means_the_same(&url);
    }
    remote_url_fini(&url);
    free(text);
    return 0;
}
