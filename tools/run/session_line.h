/* SPDX-License-Identifier: Apache-2.0 */
/* session_line.h: what a command has compiled so far, in a line on the terminal
 * while it compiles (terminal_line.h), and what came of it in one at its end.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_SESSION_LINE_H
#define DNNL_CACHE_TOOLS_RUN_SESSION_LINE_H

#include "tools/run/terminal_line.h"

#include <pthread.h>

struct run_session;

struct session_line {
    struct run_session *session; /* NULL: nothing is shown */
    int fd;                      /* of the session's file */
    struct terminal_line terminal;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock; /* guards what follows, and the terminal */
    bool is_held;
    bool is_over;
    uint64_t phase_ns; /* since when it has been compiling, with short breaks */
    uint64_t busy_ns;  /* when it was seen to */
    uint64_t ended;    /* calls of the compiler that were seen to end */
};

/* Puts the name of the session into the environment, for the command. Shows
 * nothing unless standard error is a terminal, or if a dnnl-cache-run above
 * this one shows it. */
void session_line_init(struct session_line *line, bool is_quiet);

/* Once the command runs; these three are for struct child_hooks. The line is
 * off the terminal while this process is stopped. */
void session_line_begin(void *line);
void session_line_hold(void *line);
void session_line_go_on(void *line);

/* The command has ended: the line goes. */
void session_line_end(struct session_line *line);
/* Says what was compiled, if anything was. later: what becomes of the rest. */
void session_line_sum_up(struct session_line *line, const char *later);
void session_line_fini(struct session_line *line);

#endif /* DNNL_CACHE_TOOLS_RUN_SESSION_LINE_H */
