/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for weights of any size. */
#include "model/base/weight_memory.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { mebibyte = 1 << 20 };

TEST_C(WeightMemory, IsWhole)
{
    static const size_t sizes[] = {0, 1, 4096, 4 * mebibyte - 1, 4 * mebibyte,
            4 * mebibyte + 1, 9 * mebibyte + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *data = weight_malloc(sizes[i]);
        EXPECT_TRUE(data != NULL);
        if (data == NULL) return;
        memset(data, 7, sizes[i]);
        if (sizes[i] > 0) EXPECT_EQ(7, data[sizes[i] - 1]);
        free(data);
    }
}

/* Devices that use the host's memory read it where it lies. */
TEST_C(WeightMemory, BeginsWithAPageIfItHasOne)
{
    void *data = weight_malloc(4 * mebibyte);
    EXPECT_TRUE(data != NULL);
    EXPECT_EQ(0, (uintptr_t)data % 4096);
    free(data);
}
