/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/intel_binary.h"

#include "src/common/byte_order.h"

#include <elf.h>
#include <string.h>

enum {
    header_size = sizeof(Elf64_Ehdr),
    entry_size = sizeof(Elf64_Shdr),
    machine = 205, /* EM_INTELGT */
    least_type = 0xff11,
    last_type = 0xff13, /* zebin: relocatable, executable, shared */
    old_type = 0xff04,
    spirv_section = (int)0xff000009,
    device_section = (int)0xff000005,
    device_magic = 0x494e5443, /* "CTNI" */
    note_product = 1,
    note_head = 12
};

/* Of 64 bits or of 32, whose sections are not looked at. */
static bool is_elf(const uint8_t *bytes, size_t size)
{
    return size >= header_size && memcmp(bytes, ELFMAG, SELFMAG) == 0
           && bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB
           && load_le16(bytes + offsetof(Elf64_Ehdr, e_shentsize))
                      == entry_size;
}

static size_t aligned(uint32_t size)
{
    return ((size_t)size + 3) & ~(size_t)3;
}

/* The product, from a section of notes; other notes are left out. */
static void read_notes(
        struct intel_binary *binary, const uint8_t *at, size_t left)
{
    static const char owner[] = "IntelGT";
    while (left >= note_head) {
        const uint32_t name_size = load_le32(at);
        const uint32_t value_size = load_le32(at + 4);
        const uint32_t type = load_le32(at + 8);
        const size_t name_room = aligned(name_size);
        const size_t value_room = aligned(value_size);
        at += note_head;
        left -= note_head;
        if (name_room > left || value_room > left - name_room) return;
        if (type == note_product && value_size == 4 && name_size == sizeof owner
                && memcmp(at, owner, sizeof owner) == 0) {
            binary->has_device = true;
            binary->device = load_le32(at + name_room);
        }
        at += name_room + value_room;
        left -= name_room + value_room;
    }
}

static void read_old_device(
        struct intel_binary *binary, const uint8_t *at, size_t size)
{
    if (size < 12 || load_le32(at) != device_magic) return;
    binary->has_device = true;
    binary->device = load_le32(at + 8);
}

/* False: it lies beyond the end, or has notes that others have, too, so that
 * all together would have more than *notes bytes. */
static bool read_section(struct intel_binary *binary, const uint8_t *bytes,
        size_t size, const uint8_t *entry, uint64_t *notes)
{
    const uint32_t type = load_le32(entry + offsetof(Elf64_Shdr, sh_type));
    const uint64_t at = load_le64(entry + offsetof(Elf64_Shdr, sh_offset));
    const uint64_t length = load_le64(entry + offsetof(Elf64_Shdr, sh_size));
    if (type == SHT_NULL || type == SHT_NOBITS) return true;
    if (at > size || length > size - at) return false;
    if (type == (uint32_t)spirv_section && length > 0) binary->has_spirv = true;
    if (type == SHT_NOTE && binary->is_zebin) {
        if (length > *notes) return false;
        *notes -= length;
        read_notes(binary, bytes + at, (size_t)length);
    }
    if (type == (uint32_t)device_section && !binary->is_zebin)
        read_old_device(binary, bytes + at, (size_t)length);
    return true;
}

bool intel_binary_read(
        struct intel_binary *binary, const uint8_t *bytes, size_t size)
{
    if (!is_elf(bytes, size)) return false;
    const uint16_t type = load_le16(bytes + offsetof(Elf64_Ehdr, e_type));
    const uint64_t at = load_le64(bytes + offsetof(Elf64_Ehdr, e_shoff));
    const size_t count = load_le16(bytes + offsetof(Elf64_Ehdr, e_shnum));
    struct intel_binary now = {
            .is_zebin = load_le16(bytes + offsetof(Elf64_Ehdr, e_machine))
                                == machine
                        || (type >= least_type && type <= last_type)};
    if (!now.is_zebin && type != old_type) return false;
    if (at > size || count * entry_size > size - at) return false;
    uint64_t notes = size;
    for (size_t i = 0; i < count; i++)
        if (!read_section(
                    &now, bytes, size, bytes + at + i * entry_size, &notes))
            return false;
    *binary = now;
    return true;
}

const char *intel_binary_device_name(const struct intel_binary *binary)
{
    static const struct {
        bool is_zebin;
        uint32_t device;
        const char *name;
    } devices[] = {{true, 29, "tgllp"}, {true, 1270, "dg2"},
            {true, 1271, "pvc"}, {false, 12, "Gen9"}, {false, 18, "Gen12LP"},
            {false, 0xc07, "XE_HPG"}, {false, 0xc08, "XE_HPC"}};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (binary->has_device && devices[i].is_zebin == binary->is_zebin
                && devices[i].device == binary->device)
            return devices[i].name;
    return NULL;
}
