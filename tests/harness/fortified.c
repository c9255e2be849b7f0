/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of glibc's that musl lacks, for static libraries that were made for
 * glibc: those that check sizes (_FORTIFY_SOURCE), without the check, and names
 * of calls with 64 bits. Also one of Linux' that tests replace. For tests alone
 * (scripts/musl_root.sh).
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);
void __explicit_bzero_chk(void *to, size_t size, size_t room);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int fcntl64(int descriptor, int command, ...);
int renameat2(int from_folder, const char *from, int to_folder, const char *to,
        unsigned flags);

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    (void)room;
    return memcpy(to, from, size);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
    (void)room;
    return memset(to, byte, size);
}

void __explicit_bzero_chk(void *to, size_t size, size_t room)
{
    volatile unsigned char *bytes = to;
    (void)room;
    while (size-- > 0)
        *bytes++ = 0;
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    const int written = vfprintf(file, format, arguments);
    va_end(arguments);
    return written;
}

/* A long holds an int, too, where this is run. */
int fcntl64(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    const long argument = va_arg(arguments, long);
    va_end(arguments);
    return fcntl(descriptor, command, argument);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to,
        unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
