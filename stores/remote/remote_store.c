/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/remote_store.h"

#include "src/common/sized_struct.h"
#include "stores/journal/record_attach.h"
#include "stores/remote/remote_internal.h"
#include "stores/remote/thread/remote_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ms = 1000000;

/* ---- Threads, of each process its own ------------------------------------ */

/* The threads of a parent process are not in its child, and what they have may
 * be half-written there: it is not touched, only kept where leak checkers find
 * it. */
static _Atomic(struct remote_live *) left_alone;

static void leave_alone(struct remote_live *live)
{
    struct remote_live *last = live;
    while (last->former != NULL)
        last = last->former;
    last->former = atomic_load(&left_alone);
    while (!atomic_compare_exchange_weak(&left_alone, &last->former, live))
        ;
}

static void end_live(struct remote_live *live, uint64_t until_ns)
{
    if (live->puts != NULL) remote_thread_end(live->puts, until_ns);
    if (live->gets != NULL) remote_thread_end(live->gets, until_ns);
    remote_leases_release(live->leases);
    free(live);
}

static struct remote_live *make_live(struct remote_store *store)
{
    struct remote_live *live = calloc(1, sizeof *live);
    if (live == NULL) return NULL;
    live->forks = fork_count();
    live->gets = remote_thread_make(&store->core, 0, 0);
    live->puts = remote_thread_make(&store->core, store->options.queue_entries,
            store->options.queue_bytes);
    if (live->gets != NULL) live->leases = remote_leases_make(live->gets);
    if (live->leases != NULL && live->puts != NULL) return live;
    end_live(live, 0);
    return NULL;
}

struct remote_live *remote_store_live(struct remote_store *store)
{
    struct remote_live *live = atomic_load(&store->live);
    if (live != NULL && live->forks == fork_count()) return live;
    struct remote_live *made = make_live(store);
    if (made == NULL) return NULL;
    made->former = live;
    if (atomic_compare_exchange_strong(&store->live, &live, made)) return made;
    made->former = NULL;
    end_live(made, 0); /* another thread was first */
    return live;
}

void remote_store_report_news(
        struct remote_store *store, struct remote_live *live)
{
    char why[remote_why_size];
    remote_marker_report(store);
    /* A tool is told of each failure. */
    if (store->base.options.log == NULL || store->options.is_patient) return;
    if (remote_thread_take_news(live->gets, why))
        store_log(&store->base, dnnl_cache_log_warning,
                "%s: not asked for a while: %s", store->base.options.path, why);
    if (remote_thread_take_news(live->puts, why))
        store_log(&store->base, dnnl_cache_log_warning,
                "%s: nothing is sent for a while: %s", store->base.options.path,
                why);
}

bool remote_store_ask(struct remote_thread *thread, struct remote_call *call)
{
    call->timeout_ns = REMOTE_TOOL_TIMEOUT_NS;
    call->starts_late = true;
    if (!remote_thread_submit(thread, call)) return false;
    remote_call_wait(call, REMOTE_TOOL_TIMEOUT_NS);
    return true;
}

/* ---- What is done with sample stores ------------------------------------- */

static void destroy(struct remote_core *core)
{
    free((char *)core - offsetof(struct remote_store, core));
}

/* A server that is left alone takes nothing. */
static bool is_left_alone(struct remote_live *live)
{
    return remote_thread_is_open(live->puts)
           || remote_thread_is_open(live->gets);
}

static void send_rest(
        struct remote_store *store, struct remote_live *live, uint64_t until_ns)
{
    if (remote_thread_flush(live->puts, until_ns)) return;
    store_log(&store->base, dnnl_cache_log_warning,
            "%s: the server did not take all within %u ms: entries that were "
            "not sent: %zu",
            store->base.options.path, store->options.close_timeout_ms,
            remote_thread_open_requests(live->puts));
}

/* One time-out for all: the moment that threads may take to end is set aside of
 * it. A thread may be in a call that nothing ends, such as one that resolves a
 * name. */
static void end_in_time(struct remote_store *store, struct remote_live *live)
{
    static const uint64_t moment_ns = 100 * ms;
    const uint64_t all_ns = store->options.close_timeout_ms * ms;
    const uint64_t to_send_ns =
            all_ns > moment_ns ? all_ns - moment_ns : all_ns;
    uint64_t until_ns = clock_ns();
    if (!is_left_alone(live)) {
        send_rest(store, live, until_ns + to_send_ns);
        until_ns += to_send_ns;
    }
    remote_store_report_news(store, live);
    if (live->former != NULL) leave_alone(live->former);
    end_live(live, until_ns + moment_ns);
}

static void remote_close(dnnl_cache_store_handle_t *base)
{
    struct remote_store *store = remote_store_of(base);
    struct remote_live *live = atomic_load(&store->live);
    if (live != NULL && live->forks != fork_count())
        leave_alone(live);
    else if (live != NULL)
        end_in_time(store, live);
    remote_keys_close(store->keys);
    store_fini(base);
    remote_core_release(&store->core);
}

static uint64_t remote_bytes(const dnnl_cache_store_handle_t *base)
{
    (void)base;
    return 0;
}

static dnnl_status_t remote_trim(dnnl_cache_store_handle_t *base,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed)
{
    (void)max_bytes;
    (void)max_age_seconds;
    (void)ages;
    (void)removed;
    store_log(base, dnnl_cache_log_error,
            "%s: cannot be trimmed: a server evicts by its own rules",
            base->options.path);
    return dnnl_unimplemented;
}

static const struct store_calls remote_store_calls = {
        .close = remote_close,
        .iterate = remote_store_iterate,
        .bytes = remote_bytes,
        .trim = remote_trim,
        .verify = remote_store_verify,
        .describe_lent = remote_store_describe_lent,
};

bool remote_store_is_other(const dnnl_cache_store_handle_t *store)
{
    return store->calls != &remote_store_calls;
}

static const dnnl_cache_store_t remote_callbacks = {
        .can_put = remote_store_can_put,
        .get = remote_store_get,
        .release = remote_store_release,
        .put = remote_store_put,
        .remove = remote_store_remove,
        .get_many = remote_store_get_many,
};

/* ---- Open ---------------------------------------------------------------- */

static dnnl_status_t open_keys(struct remote_store *store)
{
    const struct remote_url *url = &store->core.url;
    const struct remote_key_files files = {
            .key = url->key_file,
            .old_key = url->old_key_file,
            .public_key = url->public_key_file,
            .old_public_key = url->old_public_key_file,
            .sign_key = url->sign_key_file,
            .encryption_key = url->encryption_key_file,
            .old_encryption_key = url->old_encryption_key_file,
            .insecure = url->insecure,
    };
    char why[remote_why_size] = "";
    const int error = remote_keys_open(&store->keys, &files, why);
    if (error == 0 && remote_keys_sign_for_nobody(store->keys))
        store_log(&store->base, dnnl_cache_log_warning,
                "%s: sign_key_file is not the secret key of public_key_file: "
                "hosts with that alone accept nothing of this one",
                url->text);
    if (error == 0) remote_marker_init(store);
    if (error == 0) return dnnl_success;
    store_log(&store->base, dnnl_cache_log_error, "%s: %s", url->text, why);
    return error == EINVAL ? dnnl_invalid_arguments : store_status_of(error);
}

/* The URL in messages, in place of a path. */
static dnnl_status_t set_name(struct remote_store *store)
{
    char *text = strdup(store->core.url.text);
    if (text == NULL) return dnnl_out_of_memory;
    free((char *)(uintptr_t)store->base.options.path); /* of store_init() */
    store->base.options.path = text;
    return dnnl_success;
}

static dnnl_status_t init(struct remote_store *store,
        const struct dnnl_cache_store_remote_options *options)
{
    struct dnnl_cache_store_options base = DNNL_CACHE_STORE_OPTIONS_INIT;
    const struct remote_url *url = &store->core.url;
    base.path = "/";
    base.read_only = url->read_only;
    base.max_blob_bytes = url->max_blob_bytes;
    base.capacity = DNNL_CACHE_STORE_UNLIMITED;
    base.log = options->log;
    base.log_user = options->log_user;
    dnnl_status_t st = store_init(&store->base, &remote_store_calls,
            &remote_callbacks, &store_usual_defaults, &base);
    if (st == dnnl_success) record_attach(&store->base);
    if (st == dnnl_success) st = set_name(store);
    if (st == dnnl_success) st = open_keys(store);
    if (st == dnnl_success)
        store->base.is_writable =
                !url->read_only && remote_keys_can_make(store->keys);
    return st;
}

static dnnl_status_t check_url(
        struct remote_store *store, const struct remote_transport_calls *calls)
{
    char why[remote_why_size] = "";
    const int error = calls->check(&store->core.url, why);
    if (error == 0) return dnnl_success;
    store_log(&store->base, dnnl_cache_log_error, "%s: %s",
            store->core.url.text, why);
    return error == EINVAL ? dnnl_invalid_arguments : store_status_of(error);
}

dnnl_status_t remote_store_open(dnnl_cache_store_handle_t **opened,
        const struct dnnl_cache_store_remote_options *options,
        struct remote_url *url, const struct remote_transport_calls *transport)
{
    struct remote_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        remote_url_fini(url);
        return dnnl_out_of_memory;
    }
    store->options = *options;
    store->options.url = NULL;
    if (store->options.queue_bytes == 0)
        store->options.queue_bytes = (uint64_t)64 * 1024 * 1024;
    if (store->options.queue_entries == 0) store->options.queue_entries = 256;
    if (store->options.close_timeout_ms == 0)
        store->options.close_timeout_ms = 1000;
    remote_core_init(&store->core, url, transport, destroy);
    dnnl_status_t st = init(store, options);
    if (st == dnnl_success) st = check_url(store, transport);
    if (st == dnnl_success && transport->has_leases
            && store->base.is_writable) {
        store->base.callbacks.acquire_lease = remote_store_acquire_lease;
        store->base.callbacks.release_lease = remote_store_release_lease;
    }
    if (st != dnnl_success) {
        remote_close(&store->base);
        return st;
    }
    *opened = &store->base;
    return dnnl_success;
}

static dnnl_status_t refuse(
        const struct dnnl_cache_store_remote_options *options, int error,
        const char *prefix, const char *why)
{
    const dnnl_cache_store_handle_t nameless = {
            .options = {.log = options->log, .log_user = options->log_user}};
    if (error == ENOMEM) return dnnl_out_of_memory;
    store_log(&nameless, dnnl_cache_log_error, "%s%s", prefix, why);
    return error == EINVAL ? dnnl_invalid_arguments : dnnl_runtime_error;
}

dnnl_status_t dnnl_cache_store_open_remote(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_remote_options *options)
{
    char why[remote_why_size] = "";
    struct remote_url url = {0};
    const struct remote_transport_calls *transport;
    struct dnnl_cache_store_remote_options ours;
    if (store == NULL || options == NULL
            || !sized_struct_read(&ours, sizeof ours, options)
            || ours.url == NULL)
        return dnnl_invalid_arguments;
    int error = remote_url_parse(&url, ours.url, why);
    if (error != 0) return refuse(&ours, error, "", why);
    error = remote_module_find(&transport, url.scheme, why);
    if (error != 0) {
        remote_url_fini(&url);
        return refuse(&ours, error, "remote store: ", why);
    }
    return remote_store_open(store, &ours, &url, transport);
}

bool dnnl_cache_store_is_remote(const char *place)
{
    return remote_url_is_one(place);
}

/* ---- Statistics ---------------------------------------------------------- */

static uint64_t value(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

dnnl_status_t dnnl_cache_store_remote_get_statistics(
        const dnnl_cache_store_handle_t *base,
        struct dnnl_cache_store_remote_statistics *statistics)
{
    if (base == NULL || statistics == NULL
            || base->calls != &remote_store_calls)
        return dnnl_invalid_arguments;
    struct remote_store *store = remote_store_of(base);
    const struct remote_counters *c = &store->core.counters;
    struct dnnl_cache_store_remote_statistics now = {
            .errors = value(&c->errors),
            .timeouts = value(&c->timeouts),
            .refusals = value(&c->refusals),
            .too_large = value(&c->too_large),
            .gets_failed = value(&c->gets_failed),
            .gets_skipped = value(&c->gets_skipped),
            .lists = value(&c->lists),
            .puts_dropped = value(&c->puts_dropped),
            .bytes_received = value(&c->bytes_received),
            .bytes_sent = value(&c->bytes_sent),
            .waited_ns = value(&c->waited_ns),
    };
    struct remote_live *live = remote_store_live(store);
    if (live != NULL) {
        now.puts_queued = remote_thread_open_requests(live->puts);
        now.breaker_opened = remote_thread_opened(live->gets)
                             + remote_thread_opened(live->puts);
        now.is_left_alone = remote_thread_is_open(live->gets);
    }
    return sized_struct_write(&now, sizeof now, statistics)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_cache_store_remote_flush(
        dnnl_cache_store_handle_t *base, unsigned timeout_ms)
{
    if (base == NULL || base->calls != &remote_store_calls)
        return dnnl_invalid_arguments;
    struct remote_store *store = remote_store_of(base);
    struct remote_live *live = remote_store_live(store);
    if (live == NULL) return dnnl_out_of_memory;
    const uint64_t until = clock_ns() + timeout_ms * ms;
    const bool is_done = remote_thread_flush(live->puts, until);
    remote_store_report_news(store, live);
    return is_done ? dnnl_success : dnnl_runtime_error;
}
