/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/lacks.h"

#include "src/common/log.h"

#include <stdio.h>

const char *lack_words(enum lack lack)
{
#define LACK_WORDS(name, words) \
    case LACK_##name:           \
        return (words);
    switch (lack) {
        LACKS(LACK_WORDS)
    case LACK_NONE:
    case LACK_COUNT:
        break;
    }
#undef LACK_WORDS
    return "";
}

dnnl_status_t lack_report(const char *what, enum lack lack)
{
    char line[200];
    if (log_tells_dispatch()) {
        snprintf(line, sizeof line, "common,create:dispatch,%s,%s", what,
                lack_words(lack));
        log_profile(line);
    }
    return dnnl_unimplemented;
}
