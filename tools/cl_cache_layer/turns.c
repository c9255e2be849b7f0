/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <pthread.h>

#include <xxhash.h>

enum { LOCKS = 16 };

/* Each guards what drivers keep of the binaries of its IDs. The driver is
 * called with one held, as that is what it is for; nobody else is. */
static pthread_mutex_t locks[LOCKS];

/* In a child of fork() those are not there whose turn it was. */
static void make_locks(void)
{
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
}

void turns_init(void)
{
    make_locks();
    pthread_atfork(NULL, NULL, make_locks);
}

unsigned turns_begin(size_t id_size, const uint8_t *id)
{
    const unsigned turn = (unsigned)(XXH3_64bits(id, id_size) % LOCKS);
    pthread_mutex_lock(&locks[turn]);
    return turn;
}

void turns_end(unsigned turn)
{
    pthread_mutex_unlock(&locks[turn]);
}
