/* SPDX-License-Identifier: Apache-2.0 */
/* A store that root has installed and that everybody reads. */
#include "dnnl_cache/chain_store.h"

#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { small = 300, somebody = 12345 };

static const struct kind {
    const char *type;
    const char *path; /* below the test's directory */
} kinds[] = {
        {"bucket", "bucket"},
        {"tree", "tree"},
        {"flat", "flat"},
        {"pack", "pack/blobs.pack"},
};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

struct seed {
    const struct kind *kind;
    struct dnnl_cache_store_options options;
};

static void make_seed(struct seed *seed, const struct kind *kind)
{
    static char path[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    *seed = (struct seed){kind, test_options()};
    seed->options.path = path_in_test(path, kind->path);
    EXPECT_OK(dnnl_cache_store_open(&store, kind->type, &seed->options));
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
}

static void shell(const char *format, const char *path)
{
    char command[2 * path_size];
    snprintf(command, sizeof command, format, path);
    EXPECT_EQ(0, system(command));
}

/* Becomes somebody who is not root. The test's directory is the root then:
 * TMPDIR may be where only its owner may go. */
static bool become_somebody(struct dnnl_cache_store_options *options)
{
    options->path += strlen(test_directory());
    return chroot(test_directory()) == 0 && chdir("/") == 0
           && setresuid(somebody, somebody, somebody) == 0;
}

/* 0 if somebody who is not root can read the seed, and not change it. */
static int read_as_somebody(void *user)
{
    struct seed *seed = user;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    if (!become_somebody(&seed->options)) return 77;
    if (dnnl_cache_store_open(&store, seed->kind->type, &seed->options)
            != dnnl_success)
        return 1;
    if (get_number(store, 1, small) != dnnl_success) return 2;
    if (put_number(store, 2, small) != dnnl_success) return 3;
    if (get_number(store, 2, small) != dnnl_cache_miss) return 4;
    if (dnnl_cache_store_get_statistics(store, &statistics) != dnnl_success)
        return 5;
    dnnl_cache_store_close(store);
    return statistics.puts_read_only == 1 ? 0 : 6;
}

static int is_refused_to_somebody(void *user)
{
    struct seed *seed = user;
    dnnl_cache_store_handle_t *store = NULL;
    if (!become_somebody(&seed->options)) return 77;
    return dnnl_cache_store_open(&store, seed->kind->type, &seed->options)
                           == dnnl_runtime_error
                   ? 0
                   : 1;
}

TEST_C(Seed, OfRootIsReadByOthers)
{
    if (geteuid() != 0) SKIP_TEST("only root can install a seed");
    for (int k = 0; k < kind_count && !test_has_failed(); k++) {
        struct seed seed;
        make_seed(&seed, &kinds[k]);
        shell("chmod -R go+rX '%s'", test_directory());
        EXPECT_EQ(0, in_child(read_as_somebody, &seed));
        if (test_has_failed()) printf("kind %d\n", k);
    }
}

TEST_C(Seed, OthersMayWriteToIsRefused)
{
    if (geteuid() != 0) SKIP_TEST("only root can install a seed");
    for (int k = 0; k < kind_count && !test_has_failed(); k++) {
        struct seed seed;
        make_seed(&seed, &kinds[k]);
        shell("chmod -R a+rwX '%s'", test_directory());
        EXPECT_EQ(0, in_child(is_refused_to_somebody, &seed));
        if (test_has_failed()) printf("kind %d\n", k);
        shell("chmod -R go-w '%s'", test_directory());
    }
}

TEST_C(Seed, ThatIsMissingIsPassedByInAChain)
{
    dnnl_cache_store_handle_t *chain = NULL;
    struct dnnl_cache_store_options options = test_options();
    const struct dnnl_cache_store_chain_options chain_options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *local = open_store(&options);
    ASSERT_NOT_NULL(local);
    const struct dnnl_cache_store_chain_member members[] = {
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .name = "seed",
                    .role = dnnl_cache_store_chain_role_read},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .name = "local",
                    .store = local,
                    .role = dnnl_cache_store_chain_role_write},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .name = "far",
                    .role = dnnl_cache_store_chain_role_write},
    };
    ASSERT_OK(dnnl_cache_store_open_chain(&chain, members, 3, &chain_options));
    EXPECT_STATUS(dnnl_cache_miss, get_number(chain, 1, small));
    EXPECT_OK(put_number(chain, 1, small));
    EXPECT_OK(get_number(chain, 1, small));
    EXPECT_OK(get_number(local, 1, small));
    EXPECT_EQ(1, count_entries(chain));
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(chain, true, NULL, NULL, &check));
    EXPECT_EQ(1, check.intact);
    EXPECT_OK(dnnl_cache_store_trim(
            chain, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(remove_id(chain, "id 1"));
    struct dnnl_cache_store_chain_member_statistics statistics =
            DNNL_CACHE_STORE_CHAIN_MEMBER_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_chain_get_member_statistics(
            chain, 0, &statistics));
    EXPECT_EQ(0, statistics.skipped);
    dnnl_cache_store_close(chain);
    dnnl_cache_store_close(local);
}
