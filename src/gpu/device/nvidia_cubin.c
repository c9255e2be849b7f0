/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/nvidia_cubin.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    /* From this version of its ELF on, the SM is in the second byte of the
     * flags and not in the first. */
    ABI_WITH_SM_IN_SECOND_BYTE = 8
};

__attribute__((format(printf, 2, 3))) static bool refuse(
        struct blob_reason *reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason->text, sizeof reason->text, format, args);
    va_end(args);
    return false;
}

/* Whether so many bytes from offset on are inside. */
static bool is_inside(uint64_t offset, uint64_t length, size_t size)
{
    return offset <= size && length <= size - offset;
}

static bool check_header(const Elf64_Ehdr *h, size_t size, unsigned sm,
        struct blob_reason *reason)
{
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
            || h->e_ident[EI_CLASS] != ELFCLASS64
            || h->e_ident[EI_DATA] != ELFDATA2LSB
            || h->e_ident[EI_VERSION] != EV_CURRENT
            || h->e_machine != MACHINE_CUDA || h->e_type != ET_EXEC)
        return refuse(reason, "no CUBIN");
    const unsigned flags = h->e_flags;
    const unsigned theirs =
            h->e_ident[EI_ABIVERSION] >= ABI_WITH_SM_IN_SECOND_BYTE
                    ? flags >> 8 & 0xff
                    : flags & 0xff;
    if (theirs != sm)
        return refuse(reason, "a CUBIN for sm_%u, not sm_%u", theirs, sm);
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0
            || h->e_shstrndx >= h->e_shnum
            || !is_inside(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr),
                    size))
        return refuse(reason, "a CUBIN that is cut");
    if (h->e_phnum != 0
            && (h->e_phentsize != sizeof(Elf64_Phdr)
                    || !is_inside(h->e_phoff,
                            (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), size)))
        return refuse(reason, "a CUBIN that is cut");
    return true;
}

static Elf64_Shdr section_at(
        const uint8_t *bytes, const Elf64_Ehdr *h, unsigned index)
{
    Elf64_Shdr section;
    memcpy(&section, bytes + h->e_shoff + index * sizeof section,
            sizeof section);
    return section;
}

static bool check_places(const uint8_t *bytes, size_t size, const Elf64_Ehdr *h,
        struct blob_reason *reason)
{
    for (unsigned i = 0; i < h->e_shnum; i++) {
        const Elf64_Shdr s = section_at(bytes, h, i);
        if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS
                && !is_inside(s.sh_offset, s.sh_size, size))
            return refuse(reason, "a CUBIN whose section %u is cut", i);
    }
    for (unsigned i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, bytes + h->e_phoff + i * sizeof p, sizeof p);
        if (!is_inside(p.p_offset, p.p_filesz, size))
            return refuse(reason, "a CUBIN whose segment %u is cut", i);
    }
    const Elf64_Shdr names = section_at(bytes, h, h->e_shstrndx);
    if (names.sh_type != SHT_STRTAB || names.sh_size == 0
            || bytes[names.sh_offset + names.sh_size - 1] != '\0')
        return refuse(reason, "a CUBIN without names of its sections");
    return true;
}

/* The name of a kernel that has code: what is behind ".text." in the name of a
 * section. One name may be the end of another; those of one size are not, so
 * that comparing them looks at each byte of all names once. */
struct name {
    const char *text;
    size_t size;
};

static int compare_places(const void *left, const void *right)
{
    const struct name *a = left;
    const struct name *b = right;
    return (a->text > b->text) - (a->text < b->text);
}

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left;
    const struct name *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return a->text == b->text ? 0 : memcmp(a->text, b->text, a->size);
}

/* Finds where names end; those of ends of one another together. */
static size_t measure_names(struct name *names, size_t count)
{
    const char *end = NULL;
    size_t kept = 0;
    if (count > 1) qsort(names, count, sizeof *names, compare_places);
    for (size_t i = 0; i < count; i++) {
        const char *text = names[i].text;
        if (kept > 0 && names[kept - 1].text == text) continue;
        if (end == NULL || text > end) end = text + strlen(text);
        names[kept++] = (struct name){text, (size_t)(end - text)};
    }
    if (kept > 1) qsort(names, kept, sizeof *names, compare_names);
    return kept;
}

/* Kernels that have code, sorted; the caller frees them. NULL: no memory. */
static struct name *find_kernels(
        const uint8_t *bytes, const Elf64_Ehdr *h, size_t *count)
{
    static const char prefix[] = ".text.";
    const Elf64_Shdr names = section_at(bytes, h, h->e_shstrndx);
    struct name *found = malloc(h->e_shnum * sizeof *found);
    size_t n = 0;
    for (unsigned i = 0; found != NULL && i < h->e_shnum; i++) {
        const Elf64_Shdr s = section_at(bytes, h, i);
        if (s.sh_type != SHT_PROGBITS || s.sh_size == 0
                || s.sh_name >= names.sh_size)
            continue;
        const char *name = (const char *)bytes + names.sh_offset + s.sh_name;
        if (strncmp(name, prefix, sizeof prefix - 1) == 0)
            found[n++].text = name + sizeof prefix - 1;
    }
    *count = found != NULL ? measure_names(found, n) : 0;
    return found;
}

bool nvidia_cubin_check(const uint8_t *bytes, size_t size, unsigned sm,
        const char *kernels, uint32_t kernel_count, struct blob_reason *reason)
{
    Elf64_Ehdr h;
    if (size < sizeof h) return refuse(reason, "no CUBIN");
    memcpy(&h, bytes, sizeof h);
    if (!check_header(&h, size, sm, reason)
            || !check_places(bytes, size, &h, reason))
        return false;
    size_t count;
    bool has_all = true;
    struct name *names = find_kernels(bytes, &h, &count);
    if (names == NULL) return refuse(reason, "out of memory");
    for (uint32_t i = 0; has_all && i < kernel_count; i++) {
        const struct name wanted = {kernels, strlen(kernels)};
        has_all = bsearch(&wanted, names, count, sizeof *names, compare_names)
                  != NULL;
        if (!has_all)
            (void)refuse(reason, "a CUBIN without kernel '%.60s'", kernels);
        kernels += wanted.size + 1;
    }
    free(names);
    return has_all;
}
