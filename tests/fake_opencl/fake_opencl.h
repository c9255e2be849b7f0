/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake OpenCL driver, for what no real driver can be made to do: change
 * its name, version or compiler between two runs, fail at a chosen call,
 * count what reached it.
 *
 * libfake_opencl.so is an ICD: the real loader loads it when OCL_ICD_VENDORS
 * names the directory with its fake.icd. Memory, events and programs work;
 * kernels compute nothing unless a test gives them a body. What it lacks
 * (images, samplers, pipes, shared virtual memory) answers
 * CL_INVALID_OPERATION.
 *
 * A test in another process controls it by environment variables
 * FAKE_OPENCL_<KEY>, read at first use; a test in the same process by the
 * functions below, which libfake_opencl.so exports and the static library
 * fake_opencl_control forwards. Keys are listed in fake_settings.c and told
 * of here:
 *
 * PLATFORM_NAME, PLATFORM_VENDOR, PLATFORM_VERSION, PLATFORM_PROFILE,
 * DEVICE_NAME, DEVICE_VENDOR, DEVICE_VENDOR_ID, DEVICE_PROFILE,
 * DEVICE_VERSION, DRIVER_VERSION, OPENCL_C_VERSION, ADDRESS_BITS,
 * ENDIAN_LITTLE, EXTENSIONS, DEVICE_TYPE (gpu, cpu, accelerator, custom),
 * MAX_WORK_GROUP_SIZE, MAX_WORK_ITEM_DIMENSIONS, SINGLE_FP_CONFIG,
 * LOCAL_MEM_SIZE, GLOBAL_MEM_SIZE, MAX_MEM_ALLOC_SIZE, MEM_BASE_ADDR_ALIGN,
 * COMPUTE_UNITS, CLOCK_FREQUENCY, HOST_UNIFIED_MEMORY, IL_VERSION (empty: no
 * IL), DEVICES (how many, at most 8):
 *     what the queries of the same name answer.
 * NV_CC (major.minor), NV_PCI_BUS, NV_PCI_SLOT, NV_PCI_DOMAIN,
 * INTEL_IP_VERSION, INTEL_DEVICE_ID, AMD_BOARD, AMD_PCIE_ID, AMD_GFXIP
 * (major.minor), AMD_TOPOLOGY (bus:device.function, hexadecimal),
 * DEVICE_UUID, DRIVER_UUID (32 hexadecimal digits), PCI_BUS
 * (domain:bus:device.function, hexadecimal):
 *     vendors' and extensions' queries; empty: CL_INVALID_VALUE. The
 *     extension each belongs to is added to the device's extensions while it
 *     is set. The ISA name of an AMD device is its DEVICE_NAME.
 * WG_MULTIPLE, KERNEL_WORK_GROUP_SIZE (empty: MAX_WORK_GROUP_SIZE),
 * SUBGROUP_SIZE (0 or empty: no sub-groups), ACCEPTS (empty: nothing special):
 *     what a kernel's queries reveal of the compiler. Where ACCEPTS is set, a
 *     kernel whose reqd_work_group_size begins with an expression as written,
 *     like a probe's "1 + A + B", has the compile work-group size 1 + ACCEPTS.
 *     For all others, a macro's name included, it is what the source says.
 * BUILD_LOG (put in front of every build log), ERROR_PLACE (put in front of the
 * error in it, "input.cl:7:13: " for example), BUILD_MS (how long a build
 * of source or IL takes), BINARY_MS (how long one of a binary takes),
 * SIZES_MS (how long telling the sizes of binaries takes), SIZES_WORK_MS (how
 * much a processor works for it, beyond that),
 * BUILD_ERROR (what every build of source or IL for the device answers, 0: what
 * it should), CALLBACK_AND_STATUS (1: a build with a callback answers what it
 * would without, and one that is refused calls back, too, as PoCL's do),
 * CALLBACK_LATER (1: callbacks are made at the end of the thread's next
 * clUnloadPlatformCompiler(), not of the call that they belong to):
 *     the compiler. A build fails if the preprocessed source holds an #error
 *     or the word FAKE_BUILD_FAILURE, or the options hold that word.
 * INTEL_CPU (1: as Intel's runtime for CPUs. No size of globals of what is not
 * built; no names where there are no kernels, but their number; the number of
 * kernels also where there is too little room for them; CL_INVALID_VALUE of an
 * argument that is not there; arguments without an option, but not of a binary
 * or of what is linked of one. A program of which a call has failed is not
 * built again, one that was compiled is not compiled again with the same
 * options: such calls fail, and change nothing. All this is so of each device
 * of a program for itself: a call that fails has built for the others. Being
 * asked for the kernels of a compiled object aborts the process), NVIDIA (1: as
 * NVIDIA's. A program that has kernels is compiled all the same, and goes on to
 * give kernels of what it was built to before), NO_ROOM (1: as PoCL. A list
 * with room for no kernel is refused, also where there is none), PTX (1:
 * binaries are PTX, and CUBINs of fake_ptx_compiler.c are binaries, too;
 * kernels of the former count four bytes of local memory more), REFUSES_CUBINS
 * (1: these are CL_INVALID_BINARY), DEADLY_CUBINS (1: these abort the process),
 * LISTS_ROOT (1: as PoCL. A program lists the device that its sub-device is a
 * part of), LIST_ORDER (1: as PoCL 3.1. A program has its binaries in the order
 * of the last build's list, those of devices that are not in it behind),
 * KEEPS_LAUNCHED (1: as rusticl 22.3. A kernel counts among its program's until
 * its queue gets another command than its launch): how some queries are
 * answered. REFUSAL (what a build whose options are rejected leaves of a
 * program; empty: all of it; status: the binary alone, as PoCL does; forgets:
 * nothing). STRICT (1: a dead or foreign handle aborts the process, with a
 * message), TAKES_FOREIGN (1: a binary of a device of another name is taken),
 * DIE_ON_DAMAGED (1: a damaged binary aborts the process, as some drivers do;
 * 0: CL_INVALID_BINARY), DEADLY_BINARY (a word: building a binary of a source
 * that holds it aborts the process, as some drivers do with what they wrote
 * themselves), REFUSED_BINARY (the same is CL_INVALID_BINARY where a program is
 * made of it; both empty: no binary), VARIES (1: no two builds have the same
 * binary, as of drivers that number what they compile), DEADLY_SOURCES (1: a
 * compiler that meets "fate: crash", "fate: hang" or "fate: eat" in a source
 * does so: with all memory it can get), OWN_HEADER (text that the compiler
 * reads before each source, as drivers read headers of their own), OWN_CACHE (a
 * folder: the compiler's own cache, whose key is the source and the options,
 * and not that text, which is the first one's for ever), SYNCS (a variable: a
 * build asks the disk for a pipe in its folder, and fails if it is told that
 * there is none), PRINTS (what a build prints on standard output and on
 * standard error, each a line, as drivers do for warnings), LOG (a file that
 * gets one line for each call), FAIL (a list of function:nth:error; function
 * "*" is any): the tests' own.
 *
 * A key with "_<n>" behind it sets device n alone: DEVICE_NAME_1. A value
 * "!-5" makes the query itself fail with error -5. A key that does not exist
 * aborts the process: a mistyped test proves nothing.
 *
 * Every function may be called from any thread.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_OPENCL_H
#define DNNL_CACHE_TESTS_FAKE_OPENCL_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_OPENCL_API __attribute__((visibility("default")))

/* Forgets counts, failures, kernel bodies and settings made in this process,
 * reads the environment again and lets what is blocked go. Objects live on. */
FAKE_OPENCL_API void fake_opencl_reset(void);

/* Sets a key for the queries and calls that follow; NULL: back to what the
 * environment says, or the default. */
FAKE_OPENCL_API void fake_opencl_set(const char *key, const char *value);

/* Calls so far of one OpenCL function, failed ones included; of all. Calls
 * made by the loader for itself count too (fake_opencl_reset() after
 * clGetPlatformIDs() leaves them out). */
FAKE_OPENCL_API unsigned long fake_opencl_count(const char *function);
FAKE_OPENCL_API unsigned long fake_opencl_total_calls(void);

/* Builds, compilations and links of programs from source or IL, whatever
 * came of them; builds of programs from binaries; bytes handed to
 * clCreateProgramWithBinary. */
FAKE_OPENCL_API unsigned long fake_opencl_source_builds(void);
FAKE_OPENCL_API unsigned long fake_opencl_binary_builds(void);
FAKE_OPENCL_API unsigned long fake_opencl_binary_bytes_seen(void);

/* The nth call from now (1: the next) of the function, or of any OpenCL
 * function, fails with the error, once, and changes nothing; 0 as error: a
 * usual one of the function's, 0 as nth: none fails after all. A release that
 * is told to fail says so, but releases. */
FAKE_OPENCL_API void fake_opencl_fail(
        const char *function, unsigned nth, cl_int error);
FAKE_OPENCL_API void fake_opencl_fail_any(unsigned nth, cl_int error);

/* The function that was last made to fail since the reset, or NULL: tells a
 * loop over fake_opencl_fail_any(1), (2), ... where to stop. */
FAKE_OPENCL_API const char *fake_opencl_last_failure(void);

struct fake_opencl_objects {
    size_t sub_devices;
    size_t contexts;
    size_t queues;
    size_t memories;
    size_t programs;
    size_t kernels;
    size_t events;
};

/* Objects alive, by kind (counts may be NULL), and their sum. */
FAKE_OPENCL_API size_t fake_opencl_live_objects(
        struct fake_opencl_objects *counts);

/* Uses of handles that were not alive, and releases without a reference,
 * since the reset. With STRICT the first one aborts. */
FAKE_OPENCL_API unsigned long fake_opencl_misuses(void);

/* While blocked, builds of any kind wait inside the driver. The second call
 * waits until n of them do; false after two minutes. */
FAKE_OPENCL_API void fake_opencl_block_builds(bool block);
FAKE_OPENCL_API bool fake_opencl_wait_for_blocked_builds(unsigned n);

/* The same of whoever asks for the sizes of a program's binaries. A process may
 * fork() meanwhile. */
FAKE_OPENCL_API void fake_opencl_block_sizes(bool block);
FAKE_OPENCL_API bool fake_opencl_wait_for_blocked_sizes(unsigned n);

struct fake_opencl_launch {
    char kernel[128];
    unsigned long number; /* 1 for the first since the reset */
    cl_uint work_dim;
    size_t offset[3]; /* unused dimensions: 0 */
    size_t global[3]; /* unused dimensions: 1 */
    size_t local[3];  /* 0: left to the driver */
};

/* The last NDRange enqueued; false, and nothing written, if there is none. */
FAKE_OPENCL_API bool fake_opencl_last_launch(struct fake_opencl_launch *launch);

struct fake_opencl_arg {
    size_t size;        /* as given to clSetKernelArg */
    const void *value;  /* NULL for local memory and buffers */
    void *memory;       /* a buffer's bytes, or NULL */
    size_t memory_size; /* and their number */
};

typedef void fake_opencl_body(const struct fake_opencl_launch *launch,
        size_t narguments, const struct fake_opencl_arg *arguments, void *user);

/* Runs a host function, once for a launch, where kernels of that name are
 * executed; NULL: nothing again. It runs on a thread that waits for or
 * enqueues something, with no lock held; user outlives it. */
FAKE_OPENCL_API void fake_opencl_set_kernel_body(
        const char *kernel, fake_opencl_body *body, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_FAKE_OPENCL_H */
