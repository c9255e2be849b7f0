/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/main_end.h"

#include <stddef.h>
#include <unistd.h>

/* What compilers of C++ call for objects that are thread_local; of glibc. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object,
        void *library) __attribute__((weak));
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern void *__dso_handle;

static void run(void *end)
{
    ((const struct main_end *)end)->function();
}

bool main_end_is_here(void)
{
    return gettid() == getpid();
}

bool main_end_call(struct main_end *end)
{
    return __cxa_thread_atexit_impl != NULL && main_end_is_here()
           && __cxa_thread_atexit_impl(run, end, &__dso_handle) == 0;
}
