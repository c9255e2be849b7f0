/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/remedy.h"

#include "src/platform/file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Stores and the layer end their messages with strerror(). */
static bool ends_with_error(const char *reason, int error)
{
    const char *text = strerror(error);
    const size_t size = strlen(text);
    const size_t length = strlen(reason);
    return length >= size && strcmp(reason + length - size, text) == 0;
}

static bool is_anothers(const char *folder)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, folder) == 0
           && !file_is_own(&facts);
}

static const char another_place[] =
        "if this does not pass, set DNNL_CACHE_DIR to a folder of another file "
        "system";

static bool ends_with_one(const char *reason, const int *errors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ends_with_error(reason, errors[i])) return true;
    return false;
}

const char *remedy_of_system(const char *reason)
{
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EROFS, ESTALE};
    return ends_with_one(reason, errors, sizeof errors / sizeof *errors)
                   ? another_place
                   : NULL;
}

const char *remedy_for(const char *reason, const char *folder)
{
    static const int errors[] = {EMFILE, ENFILE, ENOMEM, ENODEV, ENXIO, ENOLCK};
    const char *remedy = remedy_of_system(reason);
    if (remedy != NULL) return remedy;
    if (ends_with_one(reason, errors, sizeof errors / sizeof *errors))
        return another_place;
    if (ends_with_error(reason, EACCES) || ends_with_error(reason, EPERM)
            || is_anothers(folder))
        return "give it back to its user (chown -R), remove it, or set "
               "DNNL_CACHE_DIR to a folder of your own";
    return "remove it, or set DNNL_CACHE_DIR to a folder of your own";
}
