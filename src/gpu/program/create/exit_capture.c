/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/exit_capture.h"

#include "src/common/log.h"
#include "src/gpu/device/capture_cost.h"
#include "src/gpu/engine/exit_hook.h"
#include "src/gpu/program/create/capture_all.h"
#include "src/gpu/program/object/program_folder.h"
#include "src/platform/clock.h"
#include "src/platform/terminal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* What the journal has is captured here only where that compiles nothing:
 * nobody asks the driver for the binary any more. */
static bool is_kept_here(struct program *p)
{
    if (p->store == NULL || !store_is_automatic(p->store)
            || once_get_done(&p->captured))
        return false;
    if (!capture_is_costly(p->device)) return true;
    program_note_launched(p);
    return atomic_load(&p->folder) != NULL || !program_is_left_to_journal(p);
}

/* What is left of the time that all calls at the end have together: as long as
 * a form may take (form_queue.c). The end is one thread's. */
static uint64_t time_left(void)
{
    static const uint64_t patience_ns = (uint64_t)10 * 1000000000u;
    static uint64_t until_ns;
    const uint64_t now = clock_ns();
    if (until_ns == 0) until_ns = now + patience_ns;
    return until_ns > now ? until_ns - now : 0;
}

/* Called again for what is left; 0 would be no limit. */
static void capture_at_end(void)
{
    enum { standard_error = 2 };
    const dnnl_cache_capture_options_t options = {
            sizeof options, time_left(), terminal_is(standard_error)};
    if (options.timeout_ns == 0) return;
    struct program **programs;
    size_t count;
    size_t kept = 0;
    if (waiting_list(NULL, NULL, &programs, &count) != dnnl_success) return;
    for (size_t i = 0; i < count; i++) {
        if (is_kept_here(programs[i]))
            programs[kept++] = programs[i];
        else
            program_release(programs[i]);
    }
    (void)capture_programs(programs, kept, &options, NULL, NULL);
}

/* What the application gave for messages may be gone by now. */
static void tell_lost(void)
{
    const uint64_t lost =
            exit_hook_is_own_process() ? waiting_count_uncaptured() : 0;
    if (lost == 0) return;
    log_note_own_thread();
    log_message(dnnl_cache_log_warning, "program",
            "%" PRIu64 " program%s compiled for a store and never captured: "
            "compiled again at the next start. Before the process ends, call "
            "dnnl_cache_engine_capture() (Python: capture_all()) or destroy "
            "the engine; dnnl_cache_persistent_set_dir() on the main thread "
            "does it by itself",
            lost, lost == 1 ? " was" : "s were");
}

static void open_once(void)
{
    exit_hook_set(capture_at_end);
    (void)atexit(tell_lost);
}

void exit_capture_watch(struct program *program)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_once);
    if (store_is_automatic(program->store))
        exit_hook_try(exit_hook_after_build);
    else
        exit_hook_note_process();
}

void exit_capture_left(struct program *program)
{
    if (program->store == NULL || !store_is_automatic(program->store)
            || once_get_done(&program->captured))
        return;
    exit_hook_try(exit_hook_after_build);
    if (capture_is_costly(program->device))
        program_note_left(program);
    else
        program_keep(program);
}
