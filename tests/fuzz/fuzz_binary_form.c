/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a driver's binary: told apart, left without intermediate code if
 * they are PoCL's, packed if they are a shared object. What comes out is fit to
 * be loaded, and needs nothing done to it again.
 */
#include "fuzz.h"
#include "src/binaries/binary_form.h"
#include "src/binaries/elf_shrink.h"
#include "src/binaries/intel_binary.h"
#include "src/binaries/pocl_finalise.h"
#include "src/binaries/pocl_layout.h"

#include <string.h>

/* All files lie inside, and the records are the whole binary. */
static void walk(const struct pocl_layout *layout)
{
    const uint8_t *end = layout->binary + layout->size;
    size_t sum = layout->files_at + layout->files_size;
    struct pocl_kernel kernel;
    size_t at = 0;
    uint32_t count = 0;
    while (pocl_layout_kernel(layout, &at, &kernel)) {
        struct pocl_files files = kernel.files;
        struct pocl_file file;
        bool is_generic;
        REQUIRE(kernel.head + kernel.head_size == files.at);
        sum += kernel.head_size + files.left;
        while (pocl_files_next(&files, &file)) {
            REQUIRE(file.data + file.size == file.record + file.record_size);
            REQUIRE(file.record + file.record_size <= end);
            (void)pocl_file_is_code(&file, &kernel, &is_generic);
        }
        REQUIRE(files.left == 0);
        count++;
    }
    REQUIRE(count == layout->kernel_count && sum == layout->size);
}

static void finalise(const uint8_t *data, size_t size)
{
    struct buffer form = {NULL, 0, 0, false};
    struct buffer again = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    const dnnl_status_t st = pocl_finalise(data, size, true, &form, &reason);
    if (st == dnnl_success) {
        REQUIRE(reason.text[0] == '\0' && form.size <= size);
        REQUIRE(pocl_finalise_check(
                form.data, form.size, NULL, 0, true, &reason));
        REQUIRE(!pocl_finalise_check(data, size, NULL, 0, true, &reason));
        REQUIRE(pocl_finalise(form.data, form.size, true, &again, &reason)
                == dnnl_unimplemented);
    } else {
        REQUIRE(st == dnnl_unimplemented && reason.text[0] != '\0');
        REQUIRE(form.size == 0);
    }
    buffer_fini(&form);
    buffer_fini(&again);
}

static void pack(const uint8_t *data, size_t size)
{
    struct buffer once = {NULL, 0, 0, false};
    struct buffer twice = {NULL, 0, 0, false};
    elf_shrink(data, size, &once);
    elf_shrink(once.data, once.size, &twice);
    REQUIRE(buffer_status(&once) == dnnl_success && once.size <= size);
    REQUIRE(buffer_status(&twice) == dnnl_success && twice.size <= once.size);
    buffer_fini(&once);
    buffer_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[DNNL_CACHE_BINARY_TEXT_SIZE];
    char longer[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct pocl_layout layout;
    struct intel_binary intel;
    binary_form_of_bytes(data, size, text);
    REQUIRE(strlen(text) < sizeof text);
    if (pocl_layout_read(&layout, data, size)) {
        walk(&layout);
        REQUIRE(memcmp(text, "PoCL", 4) == 0);
    }
    if (intel_binary_read(&intel, data, size)) {
        binary_form_of_bytes(data, size, longer);
        REQUIRE(memcmp(text, "Intel", 5) == 0 && strcmp(text, longer) == 0);
    }
    finalise(data, size);
    pack(data, size);
    return 0;
}
