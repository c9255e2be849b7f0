/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the fake driver share: objects and their registry, the
 * frame of a call, settings, answers to queries.
 *
 * One lock guards everything. A call takes it in call_enter() and drops it in
 * call_leave(); it is dropped in between only to sleep, to wait and to run a
 * kernel body. An application's callbacks run after it was dropped.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_INTERNAL_H
#define DNNL_CACHE_TESTS_FAKE_INTERNAL_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS /* the build may say so too */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_opencl.h"
#include "fake_source.h"

/* ---- functions: fake_clBuildProgram() and so on ---- */

enum call {
#define FUNCTION(name, error) CALL_##name,
#include "fake_functions.def"
#undef FUNCTION
    CALL_clIcdGetPlatformIDsKHR,
    CALL_COUNT
};

/* The types of the table's members: those of the functions alone have other
 * names in newer headers of OpenCL's. */
#define FUNCTION(name, error) \
    __typeof__(*((cl_icd_dispatch *)NULL)->name) fake_##name;
#include "fake_functions.def"
#undef FUNCTION

extern const cl_icd_dispatch fake_dispatch;

/* A function's address by name, as OpenCL's extension look-up returns it;
 * NULL if there is none. */
void *dispatch_find(const char *name);

/* ---- the frame of a call (fake_calls.c) ---- */

/* Takes the lock, counts and logs the call (format: its parameters). Returns
 * CL_SUCCESS, or the error the call was told to fail with. */
cl_int call_enter(enum call call, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Logs a failure, drops the lock, runs the callbacks that became due.
 * Returns the status. */
cl_int call_leave(enum call call, cl_int status);
/* The same for a function that returns an object and, where errcode is not
 * NULL, a status. */
void call_leave_with(enum call call, cl_int status, cl_int *errcode);

void driver_lock(void);
void driver_unlock(void);
/* Waits until another thread changed something. Lock held. */
void driver_wait(void);
/* The same for at most some milliseconds; false when they have passed. */
bool driver_wait_ms(unsigned long ms);
void driver_changed(void);
/* Sleeps with the lock dropped. */
void driver_sleep_ms(unsigned long ms);

/* A callback to be run by call_leave() of this thread. Lock held. */
struct object;
struct notice {
    struct notice *next;
    void (*run)(const struct notice *notice); /* calls the function */
    void (*function)(void);
    struct object *handle;
    bool held; /* not where the object is being destroyed */
    cl_int status;
    void *user;
};
cl_int notice_create(struct notice **notice, void (*run)(const struct notice *),
        void (*function)(void), void *user);
void notice_post(struct notice *notice, struct object *handle, cl_int status);

/* Misuse of a handle or a reference: printed, counted; fatal with STRICT. */
void misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints and aborts. */
_Noreturn void fatal(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

/* ---- settings (fake_settings.c); lock held ---- */

/* The value of a key: of device n's own, else everyone's. Never NULL; valid
 * until the setting changes. */
const char *setting(const char *key, cl_uint device);
/* The value as a number; 0 if it is empty. */
uint64_t setting_number(const char *key, cl_uint device);
/* CL_SUCCESS, or the error the key's value "!error" asks for. */
cl_int setting_status(const char *key, cl_uint device);
/* Sets, or with NULL unsets, a key. */
void settings_set(const char *key, const char *value);
/* Back to the environment. */
void settings_reset(void);

/* ---- objects (fake_objects.c); lock held ---- */

enum object_kind {
    OBJECT_PLATFORM,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEMORY,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_KINDS
};

/* First member of everything behind a handle. It lives while it has
 * references of the application's or of other objects. */
struct object {
    const cl_icd_dispatch *dispatch; /* the loader reads this word */
    enum object_kind kind;
    bool eternal; /* platform and whole devices: not counted */
    cl_uint external;
    cl_uint internal;
    void (*destroy)(struct object *object); /* releases what it holds */
    struct object *next;                    /* in the registry */
};

/* Makes an object of size bytes with one reference of the application's and
 * puts it into the registry. CL_OUT_OF_HOST_MEMORY. */
cl_int object_create(void *object, size_t size, enum object_kind kind,
        void (*destroy)(struct object *object));
/* CL_SUCCESS if the handle is alive and of this kind, else the error that
 * OpenCL has for it. */
cl_int object_check(const void *handle, enum object_kind kind);
/* Platform and whole devices are never released, nor counted as alive. */
void object_make_eternal(void *object);
/* The application's references. */
cl_int object_retain(void *handle, enum object_kind kind);
cl_int object_release(void *handle, enum object_kind kind);
/* References of other objects; NULL is nothing. */
void object_hold(void *object);
void object_drop(void *object);
/* The application's reference becomes nobody's: for an object that is given
 * up before anyone saw it, and for one only other objects hold. */
void object_disown(void *object);
/* Objects alive. */
size_t objects_alive(enum object_kind kind);

struct _cl_platform_id {
    struct object base;
};

struct _cl_device_id {
    struct object base;
    cl_uint index;
    cl_device_id parent; /* held; NULL for a whole device */
    cl_uint compute_units;
    cl_device_partition_property partition[3];
};

struct _cl_context {
    struct object base;
    cl_uint ndevices;
    cl_device_id *devices; /* sub-devices are held */
    size_t nproperties;
    cl_context_properties *properties;
    struct notice *destructors;
};

struct _cl_command_queue {
    struct object base;
    cl_context context; /* held */
    cl_device_id device;
    cl_command_queue_properties properties;
    size_t narray;
    cl_queue_properties array[5]; /* as given, with the end */
    size_t pending;               /* commands not yet executed */
    cl_event last;                /* held: the last command's, while pending */
    cl_event barrier;             /* held: the last barrier's, while pending */
    cl_kernel launched;           /* held: KEEPS_LAUNCHED */
};

struct _cl_mem {
    struct object base;
    cl_context context; /* held */
    cl_mem parent;      /* held, of a sub-buffer */
    size_t origin;
    size_t size;
    cl_mem_flags flags;
    uint8_t *data;
    void *host; /* CL_MEM_USE_HOST_PTR */
    bool owned; /* data is ours to free */
    size_t nproperties;
    cl_mem_properties properties[1];
    size_t maps;
    struct notice *destructors;
};

struct _cl_event {
    struct object base;
    cl_context context;     /* held */
    cl_command_queue queue; /* held; NULL for a user event */
    cl_command_type type;
    cl_int status;
    bool profiling;
    cl_ulong times[4]; /* queued, submitted, started, ended */
    struct event_callback {
        struct event_callback *next;
        cl_int at;
        struct notice *notice;
    } * callbacks;
};

enum program_origin {
    PROGRAM_SOURCE,
    PROGRAM_IL,
    PROGRAM_BINARY,
    PROGRAM_LINK
};

/* What a program is on one device. */
struct build {
    cl_build_status status;
    cl_program_binary_type type;
    char *options; /* of the last build */
    char *log;
    uint8_t *binary;
    size_t binary_size;
    bool is_cubin;              /* it was loaded from one */
    bool is_spoiled;            /* with INTEL_CPU: a call has failed */
    struct kernel_list kernels; /* while executable */
    struct kernel_list before;  /* with NVIDIA, of what it was compiled over */
};

struct spec_constant {
    cl_uint id;
    size_t size;
    uint8_t value[16];
};

struct _cl_program {
    struct object base;
    cl_context context; /* held */
    cl_uint ndevices;
    cl_device_id *devices; /* held */
    struct build *builds;  /* one a device */
    cl_uint order[8];      /* with LIST_ORDER: of the binaries */
    enum program_origin origin;
    bool compiles;     /* builds and links of it are work for a compiler */
    bool is_of_binary; /* or linked of such, Intel's knows no arguments of it */
    bool building;
    char *source;
    uint8_t *il;
    size_t il_size;
    size_t nconstants;
    struct spec_constant *constants; /* by id */
    size_t kernels;                  /* kernel objects made of it */
    struct notice *destructors;
};

struct kernel_value {
    bool set;
    size_t size;
    uint8_t *bytes; /* of a value */
    cl_mem memory;  /* held only by launches, as OpenCL says */
};

struct _cl_kernel {
    struct object base;
    cl_program program; /* held */
    const struct kernel_decl *decl;
    struct kernel_value *values; /* one an argument */
    bool tells_arguments; /* with what its program was built when it was made */
};

/* An unbuilt program for devices of the context. */
cl_int program_create(cl_program *program, cl_context context,
        enum program_origin origin, cl_uint n, const cl_device_id *devices);
/* Back to a build that never was. */
void build_fini(struct build *build);
/* As Intel's driver for CPUs. */
bool is_like_intel(void);
/* The build of the first device that has an executable, or NULL. */
const struct build *program_executable(cl_program program);
/* The device's number in the program's list; false if it is none of them. */
bool program_device(cl_program program, cl_device_id device, cl_uint *index);
/* Major version * 10 + minor of the device's OpenCL. */
unsigned device_version(cl_device_id device);
cl_device_type device_type(cl_device_id device);
bool device_has_subgroups(cl_device_id device);
#define EXTENSIONS_SIZE 4096
/* The names of the device's extensions, a blank between them. */
void device_extensions(cl_device_id device, char list[EXTENSIONS_SIZE]);
/* The number of a device's setting: kernels ask too. */
uint64_t device_number(cl_device_id device, const char *key);
cl_platform_id platform_get(void);
/* What clGetDeviceIDs answers. */
cl_int devices_of_type(cl_platform_id platform, cl_device_type type,
        cl_uint capacity, cl_device_id *list, cl_uint *count);
/* CL_SUCCESS if each device is alive and among the given ones. */
cl_int devices_check(cl_uint n, const cl_device_id *devices, cl_uint nall,
        const cl_device_id *all);

/* Most work-items of a kernel in a group; what its size has to be (0: not
 * said); bytes of local memory it was given. */
size_t kernel_group_limit(cl_device_id device);
void kernel_required(cl_kernel kernel, cl_device_id device, size_t required[3]);
size_t kernel_local_size(cl_kernel kernel);

/* ---- answers to queries (fake_info.c) ---- */

/* Where an answer goes: the last three parameters of a query. */
struct answer {
    size_t capacity;
    void *value;
    size_t *size_ret;
};

cl_int answer_bytes(const struct answer *answer, const void *data, size_t size);
cl_int answer_string(const struct answer *answer, const char *string);
cl_int answer_uint(const struct answer *answer, cl_uint value);
cl_int answer_int(const struct answer *answer, cl_int value);
cl_int answer_ulong(const struct answer *answer, cl_ulong value);
cl_int answer_size(const struct answer *answer, size_t value);
cl_int answer_pointer(const struct answer *answer, const void *value);

/* ---- launches (fake_launch.c) ---- */

/* Forgets the last launch and all bodies. Lock held. */
void launches_reset(void);
/* The body of a kernel, or NULL. Lock held. */
fake_opencl_body *launch_body(const char *kernel, void **user);

/* ---- builds (fake_calls.c) ---- */

/* A build begins: counts it, waits while builds are blocked, takes the time
 * that the settings say. */
void build_wait(bool compiles);
/* The same of who asks for the sizes of binaries. */
void sizes_wait(void);
void binary_bytes_note(size_t bytes);

#endif /* DNNL_CACHE_TESTS_FAKE_INTERNAL_H */
