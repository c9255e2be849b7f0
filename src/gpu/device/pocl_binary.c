/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/pocl_binary.h"

#include "src/binaries/pocl_layout.h"
#include "src/common/hash.h"
#include "src/gpu/device/driver_name.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "src/platform/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    name_size = pocl_name_size,
    random_size = 6, /* characters of a temporary name behind its prefix */
    own_size = 31    /* the same of a name made here */
};

static const char prefix[] = "_UNCACHED_";
static const char hex[] = "ABCDEFGHIJKLMNOP";

bool pocl_binary_has_room(cl_device_id device, const char *kernel_name)
{
    return strlen(kernel_name) <= pocl_longest_kernel_name
           || !driver_is(device, POCL_PLATFORM_NAME);
}

static bool is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
           || (c >= 'a' && c <= 'z');
}

/* Letters and digits, then nothing but NULs. */
static bool is_filled(const uint8_t *text, size_t length, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (i < length ? !is_alphanumeric(text[i]) : text[i] != 0) return false;
    return true;
}

/* PoCL's, or one made here. */
static bool is_temporary(const uint8_t *name)
{
    const size_t at = sizeof prefix - 1;
    return memcmp(name, prefix, at) == 0
           && (is_filled(name + at, random_size, name_size - at)
                   || is_filled(name + at, own_size - 1, name_size - at));
}

/* A hash: the first two of its forty letters name a folder, which has the
 * other. */
static bool is_hash(const uint8_t *name)
{
    for (size_t i = 0; i < name_size - 1; i++)
        if (i == 2 ? name[i] != '/' : name[i] < 'A' || name[i] > 'P')
            return false;
    return name[name_size - 1] == 0;
}

static void write_hex(uint8_t *out, size_t count, const uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)hex[(bytes[i / 2] >> (i % 2 * 4)) & 15];
}

/* Random, as two processes may have one number on two machines that share the
 * folder, and one process two programs at a time. */
static dnnl_status_t write_unique(uint8_t *name)
{
    uint8_t bytes[own_size / 2];
    if (random_bytes(bytes, sizeof bytes) != 0) return dnnl_runtime_error;
    memset(name, 0, name_size);
    memcpy(name, prefix, sizeof prefix - 1);
    write_hex(name + sizeof prefix - 1, own_size - 1, bytes);
    return dnnl_success;
}

/* The same for the same binary, and for no other. */
static void write_fixed(uint8_t *name, const uint8_t *binary, size_t size)
{
    const struct digest256 digest = digest256_of(binary, size);
    write_hex(name, name_size - 1, digest.bytes);
    name[2] = '/';
    name[name_size - 1] = 0;
}

/* As PoCL understands it; each version so far was made with its cache on by
 * default. */
static bool is_cache_on(void)
{
    const char *value = getenv("POCL_KERNEL_CACHE");
    return value == NULL || value[0] == '1';
}

dnnl_status_t pocl_binary_rename(uint8_t *binary, size_t size, bool *is_shared)
{
    const bool is_on = is_cache_on();
    const size_t at = pocl_layout_name(binary, size);
    uint8_t *name = at != 0 ? binary + at : NULL;
    const bool is_known = name != NULL && (is_temporary(name) || is_hash(name));
    *is_shared = is_on;
    if (!is_on) return is_known ? write_unique(name) : dnnl_unimplemented;
    if (is_known && !is_hash(name)) write_fixed(name, binary, size);
    return dnnl_success;
}

/* ---- One at a time ------------------------------------------------------- */

/* Where PoCL keeps what it keeps. False: the name is too long. */
static bool cache_folder(char *path, size_t capacity)
{
    const char *given = getenv("POCL_CACHE_DIR");
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (given != NULL)
        length = snprintf(path, capacity, "%s", given);
    else if (cache != NULL && cache[0] != '\0')
        length = snprintf(path, capacity, "%s/pocl/kcache", cache);
    else if (home != NULL)
        length = snprintf(path, capacity, "%s/.cache/pocl/kcache", home);
    else
        length = snprintf(path, capacity, "/tmp/pocl/kcache");
    return length > 0 && (size_t)length < capacity;
}

/* The folder itself is locked: it is there, and it is what is shared. */
int pocl_binary_lock(void)
{
    enum { most_ms = 1000 };
    char path[path_size];
    int folder;
    if (!cache_folder(path, sizeof path)
            || file_open(&folder, file_here, path,
                       file_for_reading | file_must_be_folder, 0)
                       != 0)
        return file_none;
    (void)file_lock(folder, file_lock_alone, most_ms);
    return folder;
}

/* A child of fork() may have the file open, too: closing it is not enough. */
void pocl_binary_unlock(int folder)
{
    file_unlock(folder);
    (void)file_close(folder);
}
