/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/session_line.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/thread.h"
#include "tools/common/state/run_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS UINT64_C(1000000)

/* What takes no longer than a moment is not shown. */
static const uint64_t patience_ns = 1000 * MS_NS;
/* So long nothing is compiled between the programs of one phase. */
static const uint64_t break_ns = 1000 * MS_NS;
/* In a phase, of each call of the compiler. */
static const uint64_t short_patience_ns = 200 * MS_NS;

enum { text_size = 256 };

/* ---- Texts --------------------------------------------------------------- */

/* "", or the begin of what follows. */
static void add_counts(char text[text_size], uint64_t kept, uint64_t deferred)
{
    const size_t size = strlen(text);
    if (kept > 0 && deferred > 0)
        (void)snprintf(text + size, text_size - size,
                "; kept %" PRIu64 ", %" PRIu64 " left for later", kept,
                deferred);
    else if (kept > 0)
        (void)snprintf(text + size, text_size - size, "; kept %" PRIu64, kept);
    else if (deferred > 0)
        (void)snprintf(text + size, text_size - size,
                "; %" PRIu64 " left for later", deferred);
}

/* Programs are counted when they are made: how many an application is going to
 * make nobody knows. */
static void write_progress(char text[text_size], struct run_session *session,
        uint64_t now_ns, uint64_t oldest_ns)
{
    const uint64_t begun = atomic_load(&session->begun);
    const uint64_t created = atomic_load(&session->created);
    const uint64_t loaded = atomic_load(&session->loaded);
    const uint64_t total = created > loaded ? created - loaded : 0;
    const uint64_t ns = atomic_load(&session->compile_ns)
                        + (now_ns > oldest_ns ? now_ns - oldest_ns : 0);
    char of[32] = "";
    if (total > begun) (void)snprintf(of, sizeof of, " of %" PRIu64, total);
    (void)snprintf(text, text_size, "compiling %" PRIu64 "%s, %" PRIu64 " s",
            begun, of, ns / (1000 * MS_NS));
    add_counts(
            text, atomic_load(&session->kept), atomic_load(&session->deferred));
}

/* ---- The thread ---------------------------------------------------------- */

/* Whether it is time to show something, and what. */
static bool is_time(
        struct session_line *line, uint64_t now_ns, uint64_t oldest_ns)
{
    if (line->phase_ns == 0 || now_ns - line->busy_ns > break_ns)
        line->phase_ns = oldest_ns;
    line->busy_ns = now_ns;
    return now_ns > oldest_ns && now_ns - oldest_ns >= short_patience_ns
           && now_ns - line->phase_ns >= patience_ns;
}

static void clear(struct session_line *line)
{
    terminal_line_clear(&line->terminal);
    run_session_set_shown(line->session, line->terminal.is_shown);
}

/* Says first that there will be a line, so that a call of the compiler that
 * ends meanwhile waits until it is gone. */
static void show(struct session_line *line, const char *text)
{
    run_session_set_shown(line->session, true);
    if (run_session_oldest_ns(line->session) != 0)
        terminal_line_show(&line->terminal, text);
    else
        clear(line);
}

/* Who has compiled may print now, also while others compile. */
static void see_ends(struct session_line *line)
{
    const uint64_t ended = atomic_load(&line->session->ended);
    if (ended == line->ended) return;
    line->ended = ended;
    clear(line);
    terminal_line_disturb(&line->terminal);
}

/* Returns for how long nothing is to be done; -1: until a call begins. */
static int step(struct session_line *line)
{
    enum { shown_ms = 20, compiling_ms = 100 };
    char text[text_size];
    struct terminal_line *terminal = &line->terminal;
    see_ends(line);
    const uint64_t oldest = run_session_oldest_ns(line->session);
    const uint64_t now = clock_ns();
    terminal_line_look(terminal);
    if (oldest == 0 || line->is_held) {
        clear(line);
        return -1;
    }
    if (is_time(line, now, oldest) && terminal_line_may_show(terminal)) {
        write_progress(text, line->session, now, oldest);
        show(line, text);
    } else {
        clear(line);
    }
    return terminal->is_shown ? shown_ms : compiling_ms;
}

static void *watch(void *user)
{
    struct session_line *line = user;
    for (bool is_over = false; !is_over;) {
        const uint32_t bell = atomic_load(&line->session->bell);
        pthread_mutex_lock(&line->lock);
        const int ms = step(line);
        is_over = line->is_over;
        pthread_mutex_unlock(&line->lock);
        if (!is_over) run_session_await(line->session, bell, ms);
    }
    return NULL;
}

/* ---- Its life ------------------------------------------------------------ */

/* Of a dnnl-cache-run above this one, which lives. */
static bool is_nested(void)
{
    const char *path = getenv(RUN_SESSION_VARIABLE);
    struct run_session *above = path != NULL ? run_session_open(path) : NULL;
    run_session_close(above);
    return above != NULL;
}

void session_line_init(struct session_line *line, bool is_quiet)
{
    char path[64];
    *line = (struct session_line){.fd = file_none};
    pthread_mutex_init(&line->lock, NULL);
    if (is_quiet || !terminal_line_is_possible(file_standard_error)
            || is_nested())
        return;
    line->fd = run_session_create(&line->session);
    if (line->session == NULL) return;
    terminal_line_init(&line->terminal, file_standard_error);
    (void)snprintf(
            path, sizeof path, "/proc/%ld/fd/%d", process_number(), line->fd);
    (void)environment_set(RUN_SESSION_VARIABLE, path);
}

void session_line_begin(void *user)
{
    struct session_line *line = user;
    if (line->session == NULL) return;
    line->is_running = thread_start(&line->thread, watch, line);
}

void session_line_hold(void *user)
{
    struct session_line *line = user;
    if (line->session == NULL) return;
    pthread_mutex_lock(&line->lock);
    line->is_held = true;
    clear(line);
    pthread_mutex_unlock(&line->lock);
}

void session_line_go_on(void *user)
{
    struct session_line *line = user;
    if (line->session == NULL) return;
    pthread_mutex_lock(&line->lock);
    line->is_held = false;
    pthread_mutex_unlock(&line->lock);
    run_session_ring(line->session);
}

void session_line_end(struct session_line *line)
{
    if (!line->is_running) return;
    pthread_mutex_lock(&line->lock);
    line->is_over = true;
    clear(line);
    pthread_mutex_unlock(&line->lock);
    run_session_ring(line->session);
    pthread_join(line->thread, NULL);
    line->is_running = false;
    clear(line);
}

void session_line_sum_up(struct session_line *line, const char *later)
{
    char text[text_size];
    if (line->session == NULL) return;
    const uint64_t compiled = atomic_load(&line->session->compiled);
    const uint64_t loaded = atomic_load(&line->session->loaded);
    const uint64_t deferred = atomic_load(&line->session->deferred);
    if (compiled == 0) return;
    (void)snprintf(text, sizeof text,
            "dnnl-cache-run: compiled %" PRIu64 " program%s in %.1f s",
            compiled, compiled == 1 ? "" : "s",
            (double)atomic_load(&line->session->compile_ns) / 1e9);
    if (loaded > 0) {
        const size_t size = strlen(text);
        (void)snprintf(
                text + size, sizeof text - size, ", loaded %" PRIu64, loaded);
    }
    add_counts(text, atomic_load(&line->session->kept), deferred);
    char *whole = NULL;
    if (deferred > 0 && asprintf(&whole, "%s: %s", text, later) < 0) return;
    terminal_line_end_with(&line->terminal, whole != NULL ? whole : text);
    free(whole);
}

void session_line_fini(struct session_line *line)
{
    if (line->session != NULL) terminal_line_fini(&line->terminal);
    run_session_close(line->session);
    (void)file_close(line->fd);
    pthread_mutex_destroy(&line->lock);
    *line = (struct session_line){.fd = file_none};
}
