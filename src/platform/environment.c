/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
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

bool environment_usual_path(char path[environment_path_size])
{
    const size_t size = confstr(_CS_PATH, path, environment_path_size);
    return size > 0 && size <= environment_path_size;
}

int environment_set_usual_path(void)
{
    char path[environment_path_size];
    if (getenv("PATH") != NULL) return 0;
    return environment_usual_path(path) ? environment_set("PATH", path)
                                        : ENAMETOOLONG;
}

char **environment_all(void)
{
    return environ;
}

long process_number(void)
{
    return (long)getpid();
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

/* What the kernel counted of this program, in KiB; 0 if it does not say. */
static uint64_t high_water_kib(void)
{
    char line[128];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL) return 0;
    while (kib == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %" SCNu64, &kib) != 1) kib = 0;
    (void)fclose(file);
    return kib;
}

/* What getrusage() says is also of what this process was before: a copy of the
 * one that started it. */
uint64_t process_peak_memory(void)
{
    struct rusage usage = {0};
    const uint64_t kib = high_water_kib();
    if (kib != 0) return kib * 1024;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

uint64_t process_children_ns(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    const struct timeval *user = &usage.ru_utime;
    const struct timeval *system = &usage.ru_stime;
    return (uint64_t)(user->tv_sec + system->tv_sec) * 1000000000u
           + (uint64_t)(user->tv_usec + system->tv_usec) * 1000u;
}

bool process_memory_is_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY
           || getrlimit(RLIMIT_DATA, &limit) != 0
           || limit.rlim_cur != RLIM_INFINITY;
}

uint64_t process_memory_of(long number)
{
    char path[64];
    uint64_t pages = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", number);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%*s %" SCNu64, &pages) != 1) pages = 0;
    (void)fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool process_is_there(long number)
{
    return kill((pid_t)number, 0) == 0 || errno != ESRCH;
}

void process_ignore_write_signals(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
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

bool process_has_reader(FILE *stream)
{
    struct pollfd fd = {.fd = fileno(stream), .events = POLLOUT};
    return poll(&fd, 1, 0) != 1 || (fd.revents & POLLERR) == 0;
}
