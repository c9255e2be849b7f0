/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/program_includes.h"

#include "src/blob/included.h"
#include "src/gpu/device/cl_status.h"

#include <string.h>

/* Whose compiler it is. */
static dnnl_status_t get_driver(
        cl_device_id device, struct include_driver *driver)
{
    cl_platform_id platform = NULL;
    cl_device_type type = 0;
    dnnl_status_t st = cl_status(
            clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL),
            "clGetDeviceInfo(CL_DEVICE_TYPE)");
    if (st == dnnl_success)
        st = cl_status(clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
                               sizeof platform, &platform, NULL),
                "clGetDeviceInfo(CL_DEVICE_PLATFORM)");
    if (st != dnnl_success) return st;
    driver->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    cl_int error = clGetPlatformInfo(platform, CL_PLATFORM_NAME,
            sizeof driver->platform, driver->platform, NULL);
    if (error == CL_INVALID_VALUE) { /* a longer name, of none that is known */
        driver->platform[0] = '\0';
        return dnnl_success;
    }
    return cl_status(error, "clGetPlatformInfo(CL_PLATFORM_NAME)");
}

dnnl_status_t program_includes_follow(cl_device_id device,
        const struct program_text *text, struct includes *out,
        struct include_files *places, bool *is_known)
{
    static const char *const nothing[] = {""}; /* of IL, the options count */
    const bool is_il = text->il != NULL;
    struct include_driver driver;
    dnnl_status_t st = get_driver(device, &driver);
    if (st != dnnl_success) return st;
    /* Of IL it is not known what sees a path. */
    *is_known = is_il ? includes_follow(
                        out, places, &driver, 1, nothing, NULL, text->options)
                      : includes_follow_to_move(out, places, &driver,
                              text->source_count, text->sources, text->lengths,
                              text->options);
    return *is_known || !out->lacks_memory ? dnnl_success : dnnl_out_of_memory;
}

/* The same for who needs the contents or nothing. */
static bool follow(cl_device_id device, const struct program_text *text,
        struct includes *out, struct include_files *places)
{
    bool is_known = false;
    return program_includes_follow(device, text, out, places, &is_known)
                   == dnnl_success
           && is_known;
}

static bool same_contents(const struct includes *a, const struct includes *b)
{
    return memcmp(a->digest, b->digest, sizeof a->digest) == 0
           && a->moves == b->moves
           && memcmp(a->moved_digest, b->moved_digest, sizeof a->moved_digest)
                      == 0;
}

/* Reads them once more: who only looks for an entry does not do this. */
static void list_files(
        struct buffer *included, const struct include_files *places)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct include_file *file = &places->list[i];
        uint8_t digest[32];
        if (include_files_digest(file, digest))
            (void)included_append(included, file->path + file->name_at, digest);
    }
}

bool includes_check_begin(struct includes_check *check, cl_device_id device,
        const struct program_text *text)
{
    struct include_files places = {0};
    *check = (struct includes_check){0};
    if (text->includes == NULL) return true;
    if (follow(device, text, &check->before, &places)
            && same_contents(&check->before, text->includes))
        check->watch = include_watch_begin(&places);
    if (check->watch != NULL) list_files(&check->included, &places);
    include_files_fini(&places);
    return check->watch != NULL;
}

bool includes_check_end(struct includes_check *check, cl_device_id device,
        const struct program_text *text)
{
    const struct includes *before = &check->before;
    struct includes now;
    if (text->includes == NULL) return true;
    /* Looked at first, so that nothing happens between the two. */
    const bool is_same =
            follow(device, text, &now, NULL) && same_contents(before, &now)
            && memcmp(before->stamp, now.stamp, sizeof now.stamp) == 0;
    const bool is_undisturbed = include_watch_end(check->watch);
    return is_same && is_undisturbed;
}

void program_includes_list(struct buffer *included, cl_device_id device,
        const struct program_text *text)
{
    struct include_files places = {0};
    struct includes now;
    if (text->includes == NULL) return;
    if (follow(device, text, &now, &places)
            && same_contents(&now, text->includes))
        list_files(included, &places);
    include_files_fini(&places);
}
