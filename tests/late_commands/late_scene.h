/* SPDX-License-Identifier: Apache-2.0 */
/* Two queues of the fake driver's, and a number in its memory. */
#ifndef DNNL_CACHE_TESTS_LATE_SCENE_H
#define DNNL_CACHE_TESTS_LATE_SCENE_H

#include <CL/cl.h>
#include <stdint.h>

struct late_scene {
    cl_context context;
    cl_command_queue queue, other;
    cl_mem memory; /* a zero */
};

void late_scene_open(struct late_scene *s);

/* Commands that were never waited for do not stay. */
void late_scene_close(struct late_scene *s);

/* The data of a blocking write are the caller's again. */
void late_scene_write(struct late_scene *s, uint32_t number, cl_event *event);
uint32_t late_scene_read(cl_command_queue queue, const struct late_scene *s);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_LATE(suite, name)                                       \
    TEST_WITH(suite, name, struct late_scene, s, late_scene_open(s), \
            late_scene_close(s))

#endif /* DNNL_CACHE_TESTS_LATE_SCENE_H */
