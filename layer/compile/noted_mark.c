/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/noted_mark.h"

#include "src/drivers/build_marks.h"

#include <string.h>

static _Thread_local char noted[build_mark_size]; /* "": none */

void noted_mark_clear(void)
{
    noted[0] = '\0';
}

void noted_mark_set(const char *mark)
{
    noted_mark_clear();
    if (mark != NULL && strlen(mark) == sizeof noted - 1)
        memcpy(noted, mark, sizeof noted);
}

const char *noted_mark_skip(const char *options)
{
    const size_t size = strlen(noted);
    if (options == NULL || size == 0 || strncmp(options, noted, size) != 0)
        return options;
    if (options[size] == '\0') return options + size;
    return options[size] == ' ' ? options + size + 1 : options;
}
