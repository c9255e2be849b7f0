/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what an HTTP server answers: a byte that says to which request,
 * and how large a body may be, an answer or none, and a second one for the next
 * request: status line, headers and body, in chunks or not. The module's own
 * request runs on it, by a local socket. A body is not larger than it may be;
 * one that is done is of a good status; what fails says why, in printable
 * characters.
 */
#include "pieces.h"
#include "stores/http/http_internal.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const enum remote_verb verbs[] = {remote_verb_get, remote_verb_put,
        remote_verb_head, remote_verb_remove, remote_verb_list};
enum { verb_count = sizeof verbs / sizeof *verbs };

/* The server: libcurl connects to a socket without a name in any folder. */
static char socket_name[64];
static int listener;
static CURLM *multi;

static void open_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int size = snprintf(
            socket_name, sizeof socket_name, "dnnl_cache_fuzz_%d", getpid());
    memcpy(address.sun_path + 1, socket_name, (size_t)size);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    REQUIRE(bind(listener, (const struct sockaddr *)&address,
                    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1
                                + (size_t)size))
            == 0);
    REQUIRE(listen(listener, 4) == 0);
    REQUIRE(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
    multi = curl_multi_init();
    REQUIRE(multi != NULL);
}

/* Says all that it will say at once; what it is asked does not matter. */
static int take_client(const struct piece *bytes)
{
    const int client = accept(listener, NULL, NULL);
    if (client < 0) return client;
    REQUIRE(send(client, bytes->data, bytes->size, MSG_NOSIGNAL)
            == (ssize_t)bytes->size);
    REQUIRE(shutdown(client, SHUT_WR) == 0);
    return client;
}

static CURLcode transfer(CURL *easy, const struct piece *bytes)
{
    int client = -1;
    int running = 1;
    int left = 0;
    REQUIRE(curl_multi_add_handle(multi, easy) == CURLM_OK);
    while (running > 0) {
        REQUIRE(curl_multi_perform(multi, &running) == CURLM_OK);
        if (client < 0) client = take_client(bytes);
        if (running > 0) (void)curl_multi_poll(multi, NULL, 0, 10, NULL);
    }
    const CURLMsg *message = curl_multi_info_read(multi, &left);
    REQUIRE(message != NULL && message->msg == CURLMSG_DONE);
    const CURLcode code = message->data.result;
    REQUIRE(client >= 0 && code != CURLE_COULDNT_CONNECT);
    REQUIRE(curl_multi_remove_handle(multi, easy) == CURLM_OK);
    (void)close(client);
    return code;
}

/* ---- The core's part ----------------------------------------------------- */

static bool expect(struct remote_request *request, uint64_t size)
{
    return size <= request->max_bytes;
}

static bool receive(struct remote_request *request, const void *data,
        size_t size, enum remote_result *result)
{
    if (size > request->max_bytes - request->body_size) {
        *result = remote_result_too_large;
        return false;
    }
    touch(data, size);
    request->body_size += size;
    return true;
}

static const struct remote_host host = {.expect = expect, .receive = receive};

static struct remote_transport *transport(void)
{
    static struct remote_transport made;
    static char authority[] = "127.0.0.1";
    static struct remote_url url = {.scheme = remote_scheme_http,
            .host = authority,
            .timeout_ms = 1000};
    static char path[] = "/cache";
    made.server = (struct http_server){
            .url = &url, .authority = authority, .path = path};
    made.host = &host;
    return &made;
}

/* ---- One answer ---------------------------------------------------------- */

static void check(
        const struct remote_request *request, enum remote_result result)
{
    REQUIRE(result > remote_result_none && result <= remote_result_dropped);
    REQUIRE(memchr(request->why, '\0', sizeof request->why) != NULL);
    REQUIRE(memchr(request->cursor, '\0', sizeof request->cursor) != NULL);
    for (const char *at = request->why; *at != '\0'; at++)
        REQUIRE(*at >= ' ' && *at <= '~');
    REQUIRE(request->body_size <= request->max_bytes);
    if (result == remote_result_failed || result == remote_result_refused)
        REQUIRE(request->why[0] != '\0');
}

static void answer(
        struct http_operation *o, unsigned how, const struct piece *bytes)
{
    static const uint8_t body[] = "what is put";
    struct remote_request request = {.verb = verbs[how % verb_count],
            .name = "0123",
            .data = body,
            .size = sizeof body,
            .max_bytes = how / verb_count % 2 == 0 ? 100 : 1 << 16};
    REQUIRE(http_operation_begin(o, &request) == remote_result_done);
    const CURLcode code = transfer(o->easy, bytes);
    const enum remote_result result = http_operation_judge(o, code);
    check(&request, result);
    /* A body that is cut is none. */
    if (result == remote_result_done
            && (request.verb == remote_verb_get
                    || request.verb == remote_verb_list))
        REQUIRE(code == CURLE_OK);
    http_operation_end(o);
}

static struct http_operation *make_operation(void)
{
    struct http_operation *o = http_operation_make(transport());
    REQUIRE(o != NULL);
    curl_easy_setopt(o->easy, CURLOPT_OPENSOCKETFUNCTION, NULL);
    curl_easy_setopt(o->easy, CURLOPT_CLOSESOCKETFUNCTION, NULL);
    curl_easy_setopt(o->easy, CURLOPT_ABSTRACT_UNIX_SOCKET, socket_name);
    curl_easy_setopt(o->easy, CURLOPT_FORBID_REUSE, 1L);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { most = 64 << 10 }; /* that a socket holds at once */
    static struct http_operation *o;
    struct pieces pieces = {data, size < most ? size : most};
    const unsigned how = pieces_byte(&pieces);
    struct piece answers[2];
    answers[0] = pieces_next(&pieces);
    answers[1] = pieces_rest(&pieces);
    if (multi == NULL) open_server();
    for (size_t i = 0; i < 2; i++) {
        if (i > 0 || answers[i].size > 0) {
            if (o == NULL) o = make_operation();
            answer(o, how, &answers[i]);
        }
        free(answers[i].data);
        if (o == NULL || http_operation_may_be_reused()) continue;
        http_operation_destroy(o);
        o = NULL;
    }
    return 0;
}
