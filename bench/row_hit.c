/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of primitives found in memory, beside oneDNN's own.
 */
#include "row.h"

#include "onednn_peer.h"

enum { BATCH = 2000 };

static bool hit(void *arg, double *value)
{
    struct object *o = arg;
    const struct subject *subject = o->subject;
    bool done = true;
    uint64_t start = clock_ns();
    for (int i = 0; done && i < BATCH; i++) {
        done = subject->create(o);
        subject->drop(o);
    }
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

static bool hit_described(void *arg, double *value)
{
    struct object *o = arg;
    const struct subject *subject = o->subject;
    bool done = true;
    uint64_t start = clock_ns();
    for (int i = 0; done && i < BATCH; i++) {
        done = subject->describe(o) && subject->create(o);
        subject->drop(o);
        subject->forget(o);
    }
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

static bool peer_hit(void *arg, double *value)
{
    uint64_t start = clock_ns();
    bool done = onednn_peer_hit(arg, BATCH);
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

static bool peer_hit_described(void *arg, double *value)
{
    uint64_t start = clock_ns();
    bool done = onednn_peer_hit_described(arg, BATCH);
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

/* Both libraries hold one primitive; described: its descriptor is made anew
 * every time. */
static bool measure(struct bench *bench, const struct row *row,
        const struct subject *subject, bool described, struct result *result)
{
    struct object o;
    struct onednn_peer *peer;
    if (!onednn_peer_open(&peer, ONEDNN_PEER_SIZE)) return false;
    if (!bench_need_engine(bench)
            || !object_open(&o, subject, &bench->device, &bench->engine_blob,
                    ONEDNN_PEER_SIZE)) {
        onednn_peer_close(peer);
        return false;
    }
    struct side ours = {described ? hit_described : hit, &o};
    struct side reference = {described ? peer_hit_described : peer_hit, peer};
    bool done = subject->describe(&o) && subject->create(&o);
    subject->drop(&o);
    if (described) subject->forget(&o);
    done = done && row_measure_in_memory(bench, row, ours, reference, result);
    object_close(&o);
    onednn_peer_close(peer);
    return done;
}

bool measure_hit(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, false, result);
}

bool measure_hit_described(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, true, result);
}
