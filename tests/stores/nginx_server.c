/* SPDX-License-Identifier: Apache-2.0 */
#include "nginx_server.h"

#include "server_process.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define NGINX "/usr/sbin/nginx"

enum { path_size = 320, most_connections = 4096 };

bool nginx_is_there(void)
{
    if (access(NGINX, X_OK) == 0) return true;
    test_skip(__FILE__, __LINE__, "no nginx");
    return false;
}

/* ---- Starting ------------------------------------------------------------ */

/* A port that nobody has. Between this and nginx somebody may take it. */
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

static const char *text_of(const char *lines)
{
    return lines != NULL ? lines : "";
}

static void write_configuration(const struct nginx_process *server,
        const struct nginx_lines *lines, const char *path)
{
    static const char *const folders[] = {"www", "nginx.body", "nginx.other"};
    const char *d = server->directory;
    for (size_t i = 0; i < COUNT(folders); i++) {
        char folder[path_size];
        snprintf(folder, sizeof folder, "%s/%s", d, folders[i]);
        (void)mkdir(folder, 0755);
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        test_fail(__FILE__, __LINE__, "%s cannot be written", path);
        return;
    }
    fprintf(file,
            "daemon off; master_process off; pid %s/nginx.pid;\n"
            "error_log %s/error.log info;\n"
            "events { worker_connections 1024; }\n"
            "http {\n"
            "log_format seen '$connection $request_method $uri "
            "$server_protocol $status expect=$http_expect "
            "bytes=$body_bytes_sent';\n"
            "access_log %s/access.log seen;\n"
            "client_body_temp_path %s/nginx.body; proxy_temp_path "
            "%s/nginx.other;\n"
            "fastcgi_temp_path %s/nginx.other; uwsgi_temp_path "
            "%s/nginx.other;\n"
            "scgi_temp_path %s/nginx.other;\n"
            "client_max_body_size 100m; keepalive_requests 100000;\n"
            "default_type application/octet-stream; server_tokens off;\n",
            d, d, d, d, d, d, d, d);
    fprintf(file,
            "%s\n"
            "server { listen unix:%s; access_log off; return 204; }\n"
            "server {\n"
            "listen 127.0.0.1:%u%s backlog=512;\n"
            "root %s/www;\n",
            text_of(lines->http), server->socket, server->port,
            lines->is_tls ? " ssl http2" : "", d);
    if (lines->is_tls)
        fprintf(file,
                "ssl_certificate %s/server.crt;\n"
                "ssl_certificate_key %s/server.key;\n",
                d, d);
    fprintf(file,
            "%s\n"
            "location / {\n"
            "dav_methods PUT DELETE; create_full_put_path on;\n"
            "%s\n}\n}\n}\n",
            text_of(lines->server), text_of(lines->location));
    if (fclose(file) != 0) test_fail(__FILE__, __LINE__, "not written");
}

/* Asks at the socket, behind all that it was asked before. */
static bool answers(const void *user)
{
    const struct nginx_process *server = user;
    static const char request[] = "GET / HTTP/1.0\r\n\r\n";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer[16] = "";
    memcpy(address.sun_path, server->socket, sizeof address.sun_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_up =
            fd >= 0
            && connect(fd, (struct sockaddr *)&address, sizeof address) == 0
            && send(fd, request, sizeof request - 1, MSG_NOSIGNAL)
                       == (ssize_t)sizeof request - 1
            && recv(fd, answer, sizeof answer - 1, 0) > 0
            && strncmp(answer, "HTTP/1.1 204", 12) == 0;
    if (fd >= 0) (void)close(fd);
    return is_up;
}

void nginx_start(struct nginx_process *server, const struct nginx_lines *lines)
{
    char path[path_size];
    char log[path_size];
    const char *const arguments[] = {
            NGINX, "-c", path, "-p", server->directory, "-e", log, NULL};
    const struct nginx_lines none = {.http = NULL};
    const bool is_again = server->port != 0
                          && strcmp(server->directory, test_directory()) == 0;
    if (!is_again) {
        snprintf(server->directory, sizeof server->directory, "%s",
                test_directory());
        snprintf(server->socket, sizeof server->socket, "%.90s/nginx.sock",
                server->directory);
        server->port = find_port();
    }
    snprintf(path, sizeof path, "%s/nginx.conf", server->directory);
    snprintf(log, sizeof log, "%s/error.log", server->directory);
    (void)unlink(server->socket); /* of one that was killed */
    write_configuration(server, lines != NULL ? lines : &none, path);
    server->pid =
            server_spawn(arguments, lines != NULL ? lines->most_file_bytes : 0);
    if (server_await(server->pid, answers, server)) return;
    server->pid = 0;
    test_fail(__FILE__, __LINE__, "nginx does not answer: see %s", log);
    char text[1024] = "";
    FILE *file = fopen(log, "r");
    if (file == NULL) return;
    while (fgets(text, sizeof text, file) != NULL)
        printf("%s", text);
    (void)fclose(file);
}

void nginx_kill(struct nginx_process *server)
{
    server_kill(&server->pid);
}

/* ---- Its log ------------------------------------------------------------- */

/* One process does all in its order: what was asked before is in the log. */
static FILE *open_log(const struct nginx_process *server)
{
    char path[path_size];
    if (server->pid != 0 && !answers(server))
        test_fail(__FILE__, __LINE__, "nginx does not answer");
    snprintf(path, sizeof path, "%s/access.log", server->directory);
    FILE *file = fopen(path, "r");
    if (file == NULL) test_fail(__FILE__, __LINE__, "nginx has no log");
    return file;
}

size_t nginx_requests(const struct nginx_process *server, const char *text)
{
    char line[1024];
    size_t count = 0;
    FILE *file = open_log(server);
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (strstr(line, text) != NULL) count++;
    (void)fclose(file);
    return count;
}

size_t nginx_connections(const struct nginx_process *server)
{
    static unsigned long seen[most_connections];
    char line[1024];
    size_t count = 0;
    FILE *file = open_log(server);
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const unsigned long number = strtoul(line, NULL, 10);
        size_t i = 0;
        while (i < count && seen[i] != number)
            i++;
        if (i == count && count < most_connections) seen[count++] = number;
    }
    (void)fclose(file);
    return count;
}
