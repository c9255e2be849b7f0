/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_connection.h"
#include "stores/remote/thread/remote_secret.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int redis_server_init(struct redis_server *server, const struct remote_url *url,
        char why[remote_why_size])
{
    int error = 0;
    *server = (struct redis_server){.url = url};
    snprintf(why, remote_why_size, "out of memory");
    if (url->password_file != NULL)
        error = remote_secret_line(
                &server->password, "password file", url->password_file, why);
    else
        error = remote_secret_variable(
                &server->password, url, remote_variable_redis_password);
    if (error == 0 && url->user != NULL) {
        server->user = strdup(url->user);
        if (server->user == NULL) error = ENOMEM;
    } else if (error == 0) {
        error = remote_secret_variable(
                &server->user, url, remote_variable_redis_user);
    }
    if (error == 0 && server->user != NULL && server->password == NULL) {
        snprintf(why, remote_why_size,
                "a user without a password: pass password_file= or set "
                "DNNL_CACHE_REDIS_PASSWORD");
        error = EINVAL;
    }
    if (error != 0) redis_server_fini(server);
    return error;
}

void redis_server_fini(struct redis_server *server)
{
    remote_secret_free(server->password);
    free(server->user);
    *server = (struct redis_server){.url = NULL};
}
