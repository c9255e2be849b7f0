/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_cache: the reference application. The first run compiles, and
 * keeps what it compiled in a store on disk; later runs load it from there.
 *
 *     persistent_cache --store ~/.cache/example        cold: seconds
 *     persistent_cache --store ~/.cache/example        warm: milliseconds
 *
 * How it is done is in cached.c. Here: an engine, five primitives, two
 * programs, and a table of what happened to each.
 */
#include "session.h"
#include <dnnl_cache/file_digests.h>
#include <dnnl_cache/store_types.h>

#include <signal.h>
#include <time.h>
#include <unistd.h>

static void print_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level == dnnl_cache_log_info) return;
    fprintf(stderr, "persistent_cache: %s: %s\n",
            level == dnnl_cache_log_error ? "error" : "warning", text);
}

/* Without a store everything works, only slower: that is a warning. */
static dnnl_cache_store_handle_t *open_store(const struct options *options)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type_at(options->store, options->type);
    struct dnnl_cache_store_options store_options =
            DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    /* Else each start would read all of the driver's large files. */
    (void)dnnl_cache_store_file_digests_attach();
    store_options.path = options->store;
    store_options.capacity = options->capacity;
    store_options.off = options->off;
    store_options.policy = options->policy;
    store_options.log = print_message;
    if (dnnl_cache_store_open(&store, type->name, &store_options)
            != dnnl_success)
        fputs("persistent_cache: warning: going on without a store\n", stderr);
    return store;
}

static dnnl_status_t make_engine(struct session *session)
{
    struct cached cached = session_begin(session, "engine", "engine");
    dnnl_status_t st =
            cached_engine(&cached, &session->engine, &session->device);
    cached_fini(&cached);
    if (st == dnnl_success)
        st = dnnl_stream_create(
                &session->stream, session->engine, dnnl_stream_default_flags);
    if (st != dnnl_success) session_failed("engine", "creation", st);
    return st;
}

static bool open_output(struct session *session)
{
    if (session->options->output[0] == '\0') return true;
    session->output = fopen(session->options->output, "wb");
    if (session->output == NULL) perror(session->options->output);
    return session->output != NULL;
}

/* False if what was written did not all reach the file. */
static bool close_output(struct session *session)
{
    if (session->output == NULL) return true;
    const bool written = fclose(session->output) == 0;
    session->output = NULL;
    if (!written) perror(session->options->output);
    return written;
}

static enum exit_code run(struct session *session)
{
    const struct options *options = session->options;
    if (!open_output(session)) return exit_output;
    if (!device_open(&session->device, options->platform)) return exit_failed;
    session->store = open_store(options);
    dnnl_status_t st = make_engine(session);
    if (st == dnnl_success) st = network_run(session);
    if (st == dnnl_success) st = programs_run(session);
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    if (st != dnnl_success) return exit_failed;

    report_print(&session->report, &session->device);
    if (!close_output(session)) return exit_output;
    if (options->json[0] != '\0'
            && !report_write_json(&session->report, &session->device, options,
                    session->store))
        return exit_output;
    return report_is_wrong(&session->report) ? exit_wrong : exit_ok;
}

static uint64_t now_since_epoch(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    struct options options;
    /* A limit on file sizes is the store's trouble, not this program's end. */
    signal(SIGXFSZ, SIG_IGN);
    if (!options_parse(&options, argc, argv)) return exit_usage;
    if (options.help) {
        options_print_help();
        return exit_ok;
    }
    struct session session = {
            .options = &options, .started_ns = now_since_epoch()};
    dnnl_cache_set_log_callback(print_message, NULL);
    const enum exit_code code = run(&session);
    close_output(&session);
    dnnl_stream_destroy(session.stream);
    dnnl_engine_destroy(session.engine);
    dnnl_cache_store_close(session.store);
    device_close(&session.device);
    return (int)code;
}
