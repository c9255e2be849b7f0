/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_http.h"

#include "failure.h"
#include "src/platform/clock.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { path_size = 320 };

/* ---- The server ---------------------------------------------------------- */

static unsigned find_port(void)
{
    struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    unsigned port = 0;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0
            && getsockname(fd, (struct sockaddr *)&address, &size) == 0)
        port = ntohs(address.sin_port);
    if (fd >= 0) (void)close(fd);
    return port;
}

static bool write_configuration(
        const struct fleet_http *server, const char *path)
{
    static const char *const kinds[] = {
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"};
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fprintf(file,
            "daemon off; master_process off; pid %s/nginx.pid;\n"
            "events { worker_connections 1024; }\n"
            "http {\naccess_log off; keepalive_requests 1000000;\n"
            "sendfile on; tcp_nopush on; client_max_body_size 100m;\n",
            server->folder);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fprintf(file, "%s_temp_path %s/nginx.other;\n", kinds[i],
                server->folder);
    fprintf(file,
            "server { listen 127.0.0.1:%u; root %s/www;\n"
            "location / { dav_methods PUT DELETE; create_full_put_path on; }\n"
            "}\n}\n",
            server->port, server->folder);
    return fclose(file) == 0;
}

static bool answers(const struct fleet_http *server)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
            .sin_addr = {htonl(INADDR_LOOPBACK)},
            .sin_port = htons((uint16_t)server->port)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_up =
            fd >= 0
            && connect(fd, (const struct sockaddr *)&address, sizeof address)
                       == 0;
    if (fd >= 0) (void)close(fd);
    return is_up;
}

/* Into memory of its own, as much as the server says. */
static size_t keep(char *bytes, size_t one, size_t size, void *user)
{
    struct fleet_http *server = user;
    (void)one;
    if (server->buffer == NULL) {
        curl_off_t length = 0;
        (void)curl_easy_getinfo(
                server->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        server->capacity = length > 0 ? (size_t)length : 0;
        server->buffer = malloc(server->capacity);
    }
    if (server->buffer == NULL || size > server->capacity - server->size)
        return 0;
    memcpy(server->buffer + server->size, bytes, size);
    server->size += size;
    return size;
}

static bool make_handle(struct fleet_http *server)
{
    server->curl = curl_easy_init();
    return server->curl != NULL
           && curl_easy_setopt(server->curl, CURLOPT_WRITEFUNCTION, keep)
                      == CURLE_OK
           && curl_easy_setopt(server->curl, CURLOPT_WRITEDATA, server)
                      == CURLE_OK
           && curl_easy_setopt(server->curl, CURLOPT_PROXY, "") == CURLE_OK;
}

bool fleet_http_start(
        struct fleet_http *server, const char *program, const char *folder)
{
    enum { limit_ms = 20000, pause_ms = 10 };
    char path[path_size];
    char log[path_size];
    *server = (struct fleet_http){.port = find_port()};
    snprintf(server->folder, sizeof server->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/www", server->folder);
    (void)mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/nginx.conf", server->folder);
    snprintf(log, sizeof log, "%s/nginx.log", server->folder);
    if (!write_configuration(server, path) || !make_handle(server)) {
        failure_set("%s cannot be written, or no memory", path);
        return false;
    }
    const char *const arguments[] = {
            program, "-c", path, "-p", server->folder, "-e", log, NULL};
    server->pid = fork();
    if (server->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execvp(program, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    for (int waited = 0; waited < limit_ms; waited += pause_ms) {
        if (answers(server)) return true;
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid) break;
        (void)poll(NULL, 0, pause_ms);
    }
    failure_set("%s does not answer", program);
    return false;
}

void fleet_http_end(struct fleet_http *server)
{
    if (server->curl != NULL) curl_easy_cleanup(server->curl);
    if (server->pid > 0) {
        (void)kill(server->pid, SIGKILL);
        while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *server = (struct fleet_http){.pid = 0};
}

/* ---- Objects ------------------------------------------------------------- */

bool fleet_http_write(
        const struct fleet_http *server, const char *name, size_t size)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/www/%s", server->folder, name);
    FILE *file = fopen(path, "w");
    bool is_good = file != NULL;
    for (size_t i = 0; i < size && is_good; i++)
        is_good = putc((int)(i * 2654435761u >> 24 & 0xff), file) != EOF;
    if (file != NULL && fclose(file) != 0) is_good = false;
    if (!is_good) failure_set("%s: cannot be written", path);
    return is_good;
}

bool fleet_http_get(struct fleet_http *server, const char *name, double *value)
{
    char url[path_size];
    long status = 0;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/%s", server->port, name);
    const uint64_t start = clock_ns();
    server->size = 0;
    server->buffer = NULL;
    const bool is_good =
            curl_easy_setopt(server->curl, CURLOPT_URL, url) == CURLE_OK
            && curl_easy_perform(server->curl) == CURLE_OK;
    free(server->buffer);
    *value = (double)(clock_ns() - start);
    (void)curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &status);
    if (is_good && status == 200) return true;
    failure_set("libcurl: GET failed");
    return false;
}
