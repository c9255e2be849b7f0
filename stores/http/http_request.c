/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_internal.h"

#include "stores/http/http_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    most_head = 64 * 1024,  /* of all header lines of an answer */
    most_other = 64 * 1024, /* of a body that says what went wrong */
    receive_size = 128 * 1024
};

/* ---- Answers ------------------------------------------------------------- */

static long status_of(const struct http_operation *o)
{
    long status = 0;
    (void)curl_easy_getinfo(o->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static bool wants_body(const struct http_operation *o)
{
    return o->request->verb == remote_verb_get
           || o->request->verb == remote_verb_list;
}

static enum remote_result judge_status(enum remote_verb verb, long status)
{
    const bool is_removal = verb == remote_verb_remove;
    switch (status) {
    case 200:
        return remote_result_done;
    case 201:
    case 202:
    case 204:
        return verb == remote_verb_put || is_removal ? remote_result_done
                                                     : remote_result_failed;
    case 404:
    case 410:
        return is_removal ? remote_result_done
               : verb == remote_verb_get || verb == remote_verb_head
                       ? remote_result_absent
                       : remote_result_refused;
    case 413:
        return remote_result_too_large;
    case 401:
    case 403:
    case 405:
    case 409: /* the folder of a DAV server is not there */
    case 411:
    case 501:
    case 507:
        return remote_result_refused;
    case 500: /* nginx, when its disk is full */
        return verb == remote_verb_put ? remote_result_refused
                                       : remote_result_failed;
    default:
        return status >= 300 && status < 400 ? remote_result_refused
                                             : remote_result_failed;
    }
}

static size_t stop(
        struct http_operation *o, enum remote_result result, const char *why)
{
    o->result = result;
    if (why != NULL)
        snprintf(o->request->why, sizeof o->request->why, "%.127s", why);
    return 0; /* less than it was given: libcurl ends the transfer */
}

/* Of a header: has it this name, and another value than the plain one? */
static bool is_coded(
        const char *line, size_t size, const char *name, const char *plain)
{
    size_t at = strlen(name);
    if (size <= at || strncasecmp(line, name, at) != 0 || line[at] != ':')
        return false;
    do {
        at++;
    } while (at < size && (line[at] == ' ' || line[at] == '\t'));
    while (size > at && strchr(" \t\r\n", line[size - 1]) != NULL)
        size--;
    return size - at != strlen(plain)
           || strncasecmp(line + at, plain, size - at) != 0;
}

/* libcurl would expand what is coded for the transfer: a few bytes could become
 * as many as a blob may have. */
static const struct {
    const char *header;
    const char *plain;
} codings[] = {
        {"Content-Encoding", "identity"}, {"Transfer-Encoding", "chunked"}};

static size_t receive_head(char *line, size_t one, size_t size, void *user)
{
    struct http_operation *o = user;
    (void)one;
    o->head_size += size;
    if (o->head_size > most_head)
        return stop(o, remote_result_failed, "the answer's head is too long");
    if (size > 5 && strncmp(line, "HTTP/", 5) == 0) o->coding = NULL;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
        if (is_coded(line, size, codings[i].header, codings[i].plain))
            o->coding = codings[i].header;
    return size;
}

static size_t receive_list(
        struct http_operation *o, const char *data, size_t size)
{
    if (size > o->request->max_bytes - o->list_size)
        return stop(o, remote_result_too_large, NULL);
    if (size > o->list_capacity - o->list_size) {
        const size_t capacity = 2 * (o->list_size + size);
        char *longer = realloc(o->list, capacity);
        if (longer == NULL) return stop(o, remote_result_out_of_memory, NULL);
        o->list = longer;
        o->list_capacity = capacity;
    }
    memcpy(o->list + o->list_size, data, size);
    o->list_size += size;
    return size;
}

static enum remote_result stop_for_coding(struct http_operation *o)
{
    char why[64];
    snprintf(why, sizeof why, "the answer has a %s", o->coding);
    (void)stop(o, remote_result_failed, why);
    return remote_result_failed;
}

/* The head is whole: is its body one for us? */
static bool begin_body(struct http_operation *o)
{
    curl_off_t size = -1;
    if (o->coding != NULL) {
        (void)stop_for_coding(o);
        return false;
    }
    (void)curl_easy_getinfo(o->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    if (size < 0 || o->request->verb == remote_verb_list) return true;
    if (o->transport->host->expect(o->request, (uint64_t)size)) return true;
    (void)stop(o, remote_result_too_large, NULL);
    return false;
}

static size_t receive_body(char *data, size_t one, size_t size, void *user)
{
    struct http_operation *o = user;
    (void)one;
    if (!wants_body(o) || status_of(o) != 200) {
        o->other_size += size;
        return o->other_size <= most_other ? size : 0;
    }
    if (o->request->body_size == 0 && o->list_size == 0 && !begin_body(o))
        return 0;
    if (o->request->verb == remote_verb_list)
        return receive_list(o, data, size);
    enum remote_result result = remote_result_failed;
    if (o->transport->host->receive(o->request, data, size, &result))
        return size;
    return stop(o, result, NULL);
}

/* ---- Lists --------------------------------------------------------------- */

/* Where names begin behind the bucket. The caller frees it. */
static char *make_prefix(const struct http_server *server)
{
    const char *path = server->path + http_server_bucket_size(server);
    if (path[0] == '/') path++;
    const size_t size = strlen(path);
    char *prefix = malloc(size + 2);
    if (prefix == NULL) return NULL;
    memcpy(prefix, path, size);
    const size_t used = http_unescape(prefix, size);
    prefix[used] = used > 0 ? '/' : '\0';
    prefix[used + (used > 0)] = '\0';
    return prefix;
}

static bool give_name(void *user, const char *name, size_t size)
{
    struct http_operation *o = user;
    const struct remote_host *host = o->transport->host;
    return host->receive(o->request, name, size, &o->result)
           && host->receive(o->request, "", 1, &o->result);
}

static enum remote_result read_list(struct http_operation *o)
{
    char *prefix = make_prefix(&o->transport->server);
    if (prefix == NULL) return remote_result_out_of_memory;
    const bool is_one = o->list != NULL
                        && http_list_parse(o->list, o->list_size, prefix,
                                give_name, o, o->request->cursor);
    free(prefix);
    if (is_one) return remote_result_done;
    if (o->result != remote_result_none) return o->result;
    snprintf(o->request->why, sizeof o->request->why,
            "the answer is not one of ListObjectsV2");
    return remote_result_failed;
}

/* ---- Judging ------------------------------------------------------------- */

static void explain(struct http_operation *o, CURLcode code, long status)
{
    char *why = o->request->why;
    const size_t size = sizeof o->request->why;
    if (why[0] != '\0') return;
    if (code == CURLE_OK || status >= 300)
        snprintf(why, size, "HTTP %ld%s", status,
                status == 401 ? " (user=, password_file=, token_file=)" : "");
    else
        snprintf(why, size, "%.127s",
                o->error[0] != '\0' ? o->error : curl_easy_strerror(code));
    /* What libcurl quotes of an answer may be anything. */
    for (char *at = why; *at != '\0'; at++)
        if (*at < ' ' || *at > '~') *at = '?';
}

enum remote_result http_operation_judge(struct http_operation *o, CURLcode code)
{
    const long status = status_of(o);
    enum remote_result result = o->result;
    /* An answer that is an error counts, even if the rest of it, or of what was
     * sent, was cut off; we cut off what says too much (CURLE_WRITE_ERROR). */
    if (result == remote_result_none
            && (code == CURLE_OK || code == CURLE_WRITE_ERROR || status >= 300))
        result = judge_status(o->request->verb, status);
    else if (result == remote_result_none)
        /* Also "out of memory", which libcurl says of a long header. */
        result = code == CURLE_FILESIZE_EXCEEDED ? remote_result_too_large
                                                 : remote_result_failed;
    if (result == remote_result_done && code == CURLE_OK && o->coding != NULL
            && wants_body(o) && o->request->body_size == 0)
        result = stop_for_coding(o);
    if (result == remote_result_done && o->request->verb == remote_verb_list)
        result = read_list(o);
    if (result != remote_result_done && result != remote_result_absent)
        explain(o, code, status);
    return result;
}

/* ---- What is sent -------------------------------------------------------- */

static size_t send_body(char *to, size_t one, size_t room, void *user)
{
    struct http_operation *o = user;
    const size_t left = o->request->size - o->sent;
    size_t size = one * room;
    if (size > left) size = left;
    if (size > 0) memcpy(to, o->request->data + o->sent, size);
    o->sent += size;
    return size;
}

/* A kept connection was closed by the server: libcurl sends again by another.
 */
static int rewind_body(void *user, curl_off_t offset, int origin)
{
    struct http_operation *o = user;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > o->request->size)
        return CURL_SEEKFUNC_FAIL;
    o->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* ---- Options ------------------------------------------------------------- */

#define SET(option, value) \
    (ok = ok && curl_easy_setopt(easy, option, value) == CURLE_OK)

/* Those of all requests. */
static bool set_common(struct http_operation *o)
{
    CURL *easy = o->easy;
    const struct remote_url *url = o->transport->server.url;
    bool ok = true;
    SET(CURLOPT_PRIVATE, (char *)o);
    SET(CURLOPT_ERRORBUFFER, o->error);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* never joins a resolver that hangs */
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    /* The environment's proxies are for other things than a cache nearby. */
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_USERAGENT, "dnnl_cache");
    SET(CURLOPT_HTTP09_ALLOWED, 0L);
    SET(CURLOPT_BUFFERSIZE, (long)receive_size);
    SET(CURLOPT_HEADERFUNCTION, receive_head);
    SET(CURLOPT_HEADERDATA, o);
    SET(CURLOPT_WRITEFUNCTION, receive_body);
    SET(CURLOPT_WRITEDATA, o);
    SET(CURLOPT_READFUNCTION, send_body);
    SET(CURLOPT_READDATA, o);
    SET(CURLOPT_SEEKFUNCTION, rewind_body);
    SET(CURLOPT_SEEKDATA, o);
    SET(CURLOPT_OPENSOCKETFUNCTION, http_sockets_open);
    SET(CURLOPT_OPENSOCKETDATA, &o->transport->sockets);
    SET(CURLOPT_CLOSESOCKETFUNCTION, http_sockets_close);
    SET(CURLOPT_CLOSESOCKETDATA, &o->transport->sockets);
    /* Of two kinds of addresses the second must have its time, too. */
    SET(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, (long)(url->timeout_ms / 4 + 1));
    if (url->scheme == remote_scheme_https) {
        SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        SET(CURLOPT_PIPEWAIT, 1L); /* HTTP/2 does with one connection */
        SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        SET(CURLOPT_SSL_VERIFYPEER, 1L);
        SET(CURLOPT_SSL_VERIFYHOST, 2L);
        if (url->ca_file != NULL) {
            SET(CURLOPT_CAINFO, url->ca_file);
            SET(CURLOPT_CAPATH, NULL); /* and no others */
        }
        if (url->client_cert != NULL) {
            SET(CURLOPT_SSLCERT, url->client_cert);
            SET(CURLOPT_SSLKEY, url->client_key);
            SET(CURLOPT_KEYPASSWD, ""); /* asks no terminal */
        }
    } else {
        SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    }
    return ok;
}

static bool set_authorization(struct http_operation *o)
{
    CURL *easy = o->easy;
    const struct http_server *server = &o->transport->server;
    bool ok = true;
    if (server->token != NULL) {
        SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        SET(CURLOPT_XOAUTH2_BEARER, server->token);
    } else if (server->password != NULL) {
        SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        SET(CURLOPT_USERNAME, server->url->user);
        SET(CURLOPT_PASSWORD, server->password);
    }
    return ok;
}

struct http_operation *http_operation_make(struct remote_transport *t)
{
    struct http_operation *o = calloc(1, sizeof *o);
    if (o == NULL) return NULL;
    o->transport = t;
    o->easy = curl_easy_init();
    if (o->easy != NULL && set_common(o) && set_authorization(o)) return o;
    http_operation_destroy(o);
    return NULL;
}

void http_operation_destroy(struct http_operation *o)
{
    if (o == NULL) return;
    http_operation_end(o);
    curl_easy_cleanup(o->easy);
    free(o);
}

bool http_operation_may_be_reused(void)
{
    return curl_version_info(CURLVERSION_NOW)->version_num >= 0x080100;
}

void http_operation_end(struct http_operation *o)
{
    curl_slist_free_all(o->headers);
    free(o->list);
    o->headers = NULL;
    o->list = NULL;
    o->list_size = 0;
    o->list_capacity = 0;
    o->request = NULL;
}

static bool append(
        struct curl_slist **list, const char *name, const char *value)
{
    char header[4096 + 64];
    snprintf(header, sizeof header, "%s%s", name, value);
    struct curl_slist *longer = curl_slist_append(*list, header);
    if (longer != NULL) *list = longer;
    return longer != NULL;
}

static const char *method_of(enum remote_verb verb)
{
    switch (verb) {
    case remote_verb_put:
        return "PUT";
    case remote_verb_head:
        return "HEAD";
    case remote_verb_remove:
        return "DELETE";
    default:
        return "GET";
    }
}

/* The headers of a request that is signed. */
static bool sign(struct http_operation *o, const char *path, const char *query)
{
    const struct http_server *server = &o->transport->server;
    struct http_signature signature;
    const struct http_signed request = {
            .method = method_of(o->request->verb),
            .host = server->authority,
            .path = path,
            .query = query,
            .data = o->request->data,
            .size = o->request->size,
            .region = server->url->aws_region,
            .time = time(NULL),
    };
    http_sign(&signature, &request, &server->keys);
    bool ok =
            append(&o->headers, "Authorization: ", signature.authorization)
            && append(&o->headers, "x-amz-date: ", signature.date)
            && append(&o->headers, "x-amz-content-sha256: ", signature.content);
    if (ok && server->keys.session != NULL)
        ok = append(
                &o->headers, "x-amz-security-token: ", server->keys.session);
    for (const struct curl_slist *h = o->transport->headers; h != NULL;
            h = h->next)
        ok = ok && append(&o->headers, h->data, "");
    return ok;
}

/* Of an object, or of what lists them. The caller frees it; NULL: no memory. */
static char *make_path(const struct http_operation *o)
{
    const struct http_server *server = &o->transport->server;
    const bool is_list = o->request->verb == remote_verb_list;
    size_t size = strlen(server->path);
    if (is_list) size = http_server_bucket_size(server);
    char *path = malloc(size + sizeof o->request->name + 2);
    if (path == NULL) return NULL;
    (void)sprintf(path, "%.*s%s%s", (int)size, server->path,
            is_list && size > 0 ? "" : "/", is_list ? "" : o->request->name);
    return path;
}

static char *make_query(const struct http_operation *o)
{
    if (o->request->verb != remote_verb_list) return strdup("");
    char *prefix = make_prefix(&o->transport->server);
    if (prefix == NULL) return NULL;
    char *query = http_list_query(prefix, o->request->cursor);
    free(prefix);
    return query;
}

static bool set_url(struct http_operation *o)
{
    const struct http_server *server = &o->transport->server;
    char *path = make_path(o);
    char *query = make_query(o);
    char *url = NULL;
    bool ok = path != NULL && query != NULL
              && asprintf(&url, "%s://%s%s%s%s",
                         server->url->scheme == remote_scheme_https ? "https"
                                                                    : "http",
                         server->authority, path, query[0] != '\0' ? "?" : "",
                         query)
                         >= 0
              && curl_easy_setopt(o->easy, CURLOPT_URL, url) == CURLE_OK;
    if (ok && server->url->aws_region != NULL) ok = sign(o, path, query);
    free(url);
    free(query);
    free(path);
    return ok;
}

static bool set_verb(struct http_operation *o)
{
    CURL *easy = o->easy;
    const struct remote_request *request = o->request;
    const bool is_put = request->verb == remote_verb_put;
    const uint64_t most = request->max_bytes;
    bool ok = true;
    SET(CURLOPT_CUSTOMREQUEST, NULL);
    SET(CURLOPT_HTTPGET, 1L); /* resets the others */
    SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)0);
    SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)(is_put ? request->size : 0));
    if (is_put) SET(CURLOPT_UPLOAD, 1L);
    if (request->verb == remote_verb_head) SET(CURLOPT_NOBODY, 1L);
    if (request->verb == remote_verb_remove)
        SET(CURLOPT_CUSTOMREQUEST, "DELETE");
    if (request->verb == remote_verb_get && most < INT64_MAX)
        SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)most);
    return ok;
}

enum remote_result http_operation_begin(
        struct http_operation *o, struct remote_request *request)
{
    CURL *easy = o->easy;
    bool ok = true;
    o->request = request;
    o->sent = 0;
    o->head_size = 0;
    o->other_size = 0;
    o->coding = NULL;
    o->result = remote_result_none;
    o->error[0] = '\0';
    ok = set_verb(o) && set_url(o);
    SET(CURLOPT_HTTPHEADER,
            o->headers != NULL ? o->headers : o->transport->headers);
    /* After a time-out a new connection: the old one may lead nowhere. */
    SET(CURLOPT_MAXLIFETIME_CONN, o->transport->was_late ? 1L : 0L);
    return ok ? remote_result_done : remote_result_out_of_memory;
}
