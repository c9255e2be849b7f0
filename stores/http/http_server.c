/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_server.h"

#include "src/platform/file.h"
#include "stores/remote/thread/remote_secret.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Where --------------------------------------------------------------- */

static bool is_https(const struct remote_url *url)
{
    return url->scheme == remote_scheme_https;
}

static char *make_authority(const struct remote_url *url)
{
    char text[512];
    char port[16] = "";
    const bool is_address = strchr(url->host, ':') != NULL;
    if (url->port != (is_https(url) ? 443 : 80))
        snprintf(port, sizeof port, ":%u", (unsigned)url->port);
    snprintf(text, sizeof text, "%s%s%s%s", is_address ? "[" : "", url->host,
            is_address ? "]" : "", port);
    return strdup(text);
}

/* What is signed must be what is sent, in the one form that signatures have. */
static char *make_path(const struct remote_url *url)
{
    char *raw = strdup(url->path);
    if (raw == NULL || url->aws_region == NULL) return raw;
    const size_t size = http_unescape(raw, strlen(raw));
    char *path = malloc(3 * size + 1);
    if (path != NULL) (void)http_escape(path, raw, size, "/");
    free(raw);
    return path;
}

/* BUCKET.s3.REGION.amazonaws.com and its kin; all others have buckets in their
 * paths. */
static bool is_host_of_a_bucket(const char *host)
{
    const char *dot = strchr(host, '.');
    if (strstr(host, ".amazonaws.com") == NULL) return false;
    for (; dot != NULL; dot = strchr(dot + 1, '.'))
        if (strncmp(dot, ".s3.", 4) == 0 || strncmp(dot, ".s3-", 4) == 0)
            return true;
    return false;
}

size_t http_server_bucket_size(const struct http_server *server)
{
    const char *path = server->path;
    if (is_host_of_a_bucket(server->url->host) || path[0] == '\0') return 0;
    return 1 + strcspn(path + 1, "/");
}

/* ---- Who ----------------------------------------------------------------- */

/* The value behind "name=" at a line's beginning; NULL: there is none. */
static char *find_value(const char *text, const char *name)
{
    const size_t size = strlen(name);
    while (*text != '\0') {
        const size_t line = strcspn(text, "\r\n");
        if (line > size && strncmp(text, name, size) == 0 && text[size] == '=')
            return strndup(text + size + 1, line - size - 1);
        text += line;
        text += strspn(text, "\r\n");
    }
    return NULL;
}

static int read_keys_file(
        struct http_keys *keys, const char *path, char why[remote_why_size])
{
    char *text = NULL;
    const int error = remote_secret_file(&text, "aws_keys_file", path, why);
    if (error != 0) return error;
    keys->id = find_value(text, "aws_access_key_id");
    keys->secret = find_value(text, "aws_secret_access_key");
    keys->session = find_value(text, "aws_session_token");
    remote_secret_free(text);
    if (keys->id != NULL && keys->secret != NULL) return 0;
    snprintf(why, remote_why_size,
            "aws_keys_file %s: expected the lines aws_access_key_id=... and "
            "aws_secret_access_key=...",
            path);
    return EINVAL;
}

static int read_keys_of_environment(struct http_keys *keys,
        const struct remote_url *url, char why[remote_why_size])
{
    if (remote_secret_variable(&keys->id, url, remote_variable_aws_id) != 0
            || remote_secret_variable(
                       &keys->secret, url, remote_variable_aws_secret)
                       != 0
            || remote_secret_variable(
                       &keys->session, url, remote_variable_aws_session)
                       != 0)
        return ENOMEM;
    if (keys->id != NULL && keys->secret != NULL) return 0;
    snprintf(why, remote_why_size,
            "aws_region needs aws_keys_file= or the variables "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    return EINVAL;
}

/* They are sent in headers. */
static bool is_text(const char *text, size_t most)
{
    if (text == NULL) return true;
    for (const char *at = text; *at != '\0'; at++)
        if (*at <= ' ' || *at > '~') return false;
    return strlen(text) <= most;
}

static bool is_region(const char *text)
{
    return strlen(text) <= http_region_most
           && text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")]
                      == '\0';
}

static int read_aws(struct http_server *server, char why[remote_why_size])
{
    const struct remote_url *url = server->url;
    struct http_keys *keys = &server->keys;
    if (url->aws_region == NULL) return 0;
    if (!is_region(url->aws_region)) {
        snprintf(why, remote_why_size, "aws_region is not the name of one");
        return EINVAL;
    }
    if (url->path[0] == '\0' && !is_host_of_a_bucket(url->host)) {
        snprintf(why, remote_why_size,
                "aws_region: expected the bucket in the path: /BUCKET");
        return EINVAL;
    }
    const int error = url->aws_keys_file != NULL
                              ? read_keys_file(keys, url->aws_keys_file, why)
                              : read_keys_of_environment(keys, url, why);
    if (error != 0) return error;
    if (is_text(keys->id, http_key_id_most) && is_text(keys->secret, 1024)
            && is_text(keys->session, 4000))
        return 0;
    snprintf(why, remote_why_size, "the keys for S3 are not ones");
    return EINVAL;
}

static int test_readable(
        const char *what, const char *path, char why[remote_why_size])
{
    int fd = file_none;
    const int error = path != NULL ? file_open(&fd, file_here, path,
                              file_for_reading | file_no_wait, 0)
                                   : 0;
    (void)file_close(fd);
    if (error == 0) return 0;
    snprintf(why, remote_why_size, "%s %s: %s", what, path, strerror(error));
    return error;
}

static int read_secrets(struct http_server *server, char why[remote_why_size])
{
    const struct remote_url *url = server->url;
    int error = 0;
    if (url->user != NULL && strchr(url->user, ':') != NULL) {
        snprintf(why, remote_why_size, "user: no name has a colon");
        return EINVAL;
    }
    if (url->token_file != NULL)
        error = remote_secret_line(
                &server->token, "token_file", url->token_file, why);
    if (error == 0 && url->password_file != NULL)
        error = remote_secret_line(
                &server->password, "password_file", url->password_file, why);
    if (error == 0) error = read_aws(server, why);
    if (error == 0) error = test_readable("ca_file", url->ca_file, why);
    if (error == 0) error = test_readable("client_cert", url->client_cert, why);
    if (error == 0 && url->client_key != NULL)
        error = remote_secret_check("client_key", url->client_key, why);
    return error;
}

int http_server_init(struct http_server *server, const struct remote_url *url,
        char why[remote_why_size])
{
    *server = (struct http_server){.url = url};
    snprintf(why, remote_why_size, "out of memory");
    server->authority = make_authority(url);
    server->path = make_path(url);
    int error = server->authority != NULL && server->path != NULL ? 0 : ENOMEM;
    if (error == 0) error = read_secrets(server, why);
    if (error != 0) http_server_fini(server);
    return error;
}

void http_server_fini(struct http_server *server)
{
    free(server->authority);
    free(server->path);
    remote_secret_free(server->token);
    remote_secret_free(server->password);
    remote_secret_free(server->keys.id);
    remote_secret_free(server->keys.secret);
    remote_secret_free(server->keys.session);
    *server = (struct http_server){.url = server->url};
}
