/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes that start at once, with nothing in the store; their answers
 * are those of one that knows nothing of the layer. */
#include "runs.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LAYER

enum { PROCESSES = 16, NO_PLATFORM = 77 };

static int play(struct layer_run *run, const char *layers, const char *store)
{
    const char *name = getenv("DNNL_CACHE_TEST_PLATFORM");
    if (name == NULL) name = "Portable Computing Language";
    char *const arguments[] = {
            CLIENT, (char *)(uintptr_t)name, (char[]){"source"}, NULL};
    memset(run, 0, sizeof(*run));
    run->layers = layers;
    run->store = store;
    run->argument = arguments;
    return run_program(run);
}

/* In a process of its own, so that all are at work at the same time. */
static pid_t start(const struct layer_run *plain, const char *store)
{
    struct layer_run run;
    fflush(NULL);
    const pid_t process = fork();
    if (process != 0) return process;
    EXPECT_EQ(0, play(&run, LAYER, store));
    expect_same_lines("one of many", plain, &run);
    fflush(NULL);
    _exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void start_all(const struct layer_run *plain, const char *store)
{
    pid_t processes[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        processes[i] = start(plain, store);
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        EXPECT_EQ(processes[i], waitpid(processes[i], &status, 0));
        EXPECT_EQ(0, status);
    }
}

static unsigned count_entries(const char *store)
{
    char command[600];
    unsigned count = 0;
    snprintf(command, sizeof(command), "ls '%s' | grep -c cl_cache", store);
    FILE *out = popen(command, "re");
    if (out == NULL || fscanf(out, "%u", &count) != 1) count = 0;
    if (out != NULL) pclose(out);
    return count;
}

TEST_C(LayerMany, ProcessesStartColdAndThenWarm)
{
    char one_store[512];
    char store[512];
    struct layer_run plain, alone, warm;
    if (play(&plain, NULL, NULL) == NO_PLATFORM) {
        run_free(&plain);
        SKIP_TEST("no such platform here, or not to be compared");
    }
    /* A fake compiler that takes no time is not to be beaten. */
    setenv("FAKE_OPENCL_BUILD_MS", "20", 1);
    snprintf(one_store, sizeof(one_store), "%s/one", test_directory());
    snprintf(store, sizeof(store), "%s/store", test_directory());
    EXPECT_EQ(0, play(&alone, LAYER, one_store));
    start_all(&plain, store);
    EXPECT_GT(count_entries(one_store), 0);
    EXPECT_EQ(count_entries(one_store), count_entries(store)); /* each once */
    EXPECT_EQ(0, play(&warm, COUNTER ":" LAYER, store));
    expect_same_lines("warm", &plain, &warm);
    expect_nothing_compiled(&warm);
    run_free(&plain);
    run_free(&alone);
    run_free(&warm);
}

#endif /* LAYER */
