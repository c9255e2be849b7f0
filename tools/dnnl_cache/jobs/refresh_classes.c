/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_classes.h"

#include "src/drivers/launch_choice.h"
#include "tools/dnnl_cache/jobs/refresh_stand_in.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "POCL_BINARY_SPECIALIZE_WG";

/* ---- One launch ---------------------------------------------------------- */

/* What the driver's choice depends on, as it tells of this kernel. */
static bool read_limits(struct launch_limits *limits, cl_device_id device,
        cl_program program, const char *name)
{
    cl_int error;
    cl_uint units = 0;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error != CL_SUCCESS) return false;
    const bool is_read =
            clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                    sizeof limits->items, limits->items, NULL)
                    == CL_SUCCESS
            && clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                       sizeof limits->group, &limits->group, NULL)
                       == CL_SUCCESS
            && clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS,
                       sizeof units, &units, NULL)
                       == CL_SUCCESS
            && clGetKernelWorkGroupInfo(kernel, device,
                       CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                       sizeof limits->multiple, &limits->multiple, NULL)
                       == CL_SUCCESS;
    limits->units = units;
    clReleaseKernel(kernel);
    return is_read;
}

/* False: the local size is not known. */
static bool find_class(struct launch_class *class, cl_device_id device,
        cl_program program, const dnnl_cache_note_t *note)
{
    struct launch_limits limits;
    if (!launch_class_of_note(class, note)) return false;
    if (class->is_auto && read_limits(&limits, device, program, note->kernel))
        launch_class_choose(class, &limits);
    return !class->is_auto;
}

/* ---- Lists --------------------------------------------------------------- */

static bool differ_in_size_alone(
        const struct launch_class *a, const struct launch_class *b)
{
    struct launch_class other = *b;
    other.is_small = a->is_small;
    return a->is_small != b->is_small && launch_class_is_same(a, &other);
}

static bool has_class(
        const struct refresh_class_list *list, const struct launch_class *class)
{
    for (size_t i = 0; i < list->count; i++)
        if (launch_class_is_same(&list->all[i], class)) return true;
    return false;
}

/* False: it is not there, nor could it be added. */
static bool add_class(
        struct refresh_class_list *list, const struct launch_class *class)
{
    if (has_class(list, class)) return true;
    if (list->is_read || list->count == refresh_most_classes) return false;
    for (size_t i = 0; i < list->count; i++)
        if (differ_in_size_alone(&list->all[i], class)) return false;
    list->all[list->count++] = *class;
    return true;
}

static void add_chosen(
        struct refresh_class_list *list, const struct launch_class *class)
{
    for (size_t i = 0; i < list->chosen_count; i++)
        if (launch_class_is_same(&list->chosen[i], class)) return;
    if (list->chosen_count < refresh_most_chosen)
        list->chosen[list->chosen_count++] = *class;
}

static void add(
        struct refresh_class_list *list, const struct launch_class *class)
{
    if (class->is_auto)
        add_chosen(list, class);
    else
        (void)add_class(list, class);
}

void refresh_class_list_add(struct refresh_class_list *list, const char *text)
{
    struct launch_class class;
    while (*text != '\0' && launch_class_read_next(&class, &text))
        add(list, &class);
}

void refresh_class_list_add_note(
        struct refresh_class_list *list, const dnnl_cache_note_t *note)
{
    struct launch_class class;
    if (note->kind == dnnl_cache_note_launch
            && launch_class_of_note(&class, note))
        add(list, &class);
}

/* NULL: out of memory. */
static char *write_list(const struct launch_class *classes, size_t count)
{
    char *text = calloc(count + 1, launch_class_text_size + 1);
    char *at = text;
    for (size_t i = 0; text != NULL && i < count; i++) {
        if (at != text) *at++ = ',';
        launch_class_write(at, &classes[i]);
        at += strlen(at);
    }
    return text;
}

char *refresh_class_list_text(const struct refresh_class_list *list)
{
    return write_list(list->all, list->count);
}

char *refresh_class_list_chosen_text(const struct refresh_class_list *list)
{
    return write_list(list->chosen, list->chosen_count);
}

/* ---- One program --------------------------------------------------------- */

/* A class that a kernel is launched with. */
struct wanted {
    const char *kernel; /* of a note */
    struct launch_class class;
    bool is_made; /* by another process */
};

struct wanted_list {
    struct wanted *all; /* owned; each once */
    size_t count;
    bool is_cut; /* there are more */
    /* The function for all launches, too: machine code alone
     * (docs/how_it_works/finalisers.md) has it. */
    bool needs_all_launches;
};

/* Notes are not trusted, and may have any number; no binary has more. */
enum { most_wanted = launch_classes_max };

static bool is_wanted(const struct wanted_list *wanted, const char *kernel,
        const struct launch_class *class)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (launch_class_is_same(&wanted->all[i].class, class)
                && strcmp(wanted->all[i].kernel, kernel) == 0)
            return true;
    return false;
}

/* False: out of memory. */
static bool list_wanted(struct wanted_list *wanted,
        const struct refresh_device *device, cl_program program,
        const struct dnnl_cache_store_journal_list *notes, size_t id_size,
        const uint8_t *id)
{
    const char *all_launches = getenv(REFRESH_COMPILES_ALL);
    *wanted = (struct wanted_list){
            .all = calloc(most_wanted, sizeof *wanted->all),
            .needs_all_launches =
                    all_launches != NULL && strcmp(all_launches, "1") == 0};
    for (size_t i = 0; wanted->all != NULL && i < notes->count; i++) {
        const dnnl_cache_note_t *note = notes->items[i]->note;
        struct launch_class class;
        if (note->origin == dnnl_cache_note_primitive)
            wanted->needs_all_launches = true;
        if (note->kind != dnnl_cache_note_launch || note->id_size != id_size
                || memcmp(note->id, id, id_size) != 0
                || !find_class(&class, device->id, program, note)
                || is_wanted(wanted, note->kernel, &class))
            continue;
        wanted->is_cut = wanted->count == most_wanted;
        if (wanted->is_cut) break;
        wanted->all[wanted->count++] =
                (struct wanted){note->kernel, class, false};
    }
    return wanted->all != NULL;
}

/* With ';' between; owned by the caller, NULL: not to be had. */
static char *kernel_names(cl_program program)
{
    size_t size = 0;
    char *names = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size)
            == CL_SUCCESS)
        names = calloc(size + 1, 1);
    if (names != NULL
            && clGetProgramInfo(
                       program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL)
                       == CL_SUCCESS)
        return names;
    free(names);
    return NULL;
}

static bool has_launch(const struct wanted_list *wanted, const char *kernel)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (strcmp(wanted->all[i].kernel, kernel) == 0) return true;
    return false;
}

static bool has_variables(cl_program program, cl_device_id device)
{
    size_t bytes = 0;
    return clGetProgramBuildInfo(program, device,
                   CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes,
                   &bytes, NULL)
                   == CL_SUCCESS
           && bytes > 0;
}

/* Without that the functions for all launches would be compiled in vain. */
static bool can_be_finalised(const struct refresh_device *device,
        cl_program program, const struct wanted_list *wanted)
{
    char *rest = NULL;
    char *names =
            has_variables(program, device->id) ? NULL : kernel_names(program);
    bool can = names != NULL;
    for (const char *name = can ? strtok_r(names, ";", &rest) : NULL;
            can && name != NULL; name = strtok_r(NULL, ";", &rest))
        can = has_launch(wanted, name);
    free(names);
    return can;
}

/* For all launches, and for the classes of other kernels. */
static void put_kernel_stand_ins(const struct refresh_stand_ins *stand_ins,
        const struct refresh_class_list *list, const struct wanted_list *wanted,
        bool has_all_launches, const char *kernel)
{
    char name[launch_class_text_size];
    if (!has_all_launches) refresh_stand_ins_put(stand_ins, kernel, "0-0-0");
    for (size_t i = 0; i < list->count; i++) {
        if (is_wanted(wanted, kernel, &list->all[i])) continue;
        launch_class_write(name, &list->all[i]);
        refresh_stand_ins_put(stand_ins, kernel, name);
    }
}

static void put_stand_ins(const struct refresh_stand_ins *stand_ins,
        cl_program program, const struct refresh_class_list *list,
        const struct wanted_list *wanted, bool has_all_launches)
{
    char *rest = NULL;
    char *names = kernel_names(program);
    for (const char *name = names != NULL ? strtok_r(names, ";", &rest) : NULL;
            name != NULL; name = strtok_r(NULL, ";", &rest))
        put_kernel_stand_ins(stand_ins, list, wanted, has_all_launches, name);
    free(names);
}

/* ---- From one process to the next ---------------------------------------- */

static void put_back(const struct refresh_stand_ins *stand_ins,
        struct wanted_list *wanted, const char *made)
{
    char name[launch_class_text_size];
    for (size_t i = 0; i < wanted->count; i++) {
        struct wanted *w = &wanted->all[i];
        launch_class_write(name, &w->class);
        w->is_made =
                refresh_stand_ins_put_back(stand_ins, w->kernel, name, made);
    }
}

/* False: the next process would have to compile all of it again. */
static bool keep(const struct refresh_stand_ins *stand_ins,
        const struct wanted_list *wanted, const struct refresh_class_list *list,
        const char *made)
{
    char name[launch_class_text_size];
    for (size_t i = 0; i < wanted->count; i++) {
        const struct wanted *w = &wanted->all[i];
        launch_class_write(name, &w->class);
        if (!w->is_made && has_class(list, &w->class)
                && !refresh_stand_ins_keep(stand_ins, w->kernel, name, made))
            return false;
    }
    return true;
}

/* Its size; 0: the driver failed. */
static size_t make_binary(cl_program program)
{
    size_t size = 0;
    return clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size,
                   &size,
                   NULL) == CL_SUCCESS
                   ? size
                   : 0;
}

static size_t make_binary_with(cl_program program, const char *classes)
{
    const char *set = getenv(variable);
    char *before = set != NULL ? strdup(set) : NULL;
    if (set != NULL && before == NULL) return 0;
    const size_t size =
            setenv(variable, classes, 1) == 0 ? make_binary(program) : 0;
    if (before != NULL)
        (void)setenv(variable, before, 1);
    else
        (void)unsetenv(variable);
    free(before);
    return size;
}

/* What is wanted comes first, then hints. *is_whole: all that is wanted is
 * there. False: the driver has read the list. */
static bool complete(struct refresh_class_list *list,
        const struct wanted_list *wanted, const struct launch_limits *limits,
        bool *is_whole)
{
    struct refresh_class_list own = {.count = 0};
    *is_whole = true;
    for (size_t i = 0; i < wanted->count; i++) {
        const struct wanted *w = &wanted->all[i];
        if (w->is_made) continue;
        if (list->is_read && !has_class(list, &w->class)) return false;
        *is_whole = add_class(&own, &w->class) && *is_whole;
    }
    if (list->is_read) return true;
    for (size_t i = 0; i < list->count; i++)
        (void)add_class(&own, &list->all[i]);
    for (size_t i = 0; limits != NULL && i < list->chosen_count; i++) {
        struct launch_class class = list->chosen[i];
        launch_class_choose(&class, limits);
        if (!class.is_auto) (void)add_class(&own, &class);
    }
    *list = own;
    return true;
}

static enum refresh_compiled compile(const struct refresh_stand_ins *stand_ins,
        const struct refresh_device *device, cl_program program,
        const struct wanted_list *wanted, struct refresh_class_list *list,
        const char *made)
{
    bool is_whole;
    struct launch_limits limits;
    const bool has_limits =
            !list->is_read && list->chosen_count > 0 && wanted->count > 0
            && read_limits(&limits, device->id, program, wanted->all[0].kernel);
    if (!complete(list, wanted, has_limits ? &limits : NULL, &is_whole))
        return refresh_compiled_too_late;
    char *classes = refresh_class_list_text(list);
    if (classes == NULL) return refresh_compiled_failed;
    /* If there is another process, it compiles them. */
    put_stand_ins(stand_ins, program, list, wanted,
            wanted->needs_all_launches && is_whole);
    list->is_read = list->count > 0;
    const size_t size = make_binary_with(program, classes);
    free(classes);
    if (size == 0) return refresh_compiled_failed;
    if (is_whole)
        return wanted->is_cut ? refresh_compiled_some : refresh_compiled_all;
    return size < launch_classes_bytes && keep(stand_ins, wanted, list, made)
                   ? refresh_compiled_too_late
                   : refresh_compiled_some;
}

enum refresh_compiled refresh_classes_compile(
        const struct refresh_device *device, cl_program program,
        const struct dnnl_cache_store_journal_list *notes, size_t id_size,
        const uint8_t *id, enum refresh_all_launches all_launches,
        struct refresh_class_list *list, const char *made)
{
    struct refresh_stand_ins stand_ins;
    struct wanted_list wanted;
    if (!device->is_pocl) return refresh_compiled_all;
    if (!list_wanted(&wanted, device, program, notes, id_size, id))
        return refresh_compiled_failed;
    if (all_launches == refresh_all_launches_yes
            || (all_launches == refresh_all_launches_for_form
                    && can_be_finalised(device, program, &wanted)))
        wanted.needs_all_launches = true;
    refresh_stand_ins_open(&stand_ins, device);
    put_back(&stand_ins, &wanted, made);
    const enum refresh_compiled compiled =
            compile(&stand_ins, device, program, &wanted, list, made);
    refresh_stand_ins_close(&stand_ins);
    free(wanted.all);
    return compiled;
}
