/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of launches: their names, and the local sizes that PoCL chooses. */
#include "launch_class.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static void expect_name(const char *expected, const struct launch *launch)
{
    char text[launch_class_text_size];
    const struct launch_class class = launch_class_of(launch);
    launch_class_write(text, &class);
    EXPECT_STR_EQ(expected, text);
    const char *list = text;
    struct launch_class read;
    ASSERT_TRUE(launch_class_read(&read, &list));
    EXPECT_TRUE(launch_class_is_same(&class, &read));
    EXPECT_STR_EQ("", list);
}

TEST_C(LayerLaunchClass, HasTheNameThatPoclGivesIt)
{
    const size_t global[] = {64, 8, 2};
    const size_t wide[] = {1, 65535, 1};
    const size_t narrow[] = {65534, 65534, 1};
    const size_t local[] = {16, 4, 2};
    const size_t offset[] = {0, 0, 1};
    expect_name("16-1-1-goffs0-smallgrid",
            &(struct launch){1, offset, global, local});
    expect_name("16-4-1-goffs0-smallgrid",
            &(struct launch){2, NULL, global, local});
    expect_name("16-4-2-smallgrid", &(struct launch){3, offset, global, local});
    expect_name("16-4-1-goffs0", &(struct launch){2, NULL, wide, local});
    expect_name("16-4-1-goffs0-smallgrid",
            &(struct launch){2, NULL, narrow, local});
    expect_name(
            "0-0-1-goffs0-smallgrid", &(struct launch){2, NULL, global, NULL});
}

TEST_C(LayerLaunchClass, IsReadFromAListUntilSomethingElse)
{
    const char *list = "1-2-3,4-5-6-goffs0,7-8-9-smallgrid,1-1-1-other";
    struct launch_class class;
    ASSERT_TRUE(launch_class_read(&class, &list));
    EXPECT_TRUE(class.local[2] == 3 && class.has_offset && !class.is_small);
    ASSERT_TRUE(launch_class_read(&class, &list));
    EXPECT_TRUE(class.local[1] == 5 && !class.has_offset && !class.is_small);
    ASSERT_TRUE(launch_class_read(&class, &list));
    EXPECT_TRUE(class.local[0] == 7 && class.has_offset && class.is_small);
    EXPECT_FALSE(launch_class_read(&class, &list));
    static const char *const wrong[] = {
            "", "1", "1-2", "1-2-", "-1-2-3", "a-b-c", "1-2-3 ", "1--2-3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        list = wrong[i];
        EXPECT_FALSE(launch_class_read(&class, &list));
        EXPECT_PTR_EQ(wrong[i], list);
    }
}

/* As seen on PoCL 3.1. */
TEST_C(LayerLaunchClass, HasTheLocalSizeThatPoclChooses)
{
    static const struct {
        size_t units;
        size_t global[3];
        size_t local[3];
    } seen[] = {
            {1, {4352, 1, 1}, {2176, 1, 1}},
            {1, {4444, 27, 1}, {404, 1, 1}},
            {1, {1601, 154, 6}, {1, 154, 6}},
            {1, {32, 1, 1}, {32, 1, 1}},
            {1, {2352, 88, 1}, {1176, 1, 1}},
            {1, {737, 45, 9}, {737, 1, 1}},
            {1, {39, 1, 1}, {39, 1, 1}},
            {1, {2885, 2, 1}, {1, 2, 1}},
            {2, {4352, 1, 1}, {2176, 1, 1}},
            {2, {4444, 27, 1}, {404, 1, 1}},
            {2, {1601, 154, 6}, {1, 154, 6}},
            {2, {32, 1, 1}, {32, 1, 1}},
            {2, {2352, 88, 1}, {1176, 1, 1}},
            {2, {737, 45, 9}, {737, 1, 1}},
            {2, {39, 1, 1}, {39, 1, 1}},
            {2, {2885, 2, 1}, {1, 2, 1}},
            {16, {4352, 1, 1}, {272, 1, 1}},
            {16, {4444, 27, 1}, {404, 1, 1}},
            {16, {1601, 154, 6}, {1, 154, 6}},
            {16, {32, 1, 1}, {32, 1, 1}},
            {16, {2352, 88, 1}, {1176, 1, 1}},
            {16, {737, 45, 9}, {737, 1, 1}},
            {16, {39, 1, 1}, {39, 1, 1}},
            {16, {2885, 2, 1}, {1, 2, 1}},
            {16, {560, 88, 1}, {280, 1, 1}},
            {16, {3, 1, 1}, {3, 1, 1}},
            {16, {3908, 145, 1}, {3908, 1, 1}},
            {16, {509, 38, 2}, {1, 38, 2}},
            {16, {768, 1, 1}, {48, 1, 1}},
            {16, {2678, 6, 1}, {2678, 1, 1}},
            {16, {3414, 2, 4}, {1, 1, 4}},
            {16, {12, 1, 1}, {12, 1, 1}},
    };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const struct launch_limits limits = {
                {4096, 4096, 4096}, 4096, 8, seen[i].units};
        const struct launch launch = {3, NULL, seen[i].global, NULL};
        struct launch_class class = launch_class_of(&launch);
        launch_class_choose(&class, &launch, &limits);
        EXPECT_EQ(0, memcmp(class.local, seen[i].local, sizeof class.local));
    }
}

/* Whatever a device says of itself: the choice ends, and divides the grid. */
TEST_C(LayerLaunchClass, IsAChoiceForAnyDevice)
{
    uint64_t state = 12345;
    for (int i = 0; i < 3000; i++) {
        size_t number[8];
        for (int k = 0; k < 8; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            number[k] = 1 + (size_t)(state >> 33) % (k < 3 ? 3000 : 200);
        }
        const struct launch_limits limits = {{number[3], number[4], number[5]},
                number[6], number[7], number[0] % 300};
        const struct launch launch = {3, NULL, number, NULL};
        struct launch_class class = launch_class_of(&launch);
        launch_class_choose(&class, &launch, &limits);
        for (int k = 0; k < 3; k++) {
            ASSERT_GT(class.local[k], 0);
            EXPECT_EQ(0, number[k] % class.local[k]);
        }
    }
    const struct launch_limits none = {{0, 0, 0}, 0, 0, 0};
    const size_t global[] = {64};
    const struct launch launch = {1, NULL, global, NULL};
    struct launch_class class = launch_class_of(&launch);
    launch_class_choose(&class, &launch, &none);
    EXPECT_EQ(0, class.local[0]);
}
