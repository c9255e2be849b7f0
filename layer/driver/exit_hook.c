/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/exit_hook.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* What compilers of C++ call for objects that are thread_local; of glibc. Where
 * it is missing the hook is never set. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object,
        void *library) __attribute__((weak));
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern void *__dso_handle;

static atomic_bool is_set;
static pthread_t hooked; /* the thread that has it, once it is set */
static void (*_Atomic hook)(void);

static void run(void *unused)
{
    (void)unused;
    atomic_load (&hook)();
}

void exit_hook_try(void (*function)(void))
{
    if (atomic_load(&is_set) || __cxa_thread_atexit_impl == NULL
            || gettid() != getpid())
        return;
    atomic_store(&hook, function);
    if (__cxa_thread_atexit_impl(run, NULL, &__dso_handle) != 0) return;
    hooked = pthread_self();
    atomic_store(&is_set, true);
}

/* A hook is the thread's that set it, and goes into a child with it alone. */
void exit_hook_after_fork(void)
{
    if (!pthread_equal(hooked, pthread_self())) atomic_store(&is_set, false);
}

bool exit_hook_is_set(void)
{
    return atomic_load(&is_set);
}
