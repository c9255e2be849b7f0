/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries signed with the secret key of a pair, read with its public one: what
 * somebody else made, moved, cut or changed is not handed out.
 */
#include "dnnl_cache/store.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_sign.h"

#include "store_helpers.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { small = 300 };

/* The types, and the names of their places. */
static const char *const kinds[] = {"bucket", "tree", "flat", "pack"};
enum { kind_count = sizeof kinds / sizeof *kinds };

static void make_pair(const char *secret, const char *public)
{
    char secret_path[path_size];
    char public_path[path_size];
    EXPECT_OK(dnnl_cache_store_key_pair_make(path_in_test(secret_path, secret),
            path_in_test(public_path, public)));
}

static unsigned complaints;
static char complaint[512];

static void count_complaint(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level == dnnl_cache_log_info) return;
    complaints++;
    (void)snprintf(complaint, sizeof complaint, "%s", text);
}

static dnnl_cache_store_handle_t *open_with(
        const char *kind, const char *key, bool read_only)
{
    char path[path_size];
    char key_path[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = test_options();
    options.path = path_in_test(path, kind);
    if (key != NULL) options.key_file = path_in_test(key_path, key);
    options.read_only = read_only;
    options.log = count_complaint;
    complaints = 0;
    return dnnl_cache_store_open(&store, kind, &options) == dnnl_success ? store
                                                                         : NULL;
}

static void make_store(const char *kind, const char *key)
{
    char path[path_size];
    run_shell("rm -rf '%s'*", path_in_test(path, kind));
    dnnl_cache_store_handle_t *store = open_with(kind, key, false);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    dnnl_cache_store_close(store);
}

/* Of the two entries. */
static unsigned found_with(const char *kind, const char *key)
{
    dnnl_cache_store_handle_t *store = open_with(kind, key, true);
    unsigned found = 0;
    if (store == NULL) return 0;
    for (unsigned i = 1; i <= 2; i++)
        found += get_number_quietly(store, i, small) == dnnl_success;
    dnnl_cache_store_close(store);
    return found;
}

TEST_C(SignedStore, IsReadWithThePublicKey)
{
    make_pair("secret", "public");
    for (int i = 0; i < kind_count; i++) {
        make_store(kinds[i], "secret");
        EXPECT_EQ(2, found_with(kinds[i], "public"));
        EXPECT_EQ(2, found_with(kinds[i], "secret"));
        EXPECT_EQ(2, found_with(kinds[i], NULL));
        EXPECT_EQ(0, complaints);
    }
}

/* Neither of nobody, nor of another pair, nor with a keyed checksum; told once,
 * however many entries there are. */
TEST_C(SignedStore, TakesNothingOfOthers)
{
    char path[path_size];
    make_pair("secret", "public");
    make_pair("secret2", "public2");
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(path, "key")));
    static const char *const keys[] = {NULL, "secret2", "key"};
    for (int i = 0; i < kind_count; i++)
        for (int k = 0; k < 3; k++) {
            make_store(kinds[i], keys[k]);
            EXPECT_EQ(0, found_with(kinds[i], "public"));
            EXPECT_EQ(1, complaints);
            EXPECT_NOT_NULL(strstr(complaint, "not signed"));
        }
    /* Nor what is signed where a checksum is asked for. */
    make_store(kinds[0], "secret");
    EXPECT_EQ(0, found_with(kinds[0], "key"));
}

TEST_C(SignedStore, APublicKeySignsNothing)
{
    make_pair("secret", "public");
    for (int i = 0; i < kind_count; i++) {
        EXPECT_NULL(open_with(kinds[i], "public", false));
        EXPECT_NOT_NULL(strstr(complaint, "public key"));
    }
}

TEST_C(SignedStore, AKeyThatOthersMayWriteToIsRefused)
{
    char path[path_size];
    make_pair("secret", "public");
    make_store(kinds[2], "secret");
    static const mode_t modes[] = {0664, 0646};
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(0, chmod(path_in_test(path, "public"), modes[i]));
        EXPECT_NULL(open_with(kinds[2], "public", true));
        EXPECT_TRUE(complaints > 0);
    }
    EXPECT_EQ(0, chmod(path, 0644));
    EXPECT_EQ(2, found_with(kinds[2], "public"));
    EXPECT_EQ(0, truncate(path, 40));
    EXPECT_NULL(open_with(kinds[2], "public", true));
}

/* What is in place of the key neither holds the process up nor is taken. */
TEST_C(StoreKey, IsAPlainFileOfTheUsersAlone)
{
    char path[path_size];
    static const char *const bad[] = {"mkfifo -m 600 bad", "mkdir -m 700 bad",
            "ln -s key bad", "ln -s nowhere bad", ": >bad",
            "head -c 15 key >bad", "head -c 4097 /dev/zero >bad",
            "cp key bad && chmod 640 bad", "cp key bad && chmod 604 bad"};
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(path, "key")));
    (void)alarm(60);
    make_store(kinds[2], "key");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run_shell("cd '%s' && rm -rf bad && umask 077 && %s",
                path_in_test(path, "."), bad[i]);
        EXPECT_NULL(open_with(kinds[2], "bad", false));
        EXPECT_NULL(open_with(kinds[2], "bad", true));
        EXPECT_EQ(2, found_with(kinds[2], "key"));
        if (test_has_failed()) (void)printf("by: %s\n", bad[i]);
    }
    (void)alarm(0);
    if (geteuid() != 0) return;
    run_shell("cd '%s' && rm -rf bad && cp key bad && chmod 600 bad && chown "
              "12345 bad",
            path_in_test(path, "."));
    EXPECT_NULL(open_with(kinds[2], "bad", false));
    EXPECT_EQ(0, remove(path_in_test(path, "bad")));
    /* Root of a container, or of another user namespace, may make none. */
    if (mknod(path, S_IFCHR | 0600, makedev(1, 5)) != 0) {
        EXPECT_EQ(EPERM, errno);
        return;
    }
    EXPECT_NULL(open_with(kinds[2], "bad", false));
}

/* Everybody knows its bytes: as the secret of a keyed checksum it would let
 * everybody make entries, though its file is the user's alone. */
TEST_C(SignedStore, ADamagedPublicKeyIsNoSecret)
{
    char path[path_size];
    static const char *const damages[] = {"echo >>public",
            "sed -i 's/$/\\r/' public", "printf ' ' >>public",
            "printf '\\357\\273\\277' | cat - public >x && cat x >public",
            "truncate -s -8 public", "sed -i 's/key 1/key 2/' public"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        run_shell("rm -f '%s'*", path_in_test(path, "secret"));
        run_shell("rm -f '%s'*", path_in_test(path, "public"));
        make_pair("secret", "public");
        run_shell("cd '%s' && chmod 600 public && %s", path_in_test(path, "."),
                damages[i]);
        EXPECT_NULL(open_with(kinds[2], "public", false));
        EXPECT_NOT_NULL(strstr(complaint, "damaged key"));
        EXPECT_NULL(open_with(kinds[2], "public", true));
    }
}

/* The paths of the flat store's entries. */
static void find_entries(char paths[2][path_size], unsigned expected)
{
    char place[path_size];
    unsigned count = 0;
    DIR *folder = opendir(path_in_test(place, "flat"));
    ASSERT_NOT_NULL(folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL;)
        if (strspn(e->d_name, "0123456789abcdef") == 16 && count < 2)
            (void)snprintf(paths[count++], path_size, "%.200s/%.40s", place,
                    e->d_name);
    closedir(folder);
    ASSERT_EQ(expected, count);
}

TEST_C(SignedStore, TakesNoEntryUnderAnotherName)
{
    char paths[2][path_size];
    make_pair("secret", "public");
    make_store(kinds[2], "secret");
    find_entries(paths, 2);
    run_shell("mv '%s' '%s.x' && mv '%s' '%s' && mv '%s.x' '%s'", paths[0],
            paths[0], paths[1], paths[0], paths[0], paths[1]);
    EXPECT_EQ(0, found_with(kinds[2], "public"));
}

/* Every byte of an entry, changed or missing. */
TEST_C(SignedStore, TakesNoEntryThatWasChanged)
{
    char paths[2][path_size];
    struct stat st;
    make_pair("secret", "public");
    make_store(kinds[2], "secret");
    find_entries(paths, 2);
    ASSERT_EQ(0, stat(paths[0], &st));
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    const int fd = open(paths[0], O_RDWR | O_CLOEXEC);
    ASSERT_TRUE(fd >= 0 && bytes != NULL);
    ASSERT_EQ(st.st_size, pread(fd, bytes, (size_t)st.st_size, 0));
    for (off_t i = 0; i < st.st_size; i++) {
        const uint8_t changed = bytes[i] ^ 0x20;
        EXPECT_EQ(1, pwrite(fd, &changed, 1, i));
        EXPECT_EQ(1, found_with(kinds[2], "public"));
        EXPECT_EQ(1, pwrite(fd, bytes + i, 1, i));
    }
    EXPECT_EQ(2, found_with(kinds[2], "public"));
    for (off_t i = 0; i < st.st_size; i++) {
        EXPECT_EQ(0, ftruncate(fd, i));
        EXPECT_EQ(1, found_with(kinds[2], "public"));
        EXPECT_EQ(st.st_size - i,
                pwrite(fd, bytes + i, (size_t)(st.st_size - i), i));
    }
    EXPECT_EQ(1, pwrite(fd, bytes, 1, st.st_size));
    EXPECT_EQ(1, found_with(kinds[2], "public"));
    close(fd);
    free(bytes);
}

/* What was checked is what is handed out: the file may change then. */
TEST_C(SignedStore, HandsOutTheBytesThatItChecked)
{
    static const char id[] = "an ID";
    static const char text[] = "what a driver gets";
    char paths[2][path_size];
    char path[path_size];
    struct stat st;
    size_t size = 0;
    const uint8_t *blob = NULL;
    make_pair("secret", "public");
    run_shell("rm -rf '%s'", path_in_test(path, "flat"));
    dnnl_cache_store_handle_t *store = open_with(kinds[2], "secret", false);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, id, text, sizeof text));
    dnnl_cache_store_close(store);
    find_entries(paths, 1);
    store = open_with(kinds[2], "public", true);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *c = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(
            c->get(c->user, sizeof id - 1, (const uint8_t *)id, &size, &blob));
    const int fd = open(paths[0], O_WRONLY | O_CLOEXEC);
    ASSERT_TRUE(fd >= 0 && fstat(fd, &st) == 0);
    for (off_t at = 0; at < st.st_size; at++)
        EXPECT_EQ(1, pwrite(fd, "x", 1, at));
    close(fd);
    EXPECT_BYTES_EQ(text, sizeof text, blob, size);
    c->release(c->user, size, blob);
    EXPECT_EQ(dnnl_cache_miss,
            c->get(c->user, sizeof id - 1, (const uint8_t *)id, &size, &blob));
    dnnl_cache_store_close(store);
}

/* A signature for one thing is none for another. */
TEST_C(SignedStore, NamesWhatIsSigned)
{
    struct store_sign_pair pair;
    uint8_t signature[store_sign_size];
    static const unsigned char text[] = "dnnl_cache-secret-key 1 "
                                        "00112233445566778899aabbccddeeff"
                                        "00112233445566778899aabbccddeeff\n";
    const struct store_sign_part parts[3] = {{1, "a"}, {2, "bc"}, {0, ""}};
    const struct store_sign_part moved[3] = {{2, "ab"}, {1, "c"}, {0, ""}};
    ASSERT_TRUE(store_sign_parse_secret(&pair, text, sizeof text - 1));
    EXPECT_FALSE(store_sign_parse_secret(&pair, text, sizeof text - 3));
    EXPECT_FALSE(store_sign_parse_secret(&pair, text + 1, sizeof text - 2));
    store_sign_make(signature, &pair, "one", parts);
    EXPECT_TRUE(store_sign_matches(signature, pair.public, "one", parts));
    EXPECT_FALSE(store_sign_matches(signature, pair.public, "two", parts));
    EXPECT_FALSE(store_sign_matches(signature, pair.public, "one", moved));
    signature[store_sign_size - 1] ^= 1;
    EXPECT_FALSE(store_sign_matches(signature, pair.public, "one", parts));
}
