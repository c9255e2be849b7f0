/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/driver_binaries.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *platform;
    enum driver_binaries binaries;
} table[] = {
        {POCL_PLATFORM_NAME, driver_binaries_compiled}, /* 3.0 to 7.1 */
        {"NVIDIA CUDA", driver_binaries_at_hand},       /* 580 */
        {"rusticl", driver_binaries_at_hand},           /* Mesa 22.3 */
        {"Oclgrind", driver_binaries_at_hand},          /* 21.10 */
};

enum driver_binaries driver_binaries_of(const char *platform_name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(platform_name, table[i].platform) == 0)
            return table[i].binaries;
    return driver_binaries_unknown;
}

bool driver_has_launch_classes(const char *platform_name)
{
    return strcmp(platform_name, POCL_PLATFORM_NAME) == 0;
}
