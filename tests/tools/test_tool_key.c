/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that the tool makes. */
#include "stores/remote/remote_keys.h"
#include "test.h"
#include "tool_helpers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int)(st.st_mode & 0777) : -1;
}

TEST_C(ToolKey, MakesASecretOnce)
{
    char path[path_size];
    size_t size = 0;
    snprintf(path, sizeof path, "%s", in_test("key"));
    const struct run *run = run_bare("key", "make", path, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("made %s\n", path), run->out);
    EXPECT_EQ(0600, mode_of(path));
    uint8_t *before = read_whole(path, &size);
    EXPECT_EQ(32, size);
    run = run_bare("key", "make", path, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "File exists: left unchanged\n"));
    size_t again_size = 0;
    uint8_t *again = read_whole(path, &again_size);
    EXPECT_BYTES_EQ(before, size, again, again_size);
    free(before);
    free(again);
}

TEST_C(ToolKey, MakesAPairThatSignsAndVerifies)
{
    char secret[path_size];
    char public[path_size];
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    snprintf(secret, sizeof secret, "%s", in_test("secret"));
    snprintf(public, sizeof public, "%s", in_test("public"));
    const struct run *run =
            run_bare("--json", "key", "make-pair", secret, public, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"public_key\""));
    EXPECT_EQ(0600, mode_of(secret));
    EXPECT_EQ(0644, mode_of(public));
    EXPECT_EQ(0, remote_keys_open(&keys,
                         &(struct remote_key_files){.sign_key = secret}, why));
    EXPECT_TRUE(remote_keys_can_make(keys));
    remote_keys_close(keys);
    EXPECT_EQ(
            0, remote_keys_open(&keys,
                       &(struct remote_key_files){.public_key = public}, why));
    EXPECT_FALSE(remote_keys_can_make(keys));
    remote_keys_close(keys);
    run = run_bare("key", "make-pair", in_test("new"), public, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "File exists: left unchanged\n"));
    EXPECT_FALSE(exists(in_test("new")));
}

TEST_C(ToolKey, MakesAKeyThatEncrypts)
{
    char key[path_size];
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    size_t size = 0;
    snprintf(key, sizeof key, "%s", in_test("encryption"));
    const struct run *run = run_bare("key", "make-encryption", key, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("made %s\n", key), run->out);
    EXPECT_EQ(0600, mode_of(key));
    EXPECT_EQ(
            0, remote_keys_open(&keys,
                       &(struct remote_key_files){.encryption_key = key}, why));
    EXPECT_TRUE(remote_keys_can_make(keys));
    remote_keys_close(keys);
    uint8_t *before = read_whole(key, &size);
    run = run_bare("key", "make-encryption", key, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "File exists: left unchanged\n"));
    size_t again_size = 0;
    uint8_t *again = read_whole(key, &again_size);
    EXPECT_BYTES_EQ(before, size, again, again_size);
    free(before);
    free(again);
}

TEST_C(ToolKey, RefusesOtherArguments)
{
    EXPECT_EQ(exit_usage, run_bare("key", "make-encryption", NULL)->code);
    EXPECT_EQ(exit_usage,
            run_bare("key", "make-encryption", "x", "y", NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("key", "make", NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("key", "break", "x", NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("key", "make", "x", "y", NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("key", "make-pair", "x", NULL)->code);
    EXPECT_FALSE(exists("x"));
}
