/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_desc.h: more of what a program consists of: IL, headers, constants,
 * keys, followed includes, data of the application.
 */
#ifndef DNNL_CACHE_PROGRAM_DESC_H
#define DNNL_CACHE_PROGRAM_DESC_H

#include "dnnl_cache/objects.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same for clCreateProgramWithIL(il_size bytes of il). The driver checks
 * the bytes when the program is created. Statuses: as above, and
 * dnnl_unimplemented (the device does not accept IL), dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_create_with_il(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t il_size, const void *il, const char *options);

/* Embeds a header, as for clCompileProgram(): #include "name", or with angle
 * brackets, in a source or in another header reads this text and no file. A
 * quoted name is looked up relative to the header that has the directive, then
 * from the top. Both strings are copied; length 0: source ends with NUL. The
 * order of headers does not matter; every header is part of the ID, used or
 * not. The compiler gets the header as "dnnl_cache_<digest>/name", so that no
 * file of the same name can replace it; compiler messages and __FILE__ contain
 * this name. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; a name that
 * is empty, absolute, has a blank, a part "." or "..", a character of \ " ' < >
 * : | ? * or more than 255 bytes; a second header of that name; a program of
 * IL; the ID was computed already; the reason is logged, at level info);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_add_header(
        dnnl_cache_program_desc_t program_desc, const char *name, size_t length,
        const char *source);

/* Sets a specialization constant of a program of IL, as
 * clSetProgramSpecializationConstant() does: its SpecId, its size in bytes (1
 * for a boolean, else the size of its type) and its value, which is copied. The
 * last value set for an ID counts. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; a size other than 1, 2, 4, 8; a program of
 * sources; the ID was computed already); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_spec_constant(
        dnnl_cache_program_desc_t program_desc, uint32_t id, size_t size,
        const void *value);

/* Adds bytes of the application to the ID: anything else that the binary
 * depends on, or that selects one. The order of keys matters. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, size 0, or the ID was computed
 * already); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_add_key(
        dnnl_cache_program_desc_t program_desc, size_t size, const void *key);

/* on 1: the library reads the files that the program includes, as the OpenCL
 * layer does, when the ID is first needed, and what they hold is part of the
 * ID: of #include in the sources and in the files themselves, whatever #if it
 * stands in, of -include in the options, and of the options that environment
 * variables add. So a descriptor stands for the files as they were then; make
 * another one for the files as they are. A program that is compiled is kept
 * only if the files held the same before and after, and nothing came or went
 * where the compiler looks. What cannot be followed, and why:
 * docs/how_it_works/included_files.md. Where nothing can see the names of the
 * folders of -I, the ID has numbers in their place, and the program serves
 * other folders with the same files ("Headers that are moved" there). A program
 * with embedded headers (dnnl_cache_program_desc_add_header()) is not followed,
 * and one that the application built (dnnl_cache_program_adopt()) is not kept
 * if it includes files. 0: a program that may include files has no ID, as at
 * first. Of this call and dnnl_cache_program_desc_set_includes_known() the last
 * one counts. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, or the ID
 * was computed already); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_include_following(
        dnnl_cache_program_desc_t program_desc, int on);

/* An option for those who build the program themselves, to hand the result to
 * dnnl_cache_program_adopt(): it goes before the program's options, with a
 * blank between, to clBuildProgram() or clCompileProgram(), and defines a macro
 * that no program knows. Drivers have caches of their own (PoCL, Mesa, NVIDIA,
 * Intel), whose keys cover less than the ID does; with this option they do not
 * answer with what another driver's file, variable or header made. The library
 * does the same in what it compiles. A size query, with the NUL; "" if
 * the driver has no such cache or the program no ID. CL_PROGRAM_BUILD_OPTIONS
 * has it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, buffer too
 * small); dnnl_out_of_memory; dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_build_mark(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *mark);

/* Writes 1 to *cacheable if programs created from the descriptor have an ID and
 * a blob, and are kept in memory, with their kernels, for later calls; else 0.
 * *reason (reason may be NULL) is why not, or "": which query of the device's
 * identity failed, or which header is missing. (To add the header with
 * dnnl_cache_program_desc_add_header(), create a new descriptor: this call has
 * computed the ID of this one.) The descriptor owns *reason. A program that is
 * not cacheable works, but is compiled at each creation, also by
 * dnnl_cache_kernel_create(). Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_is_cacheable(
        const_dnnl_cache_program_desc_t program_desc, int *cacheable,
        const char **reason);

/* The compiler's log of the last failed creation from this descriptor, on this
 * thread or another: all threads that waited for one failed build get the same
 * text. A size query, in bytes with the trailing NUL; "" if no creation
 * has failed, or if the compiler was not the reason. If other threads are
 * working, the text may have grown since the size query: then the call returns
 * dnnl_invalid_arguments and the new size. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, buffer too small). */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_build_log(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *log);

/* Stores size bytes of the application, which are copied, in the program's
 * future blob: what the application knows about the program and needs at the
 * next start. The bytes are not part of the ID, and the library does not
 * interpret them. Size 0 removes them; data may then be NULL. Only programs
 * that were compiled or adopted, and not captured yet, accept user data: a
 * capture fixes the contents of the blob, and a program created from a blob, or
 * found in a store, has that blob's. User data belongs to the program, not to
 * the handle: all handles of a program in memory share it, and the last call
 * before the capture counts. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, more than DNNL_CACHE_MAX_USER_DATA_SIZE, captured already or created
 * from a blob); dnnl_unimplemented (the program has no ID, so it will have no
 * blob); dnnl_out_of_memory; dnnl_runtime_error (called while this thread
 * captures the program). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_set_user_data(
        dnnl_cache_program_t program, size_t size, const void *data);

/* The program's user data, wherever the program came from (memory, a store, a
 * blob, the compiler): a size query; size 0 if there is none. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_runtime_error (called while this thread captures the program). Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_get_user_data(
        const_dnnl_cache_program_t program, size_t *size, void *data);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_PROGRAM_DESC_H */
