/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/state_start.h"

#include "layer/settings/state_place.h"
#include "src/platform/file.h"
#include "src/platform/thread.h"

static void read_once(void)
{
    const int folder = state_folder_open();
    if (folder < 0) return;
    crash_markers_start(folder);
    measure_start(folder);
    loaded_start(folder);
    (void)file_close(folder);
}

void state_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_once);
}
