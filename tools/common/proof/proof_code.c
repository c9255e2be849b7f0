/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/proof/proof.h"

#include "src/binaries/elf_shrink.h"
#include "src/common/byte_order.h"

#include <elf.h>
#include <string.h>

/* Build-ids are of what is not loaded, too. */
static void clear_notes(uint8_t *file, size_t size)
{
    if (size < sizeof(Elf64_Ehdr) || memcmp(file, ELFMAG, SELFMAG) != 0
            || file[EI_CLASS] != ELFCLASS64 || file[EI_DATA] != ELFDATA2LSB)
        return;
    const uint64_t at = load_le64(file + offsetof(Elf64_Ehdr, e_phoff));
    const uint16_t count = load_le16(file + offsetof(Elf64_Ehdr, e_phnum));
    if (at > size || count > (size - at) / sizeof(Elf64_Phdr)) return;
    for (uint16_t i = 0; i < count; i++) {
        const uint8_t *p = file + at + i * sizeof(Elf64_Phdr);
        const uint64_t from = load_le64(p + offsetof(Elf64_Phdr, p_offset));
        const uint64_t bytes = load_le64(p + offsetof(Elf64_Phdr, p_filesz));
        if (load_le32(p + offsetof(Elf64_Phdr, p_type)) == PT_NOTE
                && from <= size && bytes <= size - from)
            memset(file + from, 0, (size_t)bytes);
    }
}

/* As both are loaded, whether they are in a finalised form or not. */
static void normalise(struct buffer *out, const struct proof_blob *file)
{
    buffer_init(out);
    elf_shrink(file->bytes, file->size, out);
    if (!out->failed) clear_notes(out->data, out->size);
}

enum proof_code proof_compare_code(
        const struct proof_blob *entry, const struct proof_blob *again)
{
    struct buffer a, b;
    enum proof_code code = proof_code_differs;
    normalise(&a, entry);
    normalise(&b, again);
    if (a.failed || b.failed)
        code = proof_code_no_memory;
    else if (a.size == b.size
             && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0))
        code = proof_code_same;
    buffer_fini(&a);
    buffer_fini(&b);
    return code;
}
