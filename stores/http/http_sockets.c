/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_sockets.h"

#include "src/platform/socket.h"

#include <stdlib.h>

CURLM *http_sockets_make(struct http_sockets *sockets)
{
    *sockets = (struct http_sockets){
            .guards = {KEPT_DESCRIPTOR_NONE, KEPT_DESCRIPTOR_NONE}};
    bool done = socket_make_guard(&sockets->guards[0]) == 0;
    CURLM *multi = done ? curl_multi_init() : NULL;
    done = multi != NULL && socket_make_guard(&sockets->guards[1]) == 0;
    if (done) return multi;
    if (multi != NULL) (void)curl_multi_cleanup(multi);
    http_sockets_fini(sockets);
    return NULL;
}

void http_sockets_fini(struct http_sockets *sockets)
{
    for (size_t i = 0; i < sockets->count; i++)
        kept_descriptor_close(&sockets->list[i]);
    for (size_t i = 0; i < 2; i++)
        kept_descriptor_close(&sockets->guards[i]);
    free(sockets->list);
    sockets->list = NULL;
    sockets->count = sockets->capacity = 0;
}

bool http_sockets_can_wake(const struct http_sockets *sockets)
{
    return kept_descriptor_is_ours(&sockets->guards[0])
           && kept_descriptor_is_ours(&sockets->guards[1]);
}

bool http_sockets_are_ours(const struct http_sockets *sockets)
{
    bool are = http_sockets_can_wake(sockets);
    for (size_t i = 0; i < sockets->count && are; i++)
        are = kept_descriptor_is_ours(&sockets->list[i]);
    return are;
}

static bool add(
        struct http_sockets *sockets, const struct kept_descriptor *kept)
{
    if (sockets->count == sockets->capacity) {
        const size_t capacity =
                sockets->capacity > 0 ? 2 * sockets->capacity : 16;
        struct kept_descriptor *longer =
                realloc(sockets->list, capacity * sizeof *longer);
        if (longer == NULL) return false;
        sockets->list = longer;
        sockets->capacity = capacity;
    }
    sockets->list[sockets->count++] = *kept;
    return true;
}

curl_socket_t http_sockets_open(
        void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct kept_descriptor kept;
    (void)purpose;
    if (socket_make(
                &kept, address->family, address->socktype, address->protocol)
            != 0)
        return CURL_SOCKET_BAD;
    if (add(user, &kept)) return kept.fd;
    kept_descriptor_close(&kept);
    return CURL_SOCKET_BAD;
}

int http_sockets_close(void *user, curl_socket_t fd)
{
    struct http_sockets *sockets = user;
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->list[i].fd != fd) continue;
        kept_descriptor_close(&sockets->list[i]);
        sockets->list[i] = sockets->list[--sockets->count];
        break;
    }
    return 0;
}
