/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form_queue.h: finalised forms that are made when nobody waits for them.
 *
 * Making one may take as long as compiling did. So a program goes to its store
 * with the driver's binary alone, which is a hit for everybody from then on,
 * and the entry gets its form (form_job.h) by a thread of low priority, when
 * the process has compiled and loaded nothing for a moment.
 *
 * What is left is done by the thread that destroys the last engine of a
 * context, or takes the store away, since the store may not be called
 * afterwards; and by the main thread when it ends the process; each for ten
 * seconds at most. What is left then stays without its form: who loads the
 * entry makes one for it.
 *
 * Another thread that ends the process only waits until the job that is being
 * done has ended: no driver is called while the process is taken down. A child
 * of fork() has no thread and no jobs, and makes its forms at once.
 */
#ifndef DNNL_CACHE_GPU_FORM_QUEUE_H
#define DNNL_CACHE_GPU_FORM_QUEUE_H

#include "src/gpu/program/object/form_job.h"

/* True if the forms of the device's programs take long, so that those for the
 * store are made later, and there is room for one more. False: make them at
 * once. */
bool form_queue_takes(cl_device_id device, const struct store *store);

/* Has a job done, of which all is copied or retained. Without memory for it
 * there is none. */
void form_queue_add(const struct form_job *given);

/* Around calls that the application waits for, and that use the driver's
 * compiler. */
void form_queue_call_begin(void);
void form_queue_call_end(void);

/* No engine of the context is left: does its jobs. */
void form_queue_finish_context(cl_context context);

#endif /* DNNL_CACHE_GPU_FORM_QUEUE_H */
