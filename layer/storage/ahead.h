/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h: programs that a refresh beside this process compiles ahead of it, if
 * dnnl-cache-run has started both (ahead_session.h); else nothing. Any thread.
 */
#ifndef DNNL_CACHE_LAYER_STORAGE_AHEAD_H
#define DNNL_CACHE_LAYER_STORAGE_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The application wants the program: nobody need begin it any more. */
void ahead_ask(size_t id_size, const uint8_t *id);

/* After a look-up that found nothing: waits while the program is made, at most
 * as long as it took when it was recorded. True: it may be in the storage now.
 * Once that time was not enough, this process waits no more. */
bool ahead_await(size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_LAYER_STORAGE_AHEAD_H */
