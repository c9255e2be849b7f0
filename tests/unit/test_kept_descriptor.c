/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/kept_descriptor.h"

#include "src/platform/folder.h"
#include "src/platform/library.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_to_read(void)
{
    int fd;
    EXPECT_EQ(0, file_open(&fd, file_here, "/dev/null", file_for_reading, 0));
    return fd;
}

static void expect_number(bool is_high, int fd)
{
    EXPECT_TRUE(fd >= 0);
    EXPECT_EQ(is_high, fd >= kept_descriptor_lowest);
    EXPECT_EQ(0, close(fd));
}

static void *read_in_own_thread(void *unused)
{
    kept_descriptor_note_thread();
    expect_number(true, open_to_read());
    return unused;
}

/* The application knows of calls of its own threads, and of no others. */
TEST_C(KeptDescriptor, OfAReadIsHighInOurThreadsAlone)
{
    pthread_t thread;
    expect_number(false, open_to_read());
    ASSERT_EQ(0, pthread_create(&thread, NULL, read_in_own_thread, NULL));
    ASSERT_EQ(0, pthread_join(thread, NULL));
    expect_number(false, open_to_read());
}

/* The kernel's table, which a child of fork() has no larger than it needs. */
static int table_size(void)
{
    char text[4096];
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) (void)close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *at = strstr(text, "FDSize:");
    return at != NULL ? atoi(at + sizeof "FDSize:" - 1) : 0;
}

TEST_C(KeptDescriptor, HasRoomBeforeThereIsOne)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        const bool was_free = fcntl(kept_descriptor_lowest, F_GETFD) < 0;
        kept_descriptor_make_room();
        const bool is_free = fcntl(kept_descriptor_lowest, F_GETFD) < 0;
        _exit(is_free == was_free && table_size() > kept_descriptor_lowest ? 0
                                                                           : 1);
    }
    ASSERT_TRUE(child > 0);
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

/* Another folder under the number is not ours, nor is the same one that the
 * application has opened. */
TEST_C(KeptDescriptor, OfAFolderThatWasOpenedAgainIsNotOurs)
{
    struct kept_descriptor kept;
    struct file_facts facts;
    const int other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int same = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_TRUE(other >= 0 && same >= 0);
    ASSERT_EQ(0, kept_descriptor_keep(
                         &kept, kept_descriptor_openat(AT_FDCWD, "/proc",
                                        O_RDONLY | O_DIRECTORY, 0)));
    EXPECT_TRUE(kept_descriptor_look(&kept, &facts));
    EXPECT_EQ(kept.fd, dup2(same, kept.fd));
    EXPECT_FALSE(kept_descriptor_look(&kept, &facts));
    EXPECT_FALSE(kept_descriptor_is_ours(&kept));
    EXPECT_EQ(kept.fd, dup2(other, kept.fd));
    EXPECT_FALSE(kept_descriptor_look(&kept, &facts));
    EXPECT_EQ(0, close(kept.fd));
    EXPECT_FALSE(kept_descriptor_look(&kept, &facts));
    const int number = kept.fd;
    EXPECT_EQ(number, dup2(other, number));
    kept_descriptor_close(&kept); /* the application's: it stays */
    EXPECT_EQ(0, file_facts(&facts, number));
    EXPECT_EQ(0, close(number));
    EXPECT_EQ(0, close(other));
    EXPECT_EQ(0, close(same));
    EXPECT_FALSE(kept_descriptor_look(&kept, &facts)); /* none */
}

/* ---- Numbers that another thread exchanges --------------------------------
 */

static void path_here(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
}

static int open_here(const char *name)
{
    char path[path_size];
    path_here(path, name);
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int count_open(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* The number is the application's: it stays open, and nothing else does. */
static void expect_refused(int error, int fd, const char *name, int count)
{
    char path[path_size];
    path_here(path, name);
    errno = 0;
    EXPECT_EQ(-1, kept_descriptor_raise_named(fd, file_here, path, true));
    EXPECT_EQ(error, errno);
    EXPECT_EQ(count, count_open());
}

TEST_C(KeptDescriptor, ThatTheApplicationHasExchangedIsItsOwn)
{
    const int own = open_here("application");
    const int fd = open_here("ours");
    ASSERT_TRUE(own >= 0 && fd >= 0);
    const int count = count_open();
    EXPECT_EQ(fd, dup2(own, fd));
    expect_refused(ESTALE, fd, "ours", count);
    expect_refused(ESTALE, fd, "missing", count);
    EXPECT_EQ(0, close(fd));
    expect_refused(EBADF, fd, "ours", count - 1);
    EXPECT_EQ(0, close(own));
}

/* A link is followed if it was, and is not if it was not. */
TEST_C(KeptDescriptor, IsWhatItsNameLeadsTo)
{
    char link[path_size];
    path_here(link, "link");
    const int fd = open_here("file");
    ASSERT_EQ(0, symlink("file", link));
    const int count = count_open();
    EXPECT_EQ(-1, kept_descriptor_raise_named(fd, file_here, link, false));
    EXPECT_EQ(ESTALE, errno);
    const int high = kept_descriptor_raise_named(fd, file_here, link, true);
    expect_number(true, high);
    EXPECT_EQ(count - 1, count_open());
    expect_number(true, kept_descriptor_openat(AT_FDCWD, link, O_RDONLY, 0));
}

/* It is closed, and is opened again. */
TEST_C(KeptDescriptor, WhoseNameWentIsClosed)
{
    char path[path_size];
    char other[path_size];
    path_here(path, "file");
    path_here(other, "other");
    const int count = count_open();
    const int fd = open_here("file");
    EXPECT_EQ(0, unlink(path));
    EXPECT_EQ(-1, kept_descriptor_raise_named(fd, file_here, path, true));
    EXPECT_EQ(EAGAIN, errno);
    EXPECT_EQ(count, count_open());
    const int again = open_here("file");
    EXPECT_EQ(0, close(open_here("other")));
    EXPECT_EQ(0, rename(other, path));
    EXPECT_EQ(-1, kept_descriptor_raise_named(again, file_here, path, true));
    EXPECT_EQ(EAGAIN, errno);
    EXPECT_EQ(count, count_open());
}

/* What has no name is told from what has one. */
TEST_C(KeptDescriptor, WithoutANameIsNoFileOfTheApplication)
{
    int ends[2];
    int pipes[2];
    const int own[] = {open_here("application"),
            open("/", O_RDONLY | O_DIRECTORY), open("/dev/null", O_RDWR), -1};
    ASSERT_EQ(0, pipe(pipes));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        const int count = count_open();
        EXPECT_EQ(ends[0], dup2(own[i] >= 0 ? own[i] : pipes[1], ends[0]));
        errno = 0;
        EXPECT_EQ(-1, kept_descriptor_raise(ends[0]));
        EXPECT_EQ(ESTALE, errno);
        EXPECT_EQ(count, count_open());
        EXPECT_EQ(0, close(ends[0]));
        EXPECT_EQ(-1, kept_descriptor_raise(ends[0]));
        EXPECT_EQ(EBADF, errno);
        expect_number(true, kept_descriptor_raise(ends[1]));
        if (own[i] >= 0) EXPECT_EQ(0, close(own[i]));
    }
    expect_number(true, kept_descriptor_raise(memfd_create("ours", 0)));
    EXPECT_EQ(0, close(pipes[0]));
    EXPECT_EQ(0, close(pipes[1]));
    EXPECT_EQ(-1, kept_descriptor_raise(-1));
}

/* An application that puts its own file at a number as soon as ours is there.
 */
struct exchange {
    int own;    /* of a high number */
    int number; /* the lowest that is free */
    atomic_bool is_over;
};

static void *exchange_numbers(void *user)
{
    const struct exchange *exchange = user;
    /* Not by the C library's calls, which ThreadSanitizer takes for a race. */
    while (!atomic_load(&exchange->is_over)) {
        /* EBUSY: a file is being opened for that number. */
        while (syscall(SYS_dup3, exchange->own, exchange->number, O_CLOEXEC) < 0
                && errno == EBUSY)
            continue;
        (void)syscall(SYS_close, exchange->number);
    }
    return NULL;
}

static int write_ours(void)
{
    int fd;
    char path[path_size];
    path_here(path, "ours");
    const int error = file_open(&fd, file_here, path,
            file_for_writing | file_made_if_missing, 0600);
    if (error != 0) return error;
    EXPECT_TRUE(fd >= kept_descriptor_lowest);
    EXPECT_EQ(0, file_write_at(fd, "ours", 4, 0));
    return file_close(fd);
}

TEST_C(KeptDescriptor, IsNotOfTheApplicationWhateverItExchanges)
{
    struct exchange exchange = {.own = -1};
    struct file_facts facts;
    pthread_t thread;
    int written = 0;
    const int low = open_here("application");
    exchange.own = fcntl(low, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    ASSERT_TRUE(exchange.own >= 0);
    EXPECT_EQ(0, close(low));
    exchange.number = low;
    atomic_init(&exchange.is_over, false);
    ASSERT_EQ(0, pthread_create(&thread, NULL, exchange_numbers, &exchange));
    for (int i = 0; i < 40000; i++)
        written += write_ours() == 0;
    EXPECT_EQ(0, file_facts(&facts, exchange.own));
    EXPECT_EQ(0, facts.size);
    EXPECT_TRUE(written > 0);
    atomic_store(&exchange.is_over, true);
    ASSERT_EQ(0, pthread_join(thread, NULL));
    EXPECT_EQ(0, close(exchange.own));
}

/* The mode of a folder is set by its descriptor. */
TEST_C(KeptDescriptor, GivesNoModeToAFileOfTheApplications)
{
    struct exchange exchange = {.own = -1};
    struct file_facts facts;
    pthread_t thread;
    char path[path_size];
    const int low = open_here("application");
    exchange.own = fcntl(low, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    ASSERT_TRUE(exchange.own >= 0);
    EXPECT_EQ(0, file_set_mode(exchange.own, 0600));
    EXPECT_EQ(0, close(low));
    exchange.number = low;
    atomic_init(&exchange.is_over, false);
    ASSERT_EQ(0, pthread_create(&thread, NULL, exchange_numbers, &exchange));
    path_here(path, "folder");
    for (int i = 0; i < 2000; i++) {
        (void)folder_make(file_here, path, 0750, true);
        EXPECT_EQ(0, folder_remove(file_here, path));
    }
    EXPECT_EQ(0, file_facts(&facts, exchange.own));
    EXPECT_EQ(0600, facts.mode);
    atomic_store(&exchange.is_over, true);
    ASSERT_EQ(0, pthread_join(thread, NULL));
    EXPECT_EQ(0, close(exchange.own));
}
