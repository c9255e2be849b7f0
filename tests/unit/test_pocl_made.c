/* SPDX-License-Identifier: Apache-2.0 */
/* Files of PoCL's own cache: which shared objects are whole, and a kernel's. */
#include "src/drivers/pocl_made.h"

#include "test.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name[] = "f/8-1-1/f.so";
static const char strings[] = "\0_pocl_kernel_f_workgroup";

enum { sections = 4 };

/* An object with two tables of symbols, of which the second may be another
 * kind of section. */
struct object {
    ElfW(Ehdr) head;
    ElfW(Sym) symbols[2];
    char strings[sizeof strings];
    ElfW(Shdr) sections[sections];
};

static struct object object_of(void)
{
    struct object o;
    memset(&o, 0, sizeof o);
    memcpy(o.head.e_ident, ELFMAG, SELFMAG);
    o.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    o.head.e_type = ET_DYN;
    o.head.e_shentsize = sizeof o.sections[0];
    o.head.e_shnum = sections;
    o.head.e_shoff = offsetof(struct object, sections);
    o.symbols[1].st_name = 1;
    o.symbols[1].st_shndx = 1;
    memcpy(o.strings, strings, sizeof strings);
    for (int i = 1; i < 3; i++) {
        o.sections[i].sh_type = SHT_DYNSYM;
        o.sections[i].sh_offset = offsetof(struct object, symbols);
        o.sections[i].sh_size = sizeof o.symbols;
        o.sections[i].sh_link = 3;
    }
    o.sections[2].sh_type = SHT_PROGBITS;
    o.sections[3].sh_type = SHT_STRTAB;
    o.sections[3].sh_offset = offsetof(struct object, strings);
    o.sections[3].sh_size = sizeof o.strings;
    return o;
}

static bool is_read(const struct object *o, size_t size)
{
    uint8_t stamp[pocl_made_stamp_size];
    struct file_facts facts;
    size_t read_size = 0;
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/f", test_directory());
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/f/8-1-1", test_directory());
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    EXPECT_EQ(size, fwrite(o, 1, size, file));
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, chmod(path, 0700));
    const int folder = pocl_made_open_folder(test_directory());
    const int fd = pocl_made_open_file(folder, name, &facts);
    EXPECT_TRUE(fd >= 0);
    pocl_made_stamp(stamp, &facts);
    uint8_t *data = pocl_made_read(folder, name, stamp, &read_size);
    if (data != NULL) EXPECT_EQ(size, read_size);
    free(data);
    close(fd);
    close(folder);
    return data != NULL;
}

TEST_C(PoclMade, IsReadIfItIsWholeAndTheKernels)
{
    struct object o = object_of();
    EXPECT_TRUE(is_read(&o, sizeof o));
    EXPECT_FALSE(is_read(&o, sizeof o - 1));
    o.strings[sizeof strings - 2] = 'q';
    EXPECT_FALSE(is_read(&o, sizeof o));
}

/* Thousands of tables of all the file would be looked through for minutes. */
TEST_C(PoclMade, HasOneTableOfSymbols)
{
    struct object o = object_of();
    o.sections[2].sh_type = SHT_DYNSYM;
    EXPECT_FALSE(is_read(&o, sizeof o));
}
