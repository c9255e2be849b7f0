/* SPDX-License-Identifier: Apache-2.0 */
/* How a build that an application asks for is named: one ID a device. */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_IDENTITY_H
#define DNNL_CACHE_LAYER_PROGRAMS_IDENTITY_H

#include "layer/programs/build_call.h"

/* A variable of the environment that drivers read, and that has changed since
 * OpenCL started; NULL: none. The first call takes the values to compare with.
 * Once there is one nothing can be named any more. */
const char *identity_changed_variable(void);

/* A file of the device's driver that has changed since the driver was
 * identified; NULL: none. What it compiles may not be kept then. Looks at each
 * file. */
const char *identity_changed_file(cl_device_id device);

/* Fills in engine, descriptor and IDs of each device of the call's build, whose
 * devices are set, and what the sources include now. False: one of them cannot
 * be named, and the call has the reason. Takes the program's lock. */
bool identify(struct build_call *call);

/* The same for a link, of objects that have been identified for all of its
 * devices. Reads the options, to which the same variables add. */
bool identify_link(struct build_call *call);

/* What goes before the options of an identified build when it is compiled, so
 * that a cache of the driver's own tells IDs apart (drivers/build_marks.h),
 * with blanks between; malloc'ed; "": nothing. NULL: no memory. A hit needs
 * none. */
char *identity_build_marks(const struct build *build);

/* For the record of a build that was loaded. */
void identity_remember_includes(struct build_call *call);

/* Around a compilation of what has been identified. Begins to watch where the
 * compiler will look: is_watched tells whether that can be done, and watch is
 * NULL if it looks nowhere. */
void identity_watch_includes(struct build_call *call);
/* True if no specialization constant was set since the build was named: the
 * compiler may have that one. */
bool identity_constants_unchanged(const struct build_call *call);

/* True if the program's includes still hold what they did, and nothing else was
 * there in between: the compiler may have read it. Ends the watch. */
bool identity_includes_unchanged(struct build_call *call);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_IDENTITY_H */
