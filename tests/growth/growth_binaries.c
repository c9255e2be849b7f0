/* SPDX-License-Identifier: Apache-2.0 */
/* What is read and is no text: blobs, facts of the layer, drivers' binaries. */
#include "growth.h"

#include "src/binaries/binary_form.h"
#include "src/binaries/describe.h"
#include "src/binaries/elf_shrink.h"
#include "src/binaries/intel_binary.h"
#include "src/binaries/pocl_finalise.h"
#include "src/binaries/pocl_layout.h"
#include "src/blob/blob.h"
#include "src/blob/id.h"
#include "src/blob/reader.h"
#include "src/blob/writer.h"
#include "src/gpu/device/nvidia_cubin.h"
#include "src/platform/loaded_libraries.h"
#include "tools/common/id/facts.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Blobs --------------------------------------------------------------- */

static void put_blob(struct out *out, const struct blob_contents *contents)
{
    size_t size = 0;
    must(blob_write(contents, NULL, 0, &size) == dnnl_success);
    uint8_t *blob = malloc(size);
    must(blob != NULL
            && blob_write(contents, blob, size, &size) == dnnl_success);
    put(out, blob, size);
    free(blob);
}

/* A binary, whose size is the blob's, and kernels, if each has so many bytes.
 */
static void make_blob_of(struct out *out, size_t wanted, size_t each)
{
    enum { most = 4096 };
    static struct blob_kernel kernels[most];
    static char names[most][16];
    struct id_builder id;
    uint8_t *binary = calloc(1, wanted);
    const size_t count = each == 0              ? 0
                         : wanted / each < most ? wanted / each
                                                : most;
    must(binary != NULL);
    id_builder_init(&id, blob_kind_program);
    id_put_u32(&id, id_backend, 1);
    for (size_t i = 0; i < count; i++)
        kernels[i] = (struct blob_kernel){.name = names[i],
                .name_size = (size_t)snprintf(
                        names[i], sizeof names[i], "kernel%zu", i)};
    const struct blob_program program = {.id = id.bytes.data,
            .id_size = id.bytes.size,
            .binary = binary,
            .binary_size = count > 0 ? 8 : wanted,
            .raw_size = count > 0 ? 8 : wanted,
            .backend = blob_backend_opencl};
    const struct blob_contents contents = {.kind = blob_kind_program,
            .id = id.bytes.data,
            .id_size = id.bytes.size,
            .programs = &program,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = (uint32_t)count};
    put_blob(out, &contents);
    id_builder_fini(&id);
    free(binary);
}

static void make_blob(struct out *out, size_t wanted)
{
    make_blob_of(out, wanted, 0);
}

static void make_blob_of_kernels(struct out *out, size_t wanted)
{
    make_blob_of(out, wanted, 56);
}

static dnnl_status_t see_part(const dnnl_cache_blob_part_t *part, void *user)
{
    (void)part;
    (void)user;
    return dnnl_success;
}

static void read_blob(char *text, size_t size)
{
    struct blob_view view;
    struct blob_reason reason;
    must(blob_read(&view, bytes_of(text), size, &reason) == dnnl_success);
    must(blob_describe(&view, see_part, NULL) == dnnl_success);
}

/* ---- Facts --------------------------------------------------------------- */

static void put_facts(struct out *out, struct kernel_facts *kernels,
        size_t count, const char *log)
{
    struct bytes bytes;
    const struct facts facts = {.options = "",
            .log = log,
            .log_size = strlen(log),
            .kernel_names = "",
            .has_classes = true,
            .kernel_count = (uint32_t)count,
            .kernels = kernels};
    must(facts_encode(&facts, &bytes));
    put(out, bytes.data, bytes.size);
    free(bytes.data);
}

static const struct arg_facts no_arg = {.type_name = "", .name = ""};

static void make_facts_of_kernels(struct out *out, size_t wanted)
{
    enum { most = 4096 };
    static struct kernel_facts kernels[most];
    static char names[most][16];
    const size_t count = wanted / 128 < most ? wanted / 128 : most;
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "kernel%zu", i);
        kernels[i] = (struct kernel_facts){.name = names[i],
                .attributes = "",
                .args = (struct arg_facts *)(uintptr_t)&no_arg};
    }
    put_facts(out, kernels, count, "");
}

static void make_facts_of_classes(struct out *out, size_t wanted)
{
    struct kernel_facts kernel = {.name = "k",
            .attributes = "",
            .args = (struct arg_facts *)(uintptr_t)&no_arg,
            .class_count = (uint32_t)(wanted / 40)};
    if (kernel.class_count > 4096) kernel.class_count = 4096;
    kernel.classes = calloc(kernel.class_count, sizeof *kernel.classes);
    must(kernel.classes != NULL);
    for (uint32_t i = 0; i < kernel.class_count; i++)
        kernel.classes[i].size[0] = i + 1;
    put_facts(out, &kernel, 1, "");
    free(kernel.classes);
}

/* What a compiler said. */
static void make_facts_of_log(struct out *out, size_t wanted)
{
    struct out log = {NULL, 0, 0};
    while (log.size < wanted)
        put_text(&log, "program.cl:1:1: warning: a warning\n");
    put(&log, "", 1);
    put_facts(out, NULL, 0, (const char *)log.data);
    free(log.data);
}

static void read_facts(char *text, size_t size)
{
    struct facts facts;
    must(facts_decode(&facts, bytes_of(text), size));
    facts_free_lists(&facts);
}

/* ---- Binaries ------------------------------------------------------------ */

static void read_binary(char *text, size_t size)
{
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct buffer packed = {NULL, 0, 0, false};
    binary_form_of_bytes(bytes_of(text), size, form);
    elf_shrink(bytes_of(text), size, &packed);
    buffer_fini(&packed);
}

/* Without what copies it. */
static void read_form(char *text, size_t size)
{
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    binary_form_of_bytes(bytes_of(text), size, form);
}

static void make_ptx(struct out *out, size_t wanted)
{
    while (out->size < wanted)
        put_text(out, "// a comment\n.versio\n");
}

static void put_elf(struct out *out, unsigned type, unsigned machine,
        size_t sections, size_t segments)
{
    const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                     ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
            .e_type = (Elf64_Half)type,
            .e_machine = (Elf64_Half)machine,
            .e_version = 1,
            .e_flags = 90,
            .e_shoff = sections > 0 ? sizeof head : 0,
            .e_phoff = segments > 0 ? sizeof head : 0,
            .e_ehsize = sizeof head,
            .e_phentsize = sizeof(Elf64_Phdr),
            .e_phnum = (Elf64_Half)segments,
            .e_shentsize = sizeof(Elf64_Shdr),
            .e_shnum = (Elf64_Half)sections};
    put(out, &head, sizeof head);
}

static void put_notes(struct out *out, size_t size)
{
    while (size >= 24) {
        put_u32(out, 8);
        put_u32(out, 4);
        put_u32(out, 7);
        put(out, "IntelGT", 8);
        put_u32(out, 1);
        size -= 24;
    }
    put_none(out, size);
}

/* One section of notes. */
static void make_notes(struct out *out, size_t wanted)
{
    const Elf64_Shdr section = {.sh_type = SHT_NOTE,
            .sh_offset = sizeof(Elf64_Ehdr) + sizeof section,
            .sh_size = wanted - sizeof(Elf64_Ehdr) - sizeof section};
    put_elf(out, 0xff12, 205, 1, 0);
    put(out, &section, sizeof section);
    put_notes(out, section.sh_size);
}

/* Half of it are sections, each of which says to be the other half. */
static void make_same_notes(struct out *out, size_t wanted)
{
    const size_t count = wanted / 2 / sizeof(Elf64_Shdr);
    const Elf64_Shdr section = {.sh_type = SHT_NOTE,
            .sh_offset = sizeof(Elf64_Ehdr) + count * sizeof section,
            .sh_size = wanted / 2};
    put_elf(out, 0xff12, 205, count, 0);
    for (size_t i = 0; i < count; i++)
        put(out, &section, sizeof section);
    put_notes(out, section.sh_size);
}

/* A segment that is moved down by a byte each time that it does not fit. */
static void make_segments(struct out *out, size_t wanted)
{
    enum { count = 32 };
    put_elf(out, ET_DYN, EM_X86_64, 0, count);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr segment = {.p_type = PT_LOAD,
                .p_offset = i == 0 ? 0 : wanted - count + i - 1,
                .p_vaddr = i == 0 ? 0 : wanted - count + i - 1,
                .p_filesz = i == 0 ? wanted - count : 1,
                .p_align = 1};
        put(out, &segment, sizeof segment);
    }
    put_none(out, wanted - out->size);
}

static void read_build_id(char *text, size_t size)
{
    uint8_t id[library_build_id_most];
    must(library_build_id_of_notes((const uint8_t *)text, size, id) == 0);
}

static void make_only_notes(struct out *out, size_t wanted)
{
    put_notes(out, wanted);
}

/* Kernels, and a section for each; the names of sections first. */
static void make_cubin_of(struct out *out, size_t wanted, bool share)
{
    const size_t each = sizeof(Elf64_Shdr) + (share ? 6 : 16);
    const size_t count = wanted / each;
    const size_t names_at =
            sizeof(Elf64_Ehdr) + (count + 1) * sizeof(Elf64_Shdr);
    const size_t name_size = share ? 6 : 16;
    put_elf(out, ET_EXEC, 190, count + 1, 0);
    const Elf64_Shdr names = {.sh_type = SHT_STRTAB,
            .sh_offset = names_at,
            .sh_size = count * name_size + 1};
    put(out, &names, sizeof names);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Shdr section = {.sh_type = SHT_PROGBITS,
                .sh_name = (Elf64_Word)(i * name_size),
                .sh_offset = names_at,
                .sh_size = 1};
        put(out, &section, sizeof section);
    }
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, share ? ".text." : ".text.%09zu", i);
        put(out, name, name_size);
    }
    put(out, "", 1);
}

static void make_cubin(struct out *out, size_t wanted)
{
    make_cubin_of(out, wanted, false);
}

/* One name is the end of the one before. */
static void make_cubin_of_ends(struct out *out, size_t wanted)
{
    make_cubin_of(out, wanted, true);
}

static void read_cubin(char *text, size_t size)
{
    static char kernels[1 << 20];
    struct blob_reason reason;
    Elf64_Ehdr head;
    Elf64_Shdr names;
    uint32_t count = 0;
    size_t used = 0;
    memcpy(&head, text, sizeof head);
    memcpy(&names, text + head.e_shoff, sizeof names);
    for (size_t at = names.sh_size / (head.e_shnum - 1U);
            count + 1U < head.e_shnum; count++) {
        const char *name = text + names.sh_offset + count * at + 6;
        const size_t length = strlen(name) < 10 ? strlen(name) : 9;
        memcpy(kernels + used, name, length);
        used += length;
        kernels[used++] = '\0';
    }
    (void)nvidia_cubin_check(bytes_of(text), size, 90, kernels, count, &reason);
}

static void put_pocl_head(struct out *out, size_t kernels)
{
    put(out, "poclbin", 8);
    put_u64(out, 1);
    put_u32(out, 9);
    put_u32(out, (uint32_t)kernels);
    put_u64(out, UINT64_C(4) << 32);
    put_u32(out, 1);
    put_none(out, 41);
    put_u64(out, 14);
    put_u32(out, 6);
    put_text(out, "/final");
    put_u32(out, 0);
}

static void put_pocl_file(struct out *out, const char *name)
{
    put_u32(out, (uint32_t)strlen(name));
    put_text(out, name);
    put_u32(out, 1);
    put_text(out, "x");
}

/* Ends a kernel's record that begins at `at` and whose files begin at `files`.
 */
static void end_kernel(struct out *out, size_t at, size_t files)
{
    const uint64_t sizes[2] = {out->size - at, out->size - files};
    memcpy(out->data + at, sizes, sizeof sizes);
}

static void put_pocl_kernel(struct out *out, size_t number, size_t classes)
{
    char name[64];
    const size_t at = out->size;
    put_none(out, 20);
    put_u32(out, 6);
    snprintf(name, sizeof name, "k%05zu", number);
    put_text(out, name);
    const size_t files = out->size;
    snprintf(name, sizeof name, "/k%05zu/0-0-0/k%05zu.so", number, number);
    put_pocl_file(out, name);
    for (size_t i = 0; i < classes; i++) {
        snprintf(name, sizeof name, "/k%05zu/%zu-1-1/k%05zu.so", number, i + 1,
                number);
        put_pocl_file(out, name);
    }
    end_kernel(out, at, files);
}

static void make_pocl_kernels(struct out *out, size_t wanted)
{
    const size_t count = wanted / 96;
    put_pocl_head(out, count);
    for (size_t i = 0; i < count; i++)
        put_pocl_kernel(out, i, 1);
}

static void make_pocl_classes(struct out *out, size_t wanted)
{
    put_pocl_head(out, 1);
    put_pocl_kernel(out, 0, wanted / 40);
}

static void read_pocl(char *text, size_t size)
{
    static char kernels[1 << 20];
    char form[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct blob_reason reason;
    struct buffer out = {NULL, 0, 0, false};
    uint32_t count;
    memcpy(&count, text + 20, 4);
    for (uint32_t i = 0; i < count; i++)
        snprintf(kernels + 7 * i, 8, "k%05u", i % 100000);
    binary_form_of_bytes(bytes_of(text), size, form);
    (void)pocl_finalise(bytes_of(text), size, true, &out, &reason);
    must(pocl_finalise_check(
            bytes_of(text), size, kernels, count, true, &reason));
    buffer_fini(&out);
}

/* ---- All of them --------------------------------------------------------- */

const struct shape binary_shapes[] = {
        BYTES("blob", read_blob, make_blob),
        BYTES("blob-kernels", read_blob, make_blob_of_kernels),
        BYTES("facts-kernels", read_facts, make_facts_of_kernels),
        BYTES("facts-classes", read_facts, make_facts_of_classes),
        BYTES("facts-log", read_facts, make_facts_of_log),
        BYTES("ptx", read_form, make_ptx),
        BYTES("elf-notes", read_form, make_notes),
        BYTES("elf-same-notes", read_form, make_same_notes),
        BYTES("elf-segments", read_binary, make_segments),
        BYTES("elf-build-id", read_build_id, make_only_notes),
        BYTES("cubin", read_cubin, make_cubin),
        BYTES("cubin-ends", read_cubin, make_cubin_of_ends),
        BYTES("pocl-kernels", read_pocl, make_pocl_kernels),
        BYTES("pocl-classes", read_pocl, make_pocl_classes),
};

const size_t binary_shape_count = sizeof binary_shapes / sizeof *binary_shapes;
