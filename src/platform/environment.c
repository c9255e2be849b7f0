/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

const char *environment_get(const char *name)
{
    return secure_getenv(name);
}

bool environment_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

int environment_set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? 0 : errno;
}

void environment_unset(const char *name)
{
    (void)unsetenv(name);
}

char **environment_all(void)
{
    return environ;
}

long process_number(void)
{
    return (long)getpid();
}

long process_parent_number(void)
{
    return (long)getppid();
}

uint32_t process_user(void)
{
    return geteuid();
}

const char *process_program_name(void)
{
    return program_invocation_short_name;
}

unsigned process_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

uint64_t process_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

uint64_t process_peak_memory(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

bool process_fill_streams(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0
                && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY)
                           != fd)
            return false;
    return true;
}

bool process_has_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}
