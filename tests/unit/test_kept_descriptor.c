/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/kept_descriptor.h"

#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int open_one(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
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
    expect_number(true, kept_descriptor_raise_read(open_one()));
    expect_number(true, kept_descriptor_raise(open_one()));
    return unused;
}

/* The application knows of calls of its own threads, and of no others. */
TEST_C(KeptDescriptor, OfAReadIsHighInOurThreadsAlone)
{
    pthread_t thread;
    expect_number(false, kept_descriptor_raise_read(open_one()));
    expect_number(true, kept_descriptor_raise(open_one()));
    ASSERT_EQ(0, pthread_create(&thread, NULL, read_in_own_thread, NULL));
    ASSERT_EQ(0, pthread_join(thread, NULL));
    expect_number(false, kept_descriptor_raise_read(open_one()));
    EXPECT_EQ(-1, kept_descriptor_raise_read(-1));
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
    ASSERT_EQ(0, kept_descriptor_keep(&kept,
                         open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
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
