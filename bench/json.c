/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "failure.h"

#include <errno.h>
#include <string.h>

void json_put_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, "\"%s\": \"", key);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

bool json_write_list(const char *path, size_t count,
        void (*put)(FILE *file, size_t index, const void *user),
        const void *user)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        failure_set("%s: %s", path, strerror(errno));
        return false;
    }
    fprintf(file, "[\n");
    for (size_t i = 0; i < count; i++) {
        put(file, i, user);
        fprintf(file, i + 1 < count ? ",\n" : "\n");
    }
    fprintf(file, "]\n");
    bool done = ferror(file) == 0;
    done = fclose(file) == 0 && done;
    if (!done) failure_set("%s cannot be written", path);
    return done;
}
