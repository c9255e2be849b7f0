/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/persistent/persistent_environment.h"

#include "src/platform/environment.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct persistent_environment of_process; /* set once */
static char complaint[256];

/* NULL: not there, or empty. */
static const char *value_of(const char *name)
{
    const char *value = environment_get(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void complain(const char *name, const char *expected)
{
    const size_t used = strlen(complaint);
    (void)snprintf(complaint + used, sizeof complaint - used,
            "%s%s: expected %s; ignored", used > 0 ? "; " : "", name, expected);
    of_process.complaint = complaint;
}

static void read_switch(void)
{
    static const char name[] = "DNNL_CACHE_PERSISTENT";
    const char *value = value_of(name);
    if (value == NULL) return;
    of_process.is_off = strcmp(value, "0") == 0;
    if (!of_process.is_off && strcmp(value, "1") != 0) complain(name, "0 or 1");
}

/* No file can have this path: that the key cannot be read is told. */
static const char no_key[] =
        "/dev/null/DNNL_CACHE_SEED_PUBLIC_KEY is not an absolute path";

/* The application may change its environment: copies. */
static const char *read_path(const char *name)
{
    const char *value = value_of(name);
    if (value == NULL) return NULL;
    if (value[0] == '/') return strdup(value);
    complain(name, "an absolute path");
    return NULL;
}

static const char *read_text(const char *name)
{
    const char *value = value_of(name);
    return value != NULL ? strdup(value) : NULL;
}

static void read_size(void)
{
    static const char name[] = "DNNL_CACHE_MAX_SIZE";
    const char *value = value_of(name);
    if (value == NULL) return;
    const size_t digits = strspn(value, "0123456789");
    errno = 0;
    of_process.max_size = strtoull(value, NULL, 10);
    of_process.has_size =
            errno == 0 && digits > 0
            && (value[digits] == '\0' || strcmp(value + digits, "B") == 0);
    if (!of_process.has_size) complain(name, "a number of bytes");
}

static void read_environment(void)
{
    read_switch();
    of_process.dir = read_path("DNNL_CACHE_DIR");
    of_process.seed = read_path("DNNL_CACHE_SEED");
    of_process.seed_key = read_text("DNNL_CACHE_SEED_PUBLIC_KEY");
    if (of_process.seed_key != NULL && of_process.seed_key[0] != '/')
        of_process.seed_key = no_key;
    of_process.remote = read_text("DNNL_CACHE_REMOTE");
    of_process.application = read_text("DNNL_CACHE_APPLICATION");
    read_size();
}

const struct persistent_environment *persistent_environment(void)
{
    (void)pthread_once(&once, read_environment);
    return &of_process;
}
