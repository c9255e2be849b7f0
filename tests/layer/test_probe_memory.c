/* SPDX-License-Identifier: Apache-2.0 */
/* What dnnl-cache-run keeps for a day: two questions share no file, whatever
 * their keys. */
#include "test.h"
#include "tools/run/probe_memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Of a key that stays where it is. */
static void begin(struct probe_key *key, const char *what, int number)
{
    char path[64];
    probe_key_init(key, what);
    (void)snprintf(path, sizeof path, "/no/such/file/%d", number);
    probe_key_add_file(key, path);
}

static void keep(const char *what, int number, const char *answer)
{
    struct probe_key key;
    begin(&key, what, number);
    probe_memory_keep(&key, answer);
    probe_key_fini(&key);
}

static void expect_answer(const char *what, int number, const char *answer)
{
    struct probe_key key;
    begin(&key, what, number);
    char *found = probe_memory_find(&key);
    EXPECT_STR_EQ(answer, found);
    free(found);
    probe_key_fini(&key);
}

/* Of 512 files for keys, two keys have one in 2000 pairs but for one in fifty
 * times. */
TEST_C(ProbeMemory, KeepsTheAnswersOfTwoQuestions)
{
    EXPECT_EQ(0, setenv("XDG_CACHE_HOME", test_directory(), 1));
    probe_memory_use();
    for (int i = 0; i < 2000; i++) {
        keep("one", i, "yes\n");
        keep("two", 7 * i, "no\n");
        expect_answer("one", i, "yes\n");
        expect_answer("two", 7 * i, "no\n");
    }
}
