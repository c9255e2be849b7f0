/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_of_process.h: the format of programs and libraries, of the class that
 * this process has. ElfW() as in link.h, which has the system's calls as well.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_ELF_OF_PROCESS_H
#define DNNL_CACHE_SRC_PLATFORM_ELF_OF_PROCESS_H

#include <elf.h>
#include <stdint.h>

#if UINTPTR_MAX > UINT32_MAX
#define ELF_CLASS_OF_PROCESS ELFCLASS64
#define ElfW(type) Elf64_##type
#else
#define ELF_CLASS_OF_PROCESS ELFCLASS32
#define ElfW(type) Elf32_##type
#endif

#endif /* DNNL_CACHE_SRC_PLATFORM_ELF_OF_PROCESS_H */
