/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launches.h: which classes of launches (launch_class.h) a process made of
 * which kernels, for drivers that compile each class.
 *
 * A class is looked at closely when it is met first, and then goes to the
 * journal, unless the binary in the storage has it. Later launches of the class
 * take a few nanoseconds here and no lock.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_LAUNCHES_H
#define DNNL_CACHE_LAYER_PROGRAMS_LAUNCHES_H

#include "layer/programs/objects.h"
#include "src/drivers/launch_class.h"

/* From now on launches of the build's kernels are looked at, if the driver
 * compiles classes: the build is done, or loaded. */
void launches_watch(struct build *build);

/* Before each launch. The driver has not checked the arguments. */
void launches_note(
        cl_command_queue queue, cl_kernel kernel, const struct launch *launch);

/* A kernel's handle may be another's from now on. */
void launches_forget(void);

/* The application asks for the binary of a build. If the driver returns this
 * binary for ever, later classes are not in it. */
void launches_freeze(struct build *build);

/* Adds what is in the binary of a build that the driver compiled, for the
 * device of this index. False: no memory. */
bool launches_add_facts(
        struct build *build, size_t device, struct facts *facts);

/* How many classes the binary of that device has. */
size_t launches_count(const struct build *build, size_t device);

/* True if facts have all launches of the build on that device. */
bool launches_are_in(
        const struct build *build, size_t device, const struct facts *facts);

/* True if the binary of the build has all launches that facts have, of that
 * device. */
bool launches_have(
        const struct build *build, size_t device, const struct facts *facts);

/* Calls visit for each launch of the build on one of its devices that its
 * binary has, or has not, until it returns false. Returns false then. */
bool launches_for_each(const struct build *build, size_t device,
        bool is_in_binary,
        bool (*visit)(void *user, const char *kernel,
                const struct launch_class *class),
        void *user);

/* The launch is in the binary now: what the driver compiled for it was added.
 */
void launches_add_to_binary(struct build *build, size_t device,
        const char *kernel, const struct launch_class *class);

/* True if any kernel of the build was launched. */
bool launches_are_there(const struct build *build);

/* True if a kernel of the build was launched. */
bool launches_have_kernel(const struct build *build, const char *kernel);

void launches_free(struct build *build);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_LAUNCHES_H */
