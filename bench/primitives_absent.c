/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of subject_primitive.c where the library has no primitives: no
 * object of this subject can be opened.
 */
#include "subject.h"

#include "failure.h"

static bool no_primitives(struct object *o)
{
    failure_set("the library on %s was built without primitives",
            o->device->platform);
    return false;
}

static void nothing(struct object *o)
{
    o->primitive = NULL;
}

const struct subject subject_primitive = {
        .name = "primitive",
        .prepare = no_primitives,
        .forget = nothing,
        .drop = nothing,
        .finish = nothing,
};
