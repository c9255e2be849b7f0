/* SPDX-License-Identifier: Apache-2.0 */
/* What a hit on a server costs, over the same bytes by hiredis or libcurl
 * alone; and with encryption, over one without. */
#ifndef BENCH_FLEET_ROWS_H
#define BENCH_FLEET_ROWS_H

#include "fleet_http.h"
#include "fleet_server.h"
#include "report.h"

#include "dnnl_cache/store.h"

struct fleet_rows {
    struct fleet_server *server;
    struct fleet_http *http;
    const char *folder;
    size_t repeat;
    dnnl_cache_store_handle_t *store;      /* on Redis */
    dnnl_cache_store_handle_t *http_store; /* on nginx */
    /* The same, encrypted. */
    dnnl_cache_store_handle_t *secret_store;
    dnnl_cache_store_handle_t *secret_http_store;
};

extern const struct row fleet_rows[];
extern const size_t fleet_row_count;

/* False: failure.h. */
bool fleet_rows_begin(struct fleet_rows *rows);
void fleet_rows_end(struct fleet_rows *rows);
bool fleet_row_measure(
        struct fleet_rows *rows, size_t row, struct result *result);

#endif /* BENCH_FLEET_ROWS_H */
