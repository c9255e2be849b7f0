/* SPDX-License-Identifier: Apache-2.0 */
/* Under the layer, with LATE_COMMANDS_FLUSHED_STAY. */
#include "late_scene.h"
#include "test.h"

TEST_LATE(FlushedCommands, AreWaitedForByTheirEventAlone)
{
    cl_event event = NULL;

    late_scene_write(s, 7, &event);
    EXPECT_EQ(CL_SUCCESS, clFlush(s->queue));
    EXPECT_EQ(CL_SUCCESS, clFinish(s->queue));
    EXPECT_EQ(0, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(7, late_scene_read(s->other, s));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    /* What was enqueued since comes after it. */
    late_scene_write(s, 8, NULL);
    EXPECT_EQ(CL_SUCCESS, clFlush(s->queue));
    late_scene_write(s, 9, NULL);
    EXPECT_EQ(CL_SUCCESS, clFinish(s->queue));
    EXPECT_EQ(9, late_scene_read(s->other, s));
}
