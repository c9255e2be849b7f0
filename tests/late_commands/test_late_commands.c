/* SPDX-License-Identifier: Apache-2.0 */
/* Under the layer the fake driver's commands begin when OpenCL says they must.
 */
#include "late_scene.h"
#include "test.h"

TEST_LATE(LateCommands, AreNotSeenByAnotherQueueUntilTheirsIsFinished)
{
    late_scene_write(s, 7, NULL);
    EXPECT_EQ(CL_SUCCESS, clFinish(s->other));
    EXPECT_EQ(0, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clFinish(s->queue));
    EXPECT_EQ(7, late_scene_read(s->other, s));
}

TEST_LATE(LateCommands, AreSeenByTheirQueue)
{
    late_scene_write(s, 7, NULL);
    EXPECT_EQ(7, late_scene_read(s->queue, s));
    late_scene_write(s, 8, NULL);
    EXPECT_EQ(7, late_scene_read(s->other, s));
    EXPECT_EQ(8, late_scene_read(s->queue, s));
}

TEST_LATE(LateCommands, AreDoneWhenTheirEventsWereWaitedFor)
{
    cl_event event = NULL;

    late_scene_write(s, 7, &event);
    EXPECT_EQ(0, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(7, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
}

TEST_LATE(LateCommands, FillsAndUnmappingsToo)
{
    const uint32_t seven = 7;
    uint32_t *mapped;
    cl_int st;

    EXPECT_EQ(CL_SUCCESS,
            clEnqueueFillBuffer(s->queue, s->memory, &seven, sizeof(seven), 0,
                    sizeof(seven), 0, NULL, NULL));
    EXPECT_EQ(0, late_scene_read(s->other, s));
    mapped = clEnqueueMapBuffer(s->queue, s->memory, CL_TRUE, CL_MAP_WRITE, 0,
            sizeof(*mapped), 0, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(7, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clEnqueueUnmapMemObject(
                                  s->queue, s->memory, mapped, 0, NULL, NULL));
}
