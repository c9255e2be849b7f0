/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/array.h"
#include "src/common/buffer.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <stdint.h>
#include <string.h>

TEST_C(ByteOrder, StoresLeastSignificantByteFirst)
{
    uint8_t bytes[9] = {0};
    const uint8_t le16[] = {0x02, 0x01};
    store_le16(bytes + 1, 0x0102);
    EXPECT_BYTES_EQ(le16, 2, bytes + 1, 2);
    const uint8_t le32[] = {0x04, 0x03, 0x02, 0x81};
    store_le32(bytes + 1, 0x81020304);
    EXPECT_BYTES_EQ(le32, 4, bytes + 1, 4);
    const uint8_t le64[] = {8, 7, 6, 5, 4, 3, 2, 0x81};
    store_le64(bytes + 1, UINT64_C(0x8102030405060708));
    EXPECT_BYTES_EQ(le64, 8, bytes + 1, 8);
    EXPECT_EQ(0, bytes[0]);
}

TEST_C(ByteOrder, LoadsWhatItStored)
{
    uint8_t bytes[9];
    store_le16(bytes + 1, 0xfedc);
    EXPECT_EQ(0xfedc, load_le16(bytes + 1));
    store_le32(bytes + 1, 0xfedcba98);
    EXPECT_EQ(0xfedcba98, load_le32(bytes + 1));
    store_le64(bytes + 1, UINT64_C(0xfedcba9876543210));
    EXPECT_TRUE(load_le64(bytes + 1) == UINT64_C(0xfedcba9876543210));
}

TEST_C(Buffer, StartsEmptyAndGood)
{
    struct buffer b;
    buffer_init(&b);
    EXPECT_EQ(0, b.size);
    EXPECT_NULL(b.data);
    EXPECT_OK(buffer_status(&b));
    buffer_fini(&b);
    buffer_fini(&b);
    buffer_fini(NULL);
}

TEST_C(Buffer, AppendsInOrder)
{
    const uint8_t expected[] = {
            'a', 'b', 9, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1};
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "ab", 2);
    buffer_append(&b, NULL, 0);
    buffer_append_u8(&b, 9);
    buffer_append_u32(&b, 0x01020304);
    buffer_append_u64(&b, UINT64_C(0x0102030405060708));
    ASSERT_OK(buffer_status(&b));
    EXPECT_BYTES_EQ(expected, sizeof expected, b.data, b.size);
    buffer_fini(&b);
}

TEST_C(Buffer, KeepsItsBytesWhileGrowing)
{
    struct buffer b;
    buffer_init(&b);
    for (uint32_t i = 0; i < 10000; i++)
        buffer_append_u32(&b, i);
    ASSERT_OK(buffer_status(&b));
    ASSERT_EQ(40000, b.size);
    for (uint32_t i = 0; i < 10000; i++)
        ASSERT_EQ(i, load_le32(b.data + (size_t)i * 4));
    buffer_fini(&b);
}

TEST_C(Buffer, ReservedBytesCountOnceTheyAreAdded)
{
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "ab", 2);
    uint8_t *to = buffer_reserve(&b, 1000);
    ASSERT_NOT_NULL(to);
    EXPECT_PTR_EQ(b.data + 2, to);
    EXPECT_EQ(2, b.size);
    EXPECT_TRUE(b.capacity >= 1002);
    memcpy(to, "cd", 2);
    b.size += 2;
    EXPECT_BYTES_EQ("abcd", 4, b.data, b.size);
    /* What fits already does not move the bytes. */
    EXPECT_PTR_EQ(b.data + 4, buffer_reserve(&b, 900));
    buffer_fini(&b);
}

TEST_C(Buffer, ReservesWithNothingToReserve)
{
    struct buffer b;
    buffer_init(&b);
    EXPECT_NOT_NULL(buffer_reserve(&b, 0));
    EXPECT_OK(buffer_status(&b));
    buffer_fini(&b);
}

/* The buffer must be failed, hold "ab" and stay like that. */
static void expect_failed(struct buffer *b)
{
    EXPECT_STATUS(dnnl_out_of_memory, buffer_status(b));
    buffer_append_u8(b, 1);
    buffer_append_u64(b, 2);
    EXPECT_NULL(buffer_reserve(b, 1));
    EXPECT_STATUS(dnnl_out_of_memory, buffer_status(b));
    EXPECT_BYTES_EQ("ab", 2, b->data, b->size);
}

TEST_C(Buffer, StaysFailedAfterSizeOverflow)
{
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "ab", 2);
    EXPECT_NULL(buffer_reserve(&b, SIZE_MAX - 1));
    expect_failed(&b);
    buffer_fini(&b);
    EXPECT_OK(buffer_status(&b));
}

TEST_C(Buffer, StaysFailedAfterAllocationFailure)
{
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "ab", 2);
    EXPECT_NULL(buffer_reserve(&b, SIZE_MAX - SIZE_MAX / 8));
    expect_failed(&b);
    buffer_fini(&b);
}

/* ---- Arrays -------------------------------------------------------------- */

TEST_C(Array, GrowsByOneAtATimeAndKeepsItsElements)
{
    enum { count = 1000 };
    uint32_t *numbers = NULL;
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_TRUE(array_grow(&numbers, i, sizeof *numbers));
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(i, numbers[i]);
    free(numbers);
}

TEST_C(Array, StaysAsItWasWithoutMemory)
{
    uint32_t *numbers = NULL;
    EXPECT_TRUE(array_grow(&numbers, 0, sizeof *numbers));
    numbers[0] = 7;
    EXPECT_FALSE(array_grow(&numbers, SIZE_MAX / 4 + 1, sizeof *numbers));
    EXPECT_EQ(7, numbers[0]);
    free(numbers);
}
