/* SPDX-License-Identifier: Apache-2.0 */
#include "week_of_use.h"

#include "test.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

void week_of_use(const char *store_path)
{
    enum { file_size = 168, sum_at = 160, days_at = 12, days_before_today = 6 };
    uint8_t bytes[file_size];
    uint32_t days = 1; /* the capacity is known */
    char path[1100];
    for (int i = 0; i < days_before_today; i++)
        days |= UINT32_C(1) << (5 * i + 1);
    (void)snprintf(path, sizeof path, "%s/dnnl_cache_totals", store_path);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    ASSERT_EQ((int)sizeof bytes, (int)read(fd, bytes, sizeof bytes));
    for (int i = 0; i < 4; i++)
        bytes[days_at + i] = (uint8_t)(days >> (8 * i));
    const uint64_t sum = XXH3_64bits(bytes, sum_at);
    for (int i = 0; i < 8; i++)
        bytes[sum_at + i] = (uint8_t)(sum >> (8 * i));
    ASSERT_EQ((int)sizeof bytes, (int)pwrite(fd, bytes, sizeof bytes, 0));
    close(fd);
}
