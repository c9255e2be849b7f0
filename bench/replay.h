/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver alone, doing what a recipe says (recorder.h).
 */
#ifndef BENCH_REPLAY_H
#define BENCH_REPLAY_H

#include "device.h"
#include "recorder.h"

/* Builds from source, launches once as recorded (if it was) and asks for the
 * binary, which goes to *binary: what a miss costs without the library. The
 * caller releases program and kernel. */
bool replay_source(const struct device *device, cl_context context,
        const struct recipe *recipe, struct bytes *binary, cl_program *program,
        cl_kernel *kernel);

/* Loads and builds a binary and makes the kernel: the floor of every warm
 * creation. The caller releases both. */
bool replay_binary(const struct device *device, cl_context context,
        const struct recipe *recipe, const struct bytes *binary,
        cl_program *program, cl_kernel *kernel);

#endif /* BENCH_REPLAY_H */
