/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h: a program run as a child of this process, which stands in for it:
 * signals that this process receives go to the child, a child that is stopped
 * stops this process, and its exit status is told as a shell would.
 *
 * The child is in the same process group. So signals that a terminal sends
 * reach it by themselves, and are not sent again. If this process is killed, so
 * is the child. For programs whose main is ours, in one thread: process.h
 * starts programs in an application's process.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_CHILD_H
#define DNNL_CACHE_SRC_PLATFORM_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes and gives back the signals that are forwarded. Between the two they
 * wait for child_run(): none gets lost from one child to the next, and none
 * ends this process. */
struct child_signals {
    sigset_t before; /* the mask that this process had */
    struct sigaction child_before;
};
void child_signals_begin(struct child_signals *signals);
void child_signals_end(const struct child_signals *signals);

struct child_end {
    int error;  /* errno of what could not be run; 0: it ran */
    int code;   /* its exit status; of a signal, 128 and the signal */
    int signal; /* that ended it, or 0 */
    /* A signal that asks to end (INT, TERM, HUP, QUIT) came meanwhile; 0: none
     */
    int asked_to_end;
};

/* A program of low priority that runs beside a child, and no longer. */
struct child_beside {
    long number;         /* 0: there is none, or it has ended */
    int code;            /* its exit status */
    int signal;          /* that ended it, or 0 */
    bool is_ended_early; /* by child_end_beside() */
    /* Of processors, by it and its children, once it has ended. */
    uint64_t used_ns;
};

/* What is done while a child runs; each may be NULL. */
struct child_hooks {
    struct child_beside *beside; /* stops, goes on and is waited for, too */
    void (*runs)(void *user);    /* the child is there */
    void (*stops)(void *user);   /* this process is about to stop */
    void (*goes_on)(void *user);
    void *user;
};

/* Runs a program, found as a shell finds it, and waits for its end. output:
 * NULL for the streams of this process; else its standard input is empty, and
 * its standard output goes nowhere if *output is file_none, or both its
 * standard output and error go to that descriptor. hooks may be NULL. */
struct child_end child_run(const struct child_signals *signals,
        char *const arguments[], const int *output,
        const struct child_hooks *hooks);

/* Starts a program at the lowest priority that the system has, with this
 * environment. What it prints goes to the descriptor, or nowhere (file_none).
 * It gets SIGTERM when this process dies, however that happens. */
void child_start_beside(struct child_beside *beside,
        const struct child_signals *signals, char *const arguments[],
        char *const environment[], int output);
/* Ends it: asks first, for half a second. Nothing if it has ended. */
void child_end_beside(struct child_beside *beside);

/* Starts a program as child_start_beside() does, but of this process's
 * priority, and one that outlives this process and its terminal. Waits for its
 * end, at most so long. */
void child_run_behind(const struct child_signals *signals,
        char *const arguments[], char *const environment[], int output,
        unsigned most_ms);

/* Ends this process as the child ended: by the same signal, without a second
 * core file, or with its code. Returns the code if there was no signal. */
int child_end_alike(
        const struct child_signals *signals, const struct child_end *end);

#endif /* DNNL_CACHE_SRC_PLATFORM_CHILD_H */
