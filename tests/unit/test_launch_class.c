/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of launches: their names, and the local sizes that PoCL chooses. */
#include "src/drivers/launch_choice.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static void expect_name(const char *expected, const struct launch *launch)
{
    char text[launch_class_text_size];
    struct launch_class class;
    ASSERT_TRUE(launch_class_of(&class, launch));
    launch_class_write(text, &class);
    EXPECT_STR_EQ(expected, text);
    const char *list = text;
    struct launch_class read;
    ASSERT_TRUE(launch_class_read_next(&read, &list));
    EXPECT_TRUE(launch_class_is_same(&class, &read));
    EXPECT_STR_EQ("", list);
}

TEST_C(LaunchClass, HasTheNameThatPoclGivesIt)
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
    expect_name("auto-64-8-1-goffs0-smallgrid",
            &(struct launch){2, NULL, global, NULL});
}

TEST_C(LaunchClass, IsReadFromAListUntilSomethingElse)
{
    const char *list = "1-2-3,4-5-6-goffs0,7-8-9-smallgrid,1-1-1-other";
    struct launch_class class;
    ASSERT_TRUE(launch_class_read_next(&class, &list));
    EXPECT_TRUE(class.size[2] == 3 && class.has_offset && !class.is_small);
    ASSERT_TRUE(launch_class_read_next(&class, &list));
    EXPECT_TRUE(class.size[1] == 5 && !class.has_offset && !class.is_small);
    ASSERT_TRUE(launch_class_read_next(&class, &list));
    EXPECT_TRUE(class.size[0] == 7 && class.has_offset && class.is_small);
    EXPECT_FALSE(launch_class_read_next(&class, &list));
    static const char *const wrong[] = {"", "1", "1-2", "1-2-", "-1-2-3",
            "a-b-c", "1-2-3 ", "1--2-3", "0-0-0", "0-1-1-goffs0", "auto-",
            "99999999999-1-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        list = wrong[i];
        EXPECT_FALSE(launch_class_read_next(&class, &list));
        EXPECT_PTR_EQ(wrong[i], list);
    }
}

TEST_C(LaunchClass, IsThatOfWhatADriverAcceptsAlone)
{
    const size_t size[] = {4, 0, 1, 1};
    const size_t offset[] = {0, 0, 0};
    struct launch_class class = {.size = {7, 7, 7}};
    const struct launch wrong[] = {
            {0, offset, size, size},
            {4, offset, size, size},
            {2, offset, size, NULL},
            {2, offset, offset, size},
            {1, offset, NULL, size},
            {1, offset, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_FALSE(launch_class_of(&class, &wrong[i]));
    EXPECT_EQ(7, class.size[0]);
    EXPECT_TRUE(launch_class_of(&class, &(struct launch){1, NULL, size, size}));
}

TEST_C(LaunchClass, GoesThroughANote)
{
    const size_t global[] = {4096, 70000};
    const size_t local[] = {64, 2};
    const size_t offset[] = {0, 8};
    const struct launch launches[] = {{1, NULL, global, local},
            {2, offset, global, local}, {2, NULL, global, NULL}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
        struct launch_class class;
        struct launch_class read;
        EXPECT_FALSE(launch_class_of_note(&read, &note));
        ASSERT_TRUE(launch_class_of(&class, &launches[i]));
        launch_class_put(&note, &class, launches[i].dimensions);
        EXPECT_EQ(launches[i].dimensions, note.work_dim);
        EXPECT_EQ(0, note.local_size[2]); /* no such dimension */
        ASSERT_TRUE(launch_class_of_note(&read, &note));
        EXPECT_TRUE(launch_class_is_same(&class, &read));
    }
}

/* As seen on PoCL 3.1. */
TEST_C(LaunchClass, HasTheLocalSizeThatPoclChooses)
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
        struct launch_class class;
        ASSERT_TRUE(launch_class_of(&class, &launch));
        launch_class_choose(&class, &limits);
        EXPECT_FALSE(class.is_auto);
        for (int k = 0; k < 3; k++)
            EXPECT_EQ(seen[i].local[k], class.size[k]);
    }
}

/* Whatever a device says of itself: the choice ends, and divides the grid. */
TEST_C(LaunchClass, IsAChoiceForAnyDevice)
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
        struct launch_class class;
        ASSERT_TRUE(launch_class_of(&class, &launch));
        launch_class_choose(&class, &limits);
        EXPECT_FALSE(class.is_auto);
        for (int k = 0; k < 3; k++) {
            ASSERT_GT(class.size[k], 0);
            EXPECT_EQ(0, number[k] % class.size[k]);
        }
    }
    /* A grid with more groups than a number holds; no driver has seen it yet.
     */
    const struct launch_limits usual = {{4096, 4096, 4096}, 4096, 8, 16};
    const size_t many = (size_t)1 << (5 * sizeof(size_t));
    const size_t huge[] = {many, many, 1};
    struct launch_class large;
    ASSERT_TRUE(launch_class_of(&large, &(struct launch){3, NULL, huge, NULL}));
    launch_class_choose(&large, &usual);
    EXPECT_FALSE(large.is_auto);
    const struct launch_limits none = {{0, 0, 0}, 0, 0, 0};
    const size_t global[] = {64};
    const struct launch launch = {1, NULL, global, NULL};
    struct launch_class class;
    ASSERT_TRUE(launch_class_of(&class, &launch));
    launch_class_choose(&class, &none);
    EXPECT_TRUE(class.is_auto);
    EXPECT_EQ(64, class.size[0]);
}
