/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program built from source answered: its log, its kernels, their
 * arguments. Drivers tell less of the same program made from a binary, so these
 * facts travel with the binary, as the user data of its blob.
 *
 * In them numbers are little-endian, texts have their length before and a NUL
 * behind them. A record that is cut off, or anything else that facts_encode()
 * does not write, is refused.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_FACTS_H
#define DNNL_CACHE_TOOLS_COMMON_ID_FACTS_H

#include "src/drivers/launch_class.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define facts_no_bytes UINT64_MAX

/* Texts point into the bytes that were decoded, or are the owner's. */
enum { arg_queries = 5 }; /* CL_KERNEL_ARG_ADDRESS_QUALIFIER to _NAME */

struct arg_facts {
    /* What clGetKernelArgInfo() returned of each query, in the order of their
     * numbers; the value below is known if it is CL_SUCCESS. */
    cl_int status[arg_queries];
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier type;
    const char *type_name;
    const char *name;
};

struct kernel_facts {
    const char *name;
    const char *attributes;
    /* CL_KERNEL_LOCAL_MEM_SIZE of a new kernel; facts_no_bytes: not known. */
    uint64_t local_bytes;
    uint32_t arg_count;
    /* One more than that: the last is what the driver says of an argument that
     * is not there. */
    struct arg_facts *args;
    /* Launches whose code is in the binary (launch_class.h). */
    uint32_t class_count;
    struct launch_class *classes;
};

/* The layer exports this function. A process that compiles again for an
 * application calls it with the compile_ns of the records that follow. */
#define FACTS_SET_COMPILE_NS_NAME "dnnl_cache_layer_set_compile_ns"

/* The same, and calls it with true if the next binary has all classes of
 * launches that the driver will make, though not all that are wanted. */
#define FACTS_SET_FULL_NAME "dnnl_cache_layer_set_full"

struct facts {
    uint64_t compile_ns; /* what the build from source took */
    /* The driver compiles each class of launches (launch_class.h): a launch of
     * another class than those of its kernel is compiled after each load. */
    bool has_classes;
    /* The binary has all classes that it will ever have: any launch counts as
     * one of them (launch_classes_are_full(), or the driver makes no more). */
    bool is_full;
    cl_program_binary_type binary_type;
    /* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE; facts_no_bytes: the driver
     * refuses to tell. */
    uint64_t global_bytes;
    const char *options;
    const char *log;
    uint64_t log_size; /* as the driver gives it, NULs at the end included */
    const char *kernel_names; /* CL_PROGRAM_KERNEL_NAMES */
    cl_int names_status;      /* of that query: objects may have none yet */
    cl_int number_status;     /* of CL_PROGRAM_NUM_KERNELS, which may differ */
    uint32_t kernel_count;
    struct kernel_facts *kernels; /* in the driver's order */
};

struct bytes {
    uint8_t *data; /* malloc'ed */
    size_t size;
    bool failed; /* out of memory, or too much */
};

/* Writes a record; false: out of memory. The caller frees bytes->data. */
bool facts_encode(const struct facts *facts, struct bytes *bytes);

/* Reads a record. Texts point into data, which must outlive *facts. False, and
 * *facts zeroed, if it is none, or memory ran out. Pair with
 * facts_free_lists(). */
bool facts_decode(struct facts *facts, const uint8_t *data, size_t size);

/* Frees the lists, not the texts. Zeroed is fine. */
void facts_free_lists(struct facts *facts);

/* Adds a class to a kernel that lacks it. False: no memory, or too many. */
bool facts_add_class(
        struct kernel_facts *kernel, const struct launch_class *class);
bool facts_has_class(
        const struct kernel_facts *kernel, const struct launch_class *class);

/* The facts of a kernel; NULL: there is none of that name. */
const struct kernel_facts *facts_kernel(
        const struct facts *facts, const char *name);

/* Is the launch of a kernel of that name complete? */
bool facts_have_launch(const struct facts *facts, const char *kernel,
        const struct launch_class *class);

/* Puts the classes that the binary of an intact blob has into its facts: those
 * are what was launched, or asked for, when the record was written. Without
 * effect if the blob does not tell. Sees whether the binary is full; what was
 * true stays so. False: no memory. */
bool facts_read_classes(struct facts *facts, size_t size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_FACTS_H */
