/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/elf_shrink.h"

#include "src/common/byte_order.h"

#include <elf.h>
#include <string.h>

/* Offsets within headers of 64 bits. */
enum {
    header_size = sizeof(Elf64_Ehdr),
    entry_size = sizeof(Elf64_Phdr),
    most_entries = 32,
    largest_page = 65536
};

struct segment {
    uint32_t type;
    uint64_t offset;
    uint64_t address;
    uint64_t size; /* in the file */
    uint64_t align;
    uint64_t moved; /* its new offset */
};

struct image {
    const uint8_t *file;
    size_t size;
    size_t entries_at; /* of the table of segments */
    size_t count;
    struct segment segments[most_entries];
};

static bool is_shared_object(const uint8_t *file, size_t size)
{
    return size >= header_size && memcmp(file, ELFMAG, SELFMAG) == 0
           && file[EI_CLASS] == ELFCLASS64 && file[EI_DATA] == ELFDATA2LSB
           && load_le16(file + offsetof(Elf64_Ehdr, e_type)) == ET_DYN
           && load_le16(file + offsetof(Elf64_Ehdr, e_phentsize)) == entry_size;
}

static bool is_page(uint64_t align)
{
    return align > 0 && align <= largest_page && (align & (align - 1)) == 0;
}

/* One that can be moved: in the file, and where its address says. */
static bool is_sound(const struct segment *s, size_t file_size)
{
    if (s->offset > file_size || s->size > file_size - s->offset) return false;
    return s->type != PT_LOAD
           || (is_page(s->align)
                   && s->offset % s->align == s->address % s->align);
}

static bool read_image(struct image *image, const uint8_t *file, size_t size)
{
    if (!is_shared_object(file, size)) return false;
    const uint64_t at = load_le64(file + offsetof(Elf64_Ehdr, e_phoff));
    image->file = file;
    image->size = size;
    image->count = load_le16(file + offsetof(Elf64_Ehdr, e_phnum));
    if (image->count == 0 || image->count > most_entries || at < header_size
            || at > size || image->count * entry_size > size - at)
        return false;
    image->entries_at = (size_t)at;
    for (size_t i = 0; i < image->count; i++) {
        const uint8_t *p = file + at + i * entry_size;
        struct segment *s = &image->segments[i];
        s->type = load_le32(p + offsetof(Elf64_Phdr, p_type));
        s->offset = load_le64(p + offsetof(Elf64_Phdr, p_offset));
        s->address = load_le64(p + offsetof(Elf64_Phdr, p_vaddr));
        s->size = load_le64(p + offsetof(Elf64_Phdr, p_filesz));
        s->align = load_le64(p + offsetof(Elf64_Phdr, p_align));
        if (!is_sound(s, size)) return false;
    }
    return true;
}

static bool overlap(const struct segment *a, uint64_t at, uint64_t size)
{
    return a->moved < at + size && at < a->moved + a->size;
}

/* The first place that suits the segment's address and is free of those before
 * it; the old one is the last that is tried. */
static uint64_t place_of(const struct image *image, size_t index)
{
    const struct segment *s = &image->segments[index];
    for (uint64_t at = s->address % s->align; at < s->offset; at += s->align) {
        size_t i = 0;
        while (i < index
                && (image->segments[i].type != PT_LOAD
                        || !overlap(&image->segments[i], at, s->size)))
            i++;
        if (i == index) return at;
    }
    return s->offset;
}

/* Loaded segments first; false unless the headers stay in the first. */
static bool place_loaded(struct image *image, uint64_t *end)
{
    const size_t headers = image->entries_at + image->count * entry_size;
    bool is_first = true;
    *end = 0;
    for (size_t i = 0; i < image->count; i++) {
        struct segment *s = &image->segments[i];
        if (s->type != PT_LOAD) continue;
        if (is_first && (s->offset != 0 || s->size < headers)) return false;
        if (!is_first && s->size == 0) return false;
        is_first = false;
        s->moved = place_of(image, i);
        if (s->moved + s->size > *end) *end = s->moved + s->size;
    }
    return !is_first;
}

/* The others are parts of loaded ones, or empty. */
static bool place_parts(struct image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        struct segment *s = &image->segments[i];
        bool found = s->type == PT_LOAD;
        for (size_t j = 0; !found && j < image->count; j++) {
            const struct segment *l = &image->segments[j];
            if (l->type != PT_LOAD || s->offset < l->offset
                    || s->offset - l->offset > l->size
                    || s->size > l->size - (s->offset - l->offset))
                continue;
            s->moved = l->moved + (s->offset - l->offset);
            found = true;
        }
        if (!found && s->size > 0) return false;
    }
    return true;
}

static void write_image(const struct image *image, uint8_t *out)
{
    for (size_t i = 0; i < image->count; i++) {
        const struct segment *s = &image->segments[i];
        if (s->type == PT_LOAD)
            memcpy(out + s->moved, image->file + s->offset, (size_t)s->size);
    }
    for (size_t i = 0; i < image->count; i++)
        store_le64(out + image->entries_at + i * entry_size
                           + offsetof(Elf64_Phdr, p_offset),
                image->segments[i].moved);
    store_le64(out + offsetof(Elf64_Ehdr, e_shoff), 0);
    store_le16(out + offsetof(Elf64_Ehdr, e_shnum), 0);
    store_le16(out + offsetof(Elf64_Ehdr, e_shstrndx), 0);
}

void elf_shrink(const uint8_t *file, size_t size, struct buffer *out)
{
    struct image image = {.file = NULL};
    uint64_t end = 0;
    if (!read_image(&image, file, size) || !place_loaded(&image, &end)
            || !place_parts(&image) || end > size) {
        buffer_append(out, file, size);
        return;
    }
    uint8_t *room = buffer_reserve(out, (size_t)end);
    if (room == NULL) return;
    memset(room, 0, (size_t)end);
    write_image(&image, room);
    out->size += (size_t)end;
}
