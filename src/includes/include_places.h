/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a driver's compiler looks for files that no build option names: beside
 * a file it makes of the source, in folders of its own, in those that variables
 * of the environment name. Found out from the sources of PoCL and Mesa, and by
 * watching what they open.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_PLACES_H
#define DNNL_CACHE_INCLUDES_INCLUDE_PLACES_H

#include "src/includes/include_paths.h"

#include <stdbool.h>

/* Whose compiler it is. */
struct include_driver {
    char platform[64]; /* CL_PLATFORM_NAME; "": it is not known, or longer */
    bool is_cpu;       /* all devices are CL_DEVICE_TYPE_CPU */
};

struct include_places {
    char *options;           /* those given, and what variables add to them */
    struct path_list beside; /* looked at first, for quoted names in the source;
                                more than the one that it is */
    struct path_list own;    /* behind all others, in some order */
    struct path_list embedded; /* where the headers of clCompileProgram() seem
                                  to be: other files there are found, too */
    const char *implied; /* what is read before all sources; NULL: nothing */
    /* These are all there are: what is at none of them is nowhere. Else files
     * may be elsewhere, too. */
    bool are_all;
};

/* options NULL: none. False: no memory. Either
 * way include_places_fini() follows. Reads the environment. */
bool include_places_init(struct include_places *places,
        const struct include_driver *driver, const char *options);
void include_places_fini(struct include_places *places);

/* True if the driver has headers that come as texts in the working directory,
 * or may have: then the IDs of programs with such headers have its name. */
bool include_places_are_working_directory(const struct include_driver *driver);

/* Folders besides /usr/include and the like where compilers may look that are
 * not known: those that variables name which C compilers read. False: no
 * memory. path_list_fini() follows. */
bool include_places_of_compilers(struct path_list *folders);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_PLACES_H */
