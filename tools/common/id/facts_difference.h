/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts_difference.h: does a driver say the same of a program as before?
 *
 * The one comparison of what an entry of the layer has of the driver's answers
 * with what the driver answers now: DNNL_CACHE_COMPILE_MODE=verify makes it in
 * the application, dnnl-cache prove in a worker.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_FACTS_DIFFERENCE_H
#define DNNL_CACHE_TOOLS_COMMON_ID_FACTS_DIFFERENCE_H

#include "tools/common/id/facts.h"

struct facts_difference {
    const char *what;   /* static: the first thing that differs */
    const char *kernel; /* of kept; "": it is not of one kernel */
    bool is_counted;    /* the two numbers are known */
    uint64_t kept, made;
};

enum { facts_difference_text_size = 256 };

/* All that says what the program is; not the log and the options, which may
 * name folders, nor times and launches, which are the process's. False: nothing
 * differs.
 *
 * hides_arguments: the driver has no argument info of a program that was built
 * with the options "", and has it of the same program with NULL (PoCL). Both
 * have one ID, and the layer answers from the driver and not from the entry
 * then, so argument info that only one of the two has is no difference. */
bool facts_find_difference(struct facts_difference *difference,
        const struct facts *kept, const struct facts *made,
        bool hides_arguments);

/* "the number of a kernel's arguments of one: 1, compiled now 2". */
void facts_difference_print(char text[facts_difference_text_size],
        const struct facts_difference *difference);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_FACTS_DIFFERENCE_H */
