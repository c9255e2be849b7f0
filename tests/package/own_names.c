/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that has something of its own under names that a store's header
 * could be tempted to use, beside every installed header: functions, types,
 * enumerators and macros. all_headers.h includes those headers; whoever
 * compiles this makes it. Compiled as C and, by own_names.cpp, as C++.
 */
#include "all_headers.h"

#include <stdio.h>
#include <string.h>

#define OWN_FUNCTIONS(X)                 \
    X(bucket_store_open)                 \
    X(chain_options_default)             \
    X(chain_store_get_member_statistics) \
    X(chain_store_open)                  \
    X(flat_store_open)                   \
    X(flat_store_open_for)               \
    X(flat_store_options_default)        \
    X(pack_store_open)                   \
    X(store_callbacks)                   \
    X(store_close)                       \
    X(store_get_statistics)              \
    X(store_iterate)                     \
    X(store_key_file_make)               \
    X(store_limit_bytes)                 \
    X(store_limit_mb)                    \
    X(store_limit_off)                   \
    X(store_limit_unlimited)             \
    X(store_log)                         \
    X(store_look_up)                     \
    X(store_open)                        \
    X(store_options_default)             \
    X(store_trim)                        \
    X(store_verify)                      \
    X(tree_store_days)                   \
    X(tree_store_open)                   \
    X(tree_store_options_default)

#define OWN_ENUMERATORS(X)                 \
    X(chain_role_fill)                     \
    X(chain_role_read)                     \
    X(chain_role_write)                    \
    X(flat_store_level_zero)               \
    X(flat_store_opencl)                   \
    X(store_durability_data)               \
    X(store_durability_data_and_directory) \
    X(store_durability_none)               \
    X(store_flaw_damaged)                  \
    X(store_flaw_misplaced)                \
    X(store_flaw_newer)                    \
    X(store_flaw_unsigned)                 \
    X(store_flaw_encryption)               \
    X(store_limit_kind_bytes)              \
    X(store_limit_kind_off)                \
    X(store_limit_kind_unlimited)          \
    X(store_policy_cost)                   \
    X(store_policy_fifo)                   \
    X(store_policy_lru)                    \
    X(store_policy_none)                   \
    X(store_sharing_group)                 \
    X(store_sharing_private)

#define OWN_STRUCTS(X)         \
    X(chain_member)            \
    X(chain_member_statistics) \
    X(chain_options)           \
    X(store)                   \
    X(store_check)             \
    X(store_item)              \
    X(store_limit)             \
    X(store_options)           \
    X(store_statistics)        \
    X(store_verdict)

#define OWN_ENUMS(X)    \
    X(chain_role)       \
    X(flat_store_api)   \
    X(store_durability) \
    X(store_flaw)       \
    X(store_limit_kind) \
    X(store_policy)     \
    X(store_sharing)

#ifdef STORE_AGE_UNLIMITED
#error "a header defines STORE_AGE_UNLIMITED"
#endif
#define STORE_AGE_UNLIMITED 7

/* A macro of a header would make another name of these. */
#define NAME_OF(name) #name
#define EXPANDED(name) NAME_OF(name)

static int calls;
static int mistakes;

#define FUNCTION(name)  \
    int name(void);     \
    int name(void)      \
    {                   \
        return calls++; \
    }
#define ENUMERATOR(name) name,
#define STRUCT(name)                     \
    struct name {                        \
        int of_##name; /* no header's */ \
    };
#define ENUM(name) enum name { own_##name = 1 };
#define CHECK(name) \
    if (strcmp(EXPANDED(name), #name) != 0) mistakes++;
#define CALL(name) \
    CHECK(name)    \
    (void)name();
#define FILL(name)                               \
    {                                            \
        struct name own = {STORE_AGE_UNLIMITED}; \
        CHECK(name)                              \
        if (own.of_##name != 7) mistakes++;      \
    }
#define COUNT(name) +1

#ifdef __cplusplus
extern "C" {
#endif
OWN_FUNCTIONS(FUNCTION)
#ifdef __cplusplus
}
#endif

enum own_enumerators { OWN_ENUMERATORS(ENUMERATOR) own_enumerator_count };
OWN_STRUCTS(STRUCT)
OWN_ENUMS(ENUM)

/* The stores keep what they are given all the same. */
static int keeps_a_blob(const char *path)
{
    static const uint8_t id[] = {1, 2, 3};
    static const uint8_t blob[] = {4, 5, 6, 7};
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *opened = NULL;
    const uint8_t *got = NULL;
    size_t size = 0;
    options.path = path;
    if (dnnl_cache_store_open(&opened, "bucket", &options) != dnnl_success)
        return 0;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened);
    const int good =
            s->put(s->user, sizeof id, id, sizeof blob, blob, NULL)
                    == dnnl_success
            && s->get(s->user, sizeof id, id, &size, &got) == dnnl_success
            && size == sizeof blob && memcmp(got, blob, size) == 0;
    if (got != NULL) s->release(s->user, size, got);
    dnnl_cache_store_close(opened);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    if (!keeps_a_blob(argv[1])) {
        (void)fprintf(stderr, "the store does not keep a blob\n");
        return 1;
    }
    if (calls != 0) {
        (void)fprintf(stderr, "the library called the program's functions\n");
        return 1;
    }
    OWN_FUNCTIONS(CALL)
    OWN_ENUMERATORS(CHECK)
    OWN_STRUCTS(FILL)
    OWN_ENUMS(CHECK)
    if (calls != 0 OWN_FUNCTIONS(COUNT) || mistakes != 0) {
        (void)fprintf(stderr, "%d names are a header's\n", mistakes);
        return 1;
    }
    return 0;
}
