/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a terminal, and of who writes to it. */
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/terminal.h"

#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Both ends of a new one, which is nobody's. */
struct pair {
    int person;
    int program;
};

static void make_pair(struct pair *pair)
{
    *pair = (struct pair){.person = posix_openpt(O_RDWR | O_NOCTTY)};
    ASSERT_TRUE(pair->person >= 0);
    ASSERT_EQ(0, grantpt(pair->person));
    ASSERT_EQ(0, unlockpt(pair->person));
    pair->program = open(ptsname(pair->person), O_RDWR | O_NOCTTY);
    ASSERT_TRUE(pair->program >= 0);
}

static void close_pair(const struct pair *pair)
{
    (void)close(pair->program);
    (void)close(pair->person);
}

TEST_C(Terminal, TellsItsModeSizeAndWhatWasTyped)
{
    struct pair pair;
    struct termios modes;
    make_pair(&pair);
    const int fd = pair.program;
    EXPECT_TRUE(terminal_is(fd));
    EXPECT_TRUE(terminal_can_write(fd));
    EXPECT_TRUE(!terminal_is_in_foreground(fd));
    EXPECT_EQ(24, terminal_size_of(fd).rows);
    EXPECT_EQ(80, terminal_size_of(fd).columns);
    EXPECT_EQ(0, ioctl(fd, TIOCSWINSZ,
                         &(struct winsize){.ws_row = 7, .ws_col = 33}));
    EXPECT_EQ(7, terminal_size_of(fd).rows);
    EXPECT_EQ(33, terminal_size_of(fd).columns);
    EXPECT_EQ(0, terminal_count_typed(fd));
    EXPECT_EQ(0, file_write_all(pair.person, "ab\n", 3));
    /* The system takes it over a moment later. */
    for (int i = 0; i < 10000 && terminal_count_typed(fd) < 3; i++)
        clock_sleep_ns(1000000);
    EXPECT_EQ(3, terminal_count_typed(fd));
    EXPECT_TRUE(terminal_edits_lines(fd));
    EXPECT_EQ(0, tcgetattr(fd, &modes));
    modes.c_lflag &= ~(tcflag_t)ECHO;
    EXPECT_EQ(0, tcsetattr(fd, TCSANOW, &modes));
    EXPECT_TRUE(!terminal_edits_lines(fd));
    EXPECT_EQ(0, tcflow(fd, TCOOFF));
    EXPECT_TRUE(!terminal_can_write(fd));
    EXPECT_EQ(0, tcflow(fd, TCOON));
    close_pair(&pair);
}

TEST_C(Terminal, WatchTellsOnceOfEachWrite)
{
    struct pair pair;
    int watch;
    make_pair(&pair);
    terminal_watch(&watch, pair.program);
    ASSERT_TRUE(watch != file_none);
    EXPECT_TRUE(!terminal_was_written_to(watch));
    EXPECT_EQ(0, file_write_all(pair.program, "x", 1));
    EXPECT_TRUE(terminal_was_written_to(watch));
    EXPECT_TRUE(!terminal_was_written_to(watch));
    (void)file_close(watch);
    close_pair(&pair);
}

TEST_C(Terminal, IsNoFileAndNothing)
{
    const int fd = open("/dev/null", O_RDWR);
    ASSERT_TRUE(fd >= 0);
    EXPECT_TRUE(!terminal_is(fd));
    EXPECT_TRUE(!terminal_edits_lines(fd));
    EXPECT_TRUE(!terminal_is(file_none));
    EXPECT_TRUE(!terminal_was_written_to(file_none));
    close(fd);
}
