/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark (drivers/build_marks.h) that the library in this process puts before
 * the options of what it builds next in this thread. It is another one on each
 * machine, and no program can see it: for the driver it stays, in what names an
 * entry it does not count. Marks of which nothing was told count.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_NOTED_MARK_H
#define DNNL_CACHE_LAYER_COMPILE_NOTED_MARK_H

void noted_mark_set(const char *mark);

/* Behind the mark, if the options begin with it; else the options. */
const char *noted_mark_skip(const char *options);

/* After the build. */
void noted_mark_clear(void);

#endif /* DNNL_CACHE_LAYER_COMPILE_NOTED_MARK_H */
