/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "POCL_BINARY_SPECIALIZE_WG";

enum { class_size = 96 };

/* As PoCL names the folders of its cache. A local size that the driver chose is
 * not known. */
static bool print_class(char text[class_size], const dnnl_cache_note_t *note)
{
    size_t size[3];
    for (uint32_t i = 0; i < 3; i++) {
        size[i] = i < note->work_dim ? note->local_size[i] : 1;
        if (size[i] == 0) return false;
    }
    snprintf(text, class_size, "%zu-%zu-%zu%s%s", size[0], size[1], size[2],
            note->has_offset ? "" : "-goffs0",
            note->is_small_grid ? "-smallgrid" : "");
    return true;
}

/* Is it an element of a list with commas? */
static bool has_class(const char *list, const char *class)
{
    const size_t size = strlen(class);
    for (const char *at = list; (at = strstr(at, class)) != NULL; at++)
        if ((at == list || at[-1] == ',')
                && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

/* The classes of all launches, each once, with commas; "" for none. The caller
 * frees it; NULL: out of memory. */
static char *list_classes(const struct dnnl_cache_store_journal_list *list,
        size_t id_size, const uint8_t *id)
{
    char *text = calloc(list->count + 1, class_size);
    char class[class_size];
    if (text == NULL) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = &list->items[i].note;
        if (note->kind != dnnl_cache_note_launch || note->id_size != id_size
                || memcmp(note->id, id, id_size) != 0
                || !print_class(class, note) || has_class(text, class))
            continue;
        used += (size_t)sprintf(
                text + used, "%s%s", used > 0 ? "," : "", class);
    }
    return text;
}

bool refresh_classes_compile(const struct refresh_device *device,
        cl_program program, const struct dnnl_cache_store_journal_list *list,
        size_t id_size, const uint8_t *id)
{
    size_t size = 0;
    if (!device->is_pocl) return true;
    char *classes = list_classes(list, id_size, id);
    if (classes == NULL) return false;
    const char *set = getenv(variable);
    char *before = set != NULL ? strdup(set) : NULL;
    bool is_done = classes[0] == '\0';
    if (!is_done && (set == NULL || before != NULL)
            && setenv(variable, classes, 1) == 0)
        is_done = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                          sizeof size, &size, NULL)
                          == CL_SUCCESS
                  && size > 0;
    if (before != NULL)
        (void)setenv(variable, before, 1);
    else
        (void)unsetenv(variable);
    free(before);
    free(classes);
    return is_done;
}
