/* SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "log_capture.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 500, UNTOUCHED = 0x5a };

static void *const untouched = (void *)(uintptr_t)0x5a5a5a5a;

static bool is_untouched(const struct stage *s)
{
    for (size_t i = 0; i < sizeof s->bytes; i++)
        if (s->bytes[i] != UNTOUCHED) return false;
    return s->out == untouched && s->size == sizeof s->bytes;
}

static dnnl_status_t attempt(struct stage *s)
{
    s->out = untouched;
    s->size = sizeof s->bytes;
    memset(s->bytes, UNTOUCHED, sizeof s->bytes);
    return s->scene->attempt(s);
}

/* The attempt with step n failing; verified if it succeeds. */
static dnnl_status_t attempt_with_failure(
        struct stage *s, unsigned n, unsigned manner)
{
    s->fault->start(n, manner);
    dnnl_status_t st = attempt(s);
    s->failed = s->fault->stop();
    if (st == dnnl_success)
        s->scene->verify(s);
    else
        EXPECT_TRUE(is_untouched(s));
    if (st == s->scene->usual) return st;
    if (s->failed == NULL || !s->fault->allows(s->scene, manner, s->failed, st))
        test_fail(__FILE__, __LINE__, "status %s", dnnl_status2str(st));
    return st;
}

bool play_once(const struct scene *scene, const struct fault *fault, unsigned n,
        unsigned manner)
{
    static struct stage stage;
    struct stage *s = &stage;
    size_t alive = fault->alive != NULL ? fault->alive() : 0;
    memset(s, 0, sizeof *s);
    s->scene = scene;
    s->fault = fault;
    rig_open(&s->rig, 0);
    if (scene->prepare != NULL) scene->prepare(s);
    dnnl_status_t st = attempt_with_failure(s, n, manner);
    const char *failed = s->failed;
    if (st != scene->usual) {
        s->failed = NULL;
        s->is_again = true;
        st = attempt(s);
        EXPECT_STATUS(scene->usual, st);
        if (st == dnnl_success) scene->verify(s);
        s->failed = failed; /* what came of it may still show in finish */
    }
    if (scene->finish != NULL) scene->finish(s);
    rig_close(&s->rig);
    if (fault->alive != NULL && n > 0) EXPECT_EQ(alive, fault->alive());
    if (test_has_failed())
        printf("step %u, %s, manner %u\n", n, failed != NULL ? failed : "-",
                manner);
    return failed != NULL;
}

void play_unharmed(const struct scene *scene, const struct fault *fault)
{
    for (unsigned manner = 0; manner < fault->manners; manner++)
        EXPECT_FALSE(play_once(scene, fault, 1, manner));
}

void play(const struct scene *scene, const struct fault *fault)
{
    struct log_capture log;
    if (test_has_failed()) return; /* what fails now would be its doing */
    log_capture_start(&log);
    /* Once as it should be; what lives as long as the process is made now. */
    EXPECT_FALSE(play_once(scene, fault, 0, 0));
    for (unsigned manner = 0; manner < fault->manners; manner++) {
        unsigned n = 1; /* the first step that has not failed yet */
        while (n < MOST_STEPS && !test_has_failed()
                && play_once(scene, fault, n, manner))
            n++;
        if (test_has_failed()) break;
        EXPECT_GT(n, 1);
        EXPECT_LT(n, MOST_STEPS);
    }
    log_capture_stop(&log);
}
