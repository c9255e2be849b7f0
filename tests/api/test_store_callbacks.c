/* SPDX-License-Identifier: Apache-2.0 */
/* Stores whose callbacks take their time, use the library, or detach and
 * replace stores: what others see of it meanwhile, and what the caller gets. */
#include "log_capture.h"
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

#include <stdatomic.h>
#include <string.h>

/* Damages the blobs in a store: each is then answered, released, removed,
 * compiled and put. */
static void damage_all(struct memory_store *store)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        struct bytes *blob = &store->entries[i].blob;
        if (blob->size > 0) blob->data[blob->size - 1] ^= 1;
    }
}

static const enum memory_store_place places[] = {memory_store_asked,
        memory_store_answers, memory_store_released, memory_store_kept,
        memory_store_dropped};
enum { PLACES = sizeof places / sizeof places[0] };

/* ---- Slow callbacks ------------------------------------------------------ */

struct slow {
    struct stored x;
    struct gate gate;
    enum memory_store_place place;
    atomic_bool has_passed; /* only the first one takes its time */
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_cache_program_t program;
    dnnl_status_t status;
};

static void take_time(enum memory_store_place place, void *arg)
{
    struct slow *s = arg;
    if (place == s->place && !atomic_exchange(&s->has_passed, true))
        gate_pass(&s->gate);
}

static void *create_slowly(void *arg)
{
    struct slow *s = arg;
    s->status = dnnl_primitive_create(&s->primitive, s->pd);
    return NULL;
}

/* What other threads do while one is in a callback for its relu. */
static void use_all_else(struct slow *s, dnnl_primitive_desc_t in_memory)
{
    dnnl_primitive_t hit = NULL;
    EXPECT_OK(dnnl_primitive_create(&hit, in_memory));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(hit));
    EXPECT_OK(run_relu(s->x.rig.engine, hit, 9));
    EXPECT_OK(dnnl_primitive_destroy(hit));

    /* Another program of this engine, through the store. */
    dnnl_cache_program_t program = build(s->x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));

    /* Another engine with the same store. */
    struct rig other;
    rig_open(&other, 0);
    EXPECT_OK(dnnl_cache_engine_set_store(other.engine, &s->x.store.callbacks));
    EXPECT_OK(dnnl_primitive_desc_destroy(relu_desc(other.engine, 5, 0.0f)));
    EXPECT_OK(dnnl_engine_destroy(other.engine));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(other.context));
}

/* Is the very primitive there already, while the callback goes on? */
static bool same_is_there(struct slow *s)
{
    dnnl_primitive_t same = NULL;
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s->x.rig.engine, dnnl_cache_compile_mode_cached_only));
    dnnl_status_t st = dnnl_primitive_create(&same, s->pd);
    bool is_hit = st == dnnl_success
                  && origin_of(same) == dnnl_cache_origin_memory_hit;
    EXPECT_OK(dnnl_primitive_destroy(same));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s->x.rig.engine, dnnl_cache_compile_mode_normal));
    return is_hit;
}

/* A store with damaged blobs, the second of whose askers waits in `place`. */
static void slow_open(struct slow *s, enum memory_store_place place)
{
    memset(s, 0, sizeof *s);
    stored_open(&s->x);
    gate_init(&s->gate);
    s->pd = matmul_desc(s->x.rig.engine, 16);
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
    EXPECT_OK(dnnl_primitive_destroy(s->primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    damage_all(&s->x.store);
    stored_restart(&s->x);
    s->pd = matmul_desc(s->x.rig.engine, 16);
    s->place = place;
}

static void slow_close(struct slow *s)
{
    EXPECT_OK(dnnl_primitive_destroy(s->primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    gate_fini(&s->gate);
    stored_close(&s->x);
}

TEST_C(StoreCallbacks, ThatTakeTheirTimeHoldUpNobodyElse)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct slow s;
        struct log_capture log;
        pthread_t thread;
        dnnl_primitive_t ready = NULL;
        log_capture_start(&log);
        slow_open(&s, places[i]);
        dnnl_primitive_desc_t in_memory = relu_desc(s.x.rig.engine, 9, 0.0f);
        EXPECT_OK(dnnl_primitive_create(&ready, in_memory));
        s.x.store.hook = take_time;
        s.x.store.hook_arg = &s;
        ASSERT_EQ(0, pthread_create(&thread, NULL, create_slowly, &s));
        gate_await(&s.gate, 1);
        use_all_else(&s, in_memory);
        /* What is being put is there already. */
        EXPECT_EQ(places[i] == memory_store_kept, same_is_there(&s));
        gate_open(&s.gate);
        pthread_join(thread, NULL);
        log_capture_stop(&log);
        EXPECT_OK(s.status);
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(s.primitive));
        EXPECT_OK(dnnl_primitive_destroy(ready));
        EXPECT_OK(dnnl_primitive_desc_destroy(in_memory));
        slow_close(&s);
    }
}

static void *capture_slowly(void *arg)
{
    struct slow *s = arg;
    s->status = dnnl_cache_program_capture(s->program);
    return NULL;
}

/* A put of what is recompiled and put meanwhile: the old one must not be what
 * stays, and nobody knows which of them came last. */
TEST_C(StoreCallbacks, LeaveNothingOfWhatWasRecompiledMeanwhile)
{
    struct slow s;
    pthread_t thread;
    memset(&s, 0, sizeof s);
    stored_open(&s.x);
    gate_init(&s.gate);
    s.program = build(s.x.rig.engine, scale_source, NULL);
    s.place = memory_store_kept;
    s.x.store.hook = take_time;
    s.x.store.hook_arg = &s;
    ASSERT_EQ(0, pthread_create(&thread, NULL, capture_slowly, &s));
    gate_await(&s.gate, 1);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s.x.rig.engine, dnnl_cache_compile_mode_recompile));
    dnnl_cache_program_t fresh = build(s.x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(fresh));
    EXPECT_EQ(1, memory_store_count(&s.x.store, dnnl_cache_blob_kind_program));
    gate_open(&s.gate);
    pthread_join(thread, NULL);
    EXPECT_OK(s.status);
    EXPECT_EQ(1, s.x.store.removes);
    EXPECT_EQ(0, memory_store_count(&s.x.store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    EXPECT_OK(dnnl_cache_program_destroy(s.program));
    gate_fini(&s.gate);
    stored_close(&s.x);
}

/* ---- Callbacks that use the library -------------------------------------- */

struct user {
    struct stored *x;
    enum memory_store_place place;
    unsigned calls;
    unsigned depth;
    unsigned deepest;
    dnnl_status_t same; /* of the last time it created the relu itself */
    dnnl_cache_origin_t same_origin;
};

/* Creates a program, a primitive, and the very thing that is asked for. */
static void use_library(enum memory_store_place place, void *arg)
{
    struct user *u = arg;
    dnnl_engine_t engine = u->x->rig.engine;
    u->depth++;
    if (u->depth > u->deepest) u->deepest = u->depth;
    if (place == u->place && u->depth == 1) {
        u->calls++;
        dnnl_cache_program_t program = build(engine, scale_source, NULL);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        dnnl_primitive_t matmul = NULL;
        dnnl_primitive_desc_t pd = matmul_desc(engine, 8);
        EXPECT_OK(dnnl_primitive_create(&matmul, pd));
        EXPECT_OK(dnnl_primitive_destroy(matmul));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
        u->same = try_relu(engine, &u->same_origin);
    }
    u->depth--;
}

static void user_start(
        struct user *u, struct stored *x, enum memory_store_place place)
{
    memset(u, 0, sizeof *u);
    u->x = x;
    u->place = place;
    x->store.hook = use_library;
    x->store.hook_arg = u;
}

/* No callback runs inside another, the caller gets its object, and the store
 * in the end what it would have got. */
TEST_C(StoreCallbacks, MayUseTheLibrary)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct stored x;
        struct good_blobs good;
        struct log_capture log;
        struct user u;
        stored_open(&x);
        log_capture_start(&log);
        good_blobs_make(&good, &x);
        damage_all(&x.store);
        stored_restart(&x);
        user_start(&u, &x, places[i]);
        dnnl_cache_origin_t origin;
        EXPECT_OK(try_relu(x.rig.engine, &origin));
        x.store.hook = NULL;
        log_capture_stop(&log);
        EXPECT_GT(u.calls, 0);
        EXPECT_EQ(1, u.deepest);
        struct memory_store_entry engine =
                memory_store_only(&x.store, dnnl_cache_blob_kind_engine);
        EXPECT_TRUE(bytes_equal(&good.engine.blob, &engine.blob));
        bytes_free(&engine.id);
        bytes_free(&engine.blob);
        good_blobs_free(&good);
        stored_close(&x);
    }
}

/* What is being made cannot be had: its own call waits for the callback. */
TEST_STORED(StoreCallbacks, ThatNeedWhatTheyAreAskedForAreToldSo)
{
    struct user u;
    dnnl_cache_origin_t origin;
    dnnl_primitive_desc_t facts = relu_desc(x->rig.engine, 7, 0.5f);
    user_start(&u, x, memory_store_asked);
    EXPECT_OK(try_relu(x->rig.engine, &origin));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin);
    EXPECT_EQ(1, u.calls);
    EXPECT_STATUS(dnnl_runtime_error, u.same);
    EXPECT_OK(dnnl_primitive_desc_destroy(facts));
}

TEST_STORED(StoreCallbacks, FindWhatIsPut)
{
    struct user u;
    dnnl_cache_origin_t origin;
    dnnl_primitive_desc_t facts = relu_desc(x->rig.engine, 7, 0.5f);
    user_start(&u, x, memory_store_kept);
    EXPECT_OK(try_relu(x->rig.engine, &origin));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin);
    EXPECT_EQ(1, u.calls);
    EXPECT_STATUS(dnnl_success, u.same);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, u.same_origin);
    EXPECT_OK(dnnl_primitive_desc_destroy(facts));
}

/* Each nested call compiles once more, and puts nothing, or there would be no
 * end to it. */
TEST_STORED(StoreCallbacks, MayRecompileWhatIsPut)
{
    struct user u;
    dnnl_cache_origin_t origin;
    dnnl_primitive_desc_t facts = relu_desc(x->rig.engine, 7, 0.5f);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x->rig.engine, dnnl_cache_compile_mode_recompile));
    unsigned puts = x->store.puts;
    user_start(&u, x, memory_store_kept);
    EXPECT_OK(try_relu(x->rig.engine, &origin));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin);
    EXPECT_STATUS(dnnl_success, u.same);
    EXPECT_EQ(dnnl_cache_origin_compiled, u.same_origin);
    EXPECT_EQ(puts + 1, x->store.puts);
    EXPECT_OK(dnnl_primitive_desc_destroy(facts));
}

static void need_the_same(enum memory_store_place place, void *arg)
{
    struct user *u = arg;
    if (place != memory_store_asked) return;
    u->calls++;
    u->same = try_relu(u->x->rig.engine, &u->same_origin);
}

/* No build of another thread stands in the way of cached-only calls, and so
 * nothing but the rule that stores are not entered twice. */
TEST_STORED(StoreCallbacks, ThatNeedWhatTheyAreAskedForMissIfCachedOnly)
{
    struct user u;
    dnnl_cache_origin_t origin;
    (void)relu_origin(x->rig.engine);
    stored_restart(x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x->rig.engine, dnnl_cache_compile_mode_cached_only));
    user_start(&u, x, memory_store_asked);
    x->store.hook = need_the_same;
    EXPECT_OK(try_relu(x->rig.engine, &origin));
    EXPECT_EQ(dnnl_cache_origin_store_hit, origin);
    EXPECT_EQ(2, u.calls);
    EXPECT_STATUS(dnnl_cache_miss, u.same);
}

/* The engine's facts are then found by the callback, and still put. */
TEST_STORED(StoreCallbacks, MayEstablishTheFactsTheyAreAskedFor)
{
    struct user u;
    user_start(&u, x, memory_store_asked);
    x->store.hook = need_the_same;
    dnnl_primitive_desc_t pd = relu_desc(x->rig.engine, 7, 0.5f);
    EXPECT_NOT_NULL(pd);
    EXPECT_EQ(1, u.calls);
    EXPECT_STATUS(dnnl_success, u.same);
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_engine));
    EXPECT_EQ(dnnl_cache_origin_compiled, facts_info(x->rig.engine).origin);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* A log callback that does again what it is told of. */
static void try_again(dnnl_cache_log_level_t level, const char *text, void *arg)
{
    struct user *u = arg;
    dnnl_cache_origin_t origin;
    (void)level;
    (void)text;
    u->calls++;
    u->depth++;
    if (u->depth > u->deepest) u->deepest = u->depth;
    EXPECT_STATUS(dnnl_cache_miss, try_relu(u->x->rig.engine, &origin));
    u->depth--;
}

/* A store that fails is told of each time, and cached-only calls always ask
 * it. */
TEST_STORED(StoreCallbacks, ThatFailDoNotDriveALogCallbackOnForEver)
{
    struct user u;
    dnnl_cache_origin_t origin;
    user_start(&u, x, memory_store_asked);
    x->store.hook = NULL;
    x->store.fail = dnnl_runtime_error;
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x->rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_OK(dnnl_cache_set_log_callback(try_again, &u));
    EXPECT_STATUS(dnnl_cache_miss, try_relu(x->rig.engine, &origin));
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    EXPECT_EQ(8, u.deepest);
    EXPECT_EQ(8, u.calls);
}

/* ---- Two threads that need each other's ---------------------------------- */

struct crossing {
    struct stored *own;
    dnnl_engine_t other;
    pthread_barrier_t *both_inside;
    bool entered;
};

/* Waits until both stores are asked, then needs the other engine's facts. */
static void cross(enum memory_store_place place, void *arg)
{
    struct crossing *c = arg;
    if (place != memory_store_asked || c->entered) return;
    c->entered = true;
    pthread_barrier_wait(c->both_inside);
    EXPECT_OK(dnnl_primitive_desc_destroy(relu_desc(c->other, 7, 0.0f)));
}

static void *describe_relu(void *arg)
{
    struct crossing *c = arg;
    EXPECT_OK(dnnl_primitive_desc_destroy(
            relu_desc(c->own->rig.engine, 100, 0.5f)));
    return NULL;
}

/* Two engines, each store needing the other engine: a lock held around the
 * callbacks would never be given back. */
TEST_C(StoreCallbacks, MayUseAnotherEngineInACircle)
{
    struct stored x[2];
    struct crossing c[2];
    pthread_barrier_t both_inside;
    pthread_t threads[2];
    ASSERT_EQ(0, pthread_barrier_init(&both_inside, NULL, 2));
    for (int i = 0; i < 2; i++)
        stored_open(&x[i]);
    for (int i = 0; i < 2; i++) {
        c[i] = (struct crossing){
                &x[i], x[1 - i].rig.engine, &both_inside, false};
        x[i].store.hook = cross;
        x[i].store.hook_arg = &c[i];
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, describe_relu, &c[i]));
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i >= 0; i--)
        stored_close(&x[i]);
    pthread_barrier_destroy(&both_inside);
}

struct bystander {
    struct stored *x;
    dnnl_primitive_desc_t pds[2]; /* two relus of one program */
    dnnl_status_t nested;
    dnnl_status_t status[2];
    struct gate inside; /* the first thread is in get */
    unsigned asked;
};

/* Asked for the program of the first relu: waits for the second relu, which
 * another thread begins meanwhile and which needs that program. */
static void need_the_second(enum memory_store_place place, void *arg)
{
    struct bystander *b = arg;
    dnnl_primitive_t second = NULL;
    if (place != memory_store_asked || b->asked++ > 0) return;
    gate_pass(&b->inside);
    b->nested = dnnl_primitive_create(&second, b->pds[1]);
    EXPECT_OK(dnnl_primitive_destroy(second));
}

static void *create_first(void *arg)
{
    struct bystander *b = arg;
    dnnl_primitive_t primitive = NULL;
    b->status[0] = dnnl_primitive_create(&primitive, b->pds[0]);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    return NULL;
}

/* Whichever of the two closes the circle, the application's calls succeed. */
TEST_C(StoreCallbacks, ThatCloseACircleHarmNoBystander)
{
    for (int round = 0; round < 50; round++) {
        struct stored x;
        struct bystander b = {.x = &x};
        dnnl_primitive_t primitive = NULL;
        pthread_t thread;
        stored_open(&x);
        gate_init(&b.inside);
        for (int i = 0; i < 2; i++)
            b.pds[i] = relu_desc(x.rig.engine, 10 + i, 0.0f);
        x.store.hook = need_the_second;
        x.store.hook_arg = &b;
        ASSERT_EQ(0, pthread_create(&thread, NULL, create_first, &b));
        gate_await(&b.inside, 1);
        gate_open(&b.inside);
        b.status[1] = dnnl_primitive_create(&primitive, b.pds[1]);
        pthread_join(thread, NULL);
        EXPECT_OK(b.status[0]);
        EXPECT_OK(b.status[1]);
        EXPECT_TRUE(b.nested == dnnl_success || b.nested == dnnl_runtime_error);
        if (primitive != NULL) EXPECT_OK(run_relu(x.rig.engine, primitive, 11));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        for (int i = 0; i < 2; i++)
            EXPECT_OK(dnnl_primitive_desc_destroy(b.pds[i]));
        gate_fini(&b.inside);
        stored_close(&x);
    }
}

/* ---- Callbacks that detach ----------------------------------------------- */

static void detach(enum memory_store_place place, void *arg)
{
    struct user *u = arg;
    if (place != u->place) return;
    u->calls++;
    EXPECT_OK(dnnl_cache_engine_set_store(u->x->rig.engine, NULL));
}

/* The call under way ends as it would, with its blob given back; then the
 * store is left alone. */
TEST_C(StoreCallbacks, MayDetachTheirStore)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct stored x;
        struct user u;
        struct log_capture log;
        stored_open(&x);
        (void)relu_origin(x.rig.engine);
        log_capture_start(&log);
        damage_all(&x.store);
        stored_restart(&x);
        unsigned gets = x.store.gets;
        user_start(&u, &x, places[i]);
        x.store.hook = detach;
        EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
        log_capture_stop(&log);
        EXPECT_EQ(1, u.calls);
        EXPECT_EQ(gets + 1, x.store.gets);
        EXPECT_EQ(x.store.hits, x.store.releases);
        stored_close(&x);
    }
}

static void *create_relu(void *arg)
{
    struct slow *s = arg;
    s->status = dnnl_primitive_create(&s->primitive, s->pd);
    return NULL;
}

/* A thread is in get while another replaces the store: what was got goes back
 * where it came from, and the new store gets what is asked for later. */
TEST_C(StoreCallbacks, MayBeUnderWayWhileTheStoreIsReplaced)
{
    struct slow s;
    struct memory_store fresh;
    pthread_t thread;
    memset(&s, 0, sizeof s);
    stored_open(&s.x);
    memory_store_open(&fresh);
    gate_init(&s.gate);
    (void)relu_origin(s.x.rig.engine);
    stored_restart(&s.x);
    s.pd = relu_desc(s.x.rig.engine, 100, 0.5f);
    s.place = memory_store_answers;
    s.x.store.hook = take_time;
    s.x.store.hook_arg = &s;
    ASSERT_EQ(0, pthread_create(&thread, NULL, create_relu, &s));
    gate_await(&s.gate, 1);
    EXPECT_OK(dnnl_cache_engine_set_store(s.x.rig.engine, &fresh.callbacks));
    gate_open(&s.gate);
    pthread_join(thread, NULL);
    EXPECT_OK(s.status);
    EXPECT_EQ(dnnl_cache_origin_store_hit, origin_of(s.primitive));
    EXPECT_EQ(s.x.store.hits, s.x.store.releases);
    unsigned gets = s.x.store.gets;
    unsigned puts = s.x.store.puts;
    dnnl_cache_program_t program = build(s.x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(gets, s.x.store.gets);
    EXPECT_EQ(puts, s.x.store.puts);
    EXPECT_EQ(1, fresh.gets);
    EXPECT_EQ(1, fresh.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_primitive_destroy(s.primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(s.pd));
    gate_fini(&s.gate);
    stored_close(&s.x);
    memory_store_close(&fresh);
}

/* ---- Callbacks that give up the engine ----------------------------------- */

static void give_up_engine(enum memory_store_place place, void *arg)
{
    struct user *u = arg;
    if (place != u->place) return;
    u->calls++;
    EXPECT_OK(dnnl_engine_destroy(u->x->rig.engine));
    u->x->rig.engine = NULL;
}

/* The descriptor keeps it alive, and with it the store. */
TEST_C(StoreCallbacks, MayGiveUpTheEngineOfADescriptor)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct stored x;
        struct user u;
        struct log_capture log;
        dnnl_primitive_t primitive = NULL;
        stored_open(&x);
        (void)relu_origin(x.rig.engine);
        log_capture_start(&log);
        damage_all(&x.store);
        stored_restart(&x);
        dnnl_primitive_desc_t pd = relu_desc(x.rig.engine, 100, 0.5f);
        dnnl_engine_t engine = NULL;
        EXPECT_OK(dnnl_primitive_desc_query(
                pd, dnnl_query_engine, 0, (void *)&engine));
        user_start(&u, &x, places[i]);
        x.store.hook = give_up_engine;
        EXPECT_OK(dnnl_primitive_create(&primitive, pd));
        log_capture_stop(&log);
        EXPECT_EQ(1, u.calls);
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
        EXPECT_OK(run_relu(engine, primitive, 100));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        stored_close(&x);
    }
}

struct last_reference {
    dnnl_engine_t engine;
    unsigned calls;
};

static void give_up_last(enum memory_store_place place, void *arg)
{
    struct last_reference *last = arg;
    if (place != memory_store_kept || last->engine == NULL) return;
    last->calls++;
    EXPECT_OK(dnnl_engine_destroy(last->engine));
    last->engine = NULL;
}

/* The last release of a program, on its way out of the application, puts it;
 * the callback gives up the last reference to another engine, whose programs
 * then go while a callback runs. */
TEST_STORED(StoreCallbacks, MayGiveUpTheLastReferenceToAnEngine)
{
    struct last_reference last = {NULL, 0};
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_engine_set_store(other, &x->store.callbacks));
    EXPECT_OK(dnnl_cache_program_destroy(build(other, scale_source, NULL)));
    last.engine = other;
    x->store.hook = give_up_last;
    x->store.hook_arg = &last;
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, "-DX");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    x->rig.engine = NULL;
    EXPECT_EQ(1, last.calls);
    /* What is released inside a callback is not put. */
    EXPECT_EQ(1, x->store.puts);
}
