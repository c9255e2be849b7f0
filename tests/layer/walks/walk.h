/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk: a random sequence of OpenCL calls about programs, right ones and
 * wrong ones. What a call does follows from its numbers alone and never from
 * what a call before it answered, so that a walk with some of its calls left
 * out is a walk, too.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_WALKS_WALK_H
#define DNNL_CACHE_TESTS_LAYER_WALKS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places for programs and kernels. */
enum { walk_programs = 4, walk_kernels = 4 };

enum call_kind {
    call_source, /* a program of source, in a place */
    call_build,
    call_compile,
    call_link,
    call_kernel,
    call_kernels, /* all of a program */
    call_launch,
    call_release_kernel,
    call_retain_kernel,
    call_clone,
    call_retain,
    call_release,
    call_binaries, /* asks for them */
    call_load,     /* and makes a program of them */
    call_look,     /* asks each program and kernel for what it is */
    call_examine,  /* asks one program and its kernels in every way */
    call_constant, /* a specialization constant of a program */
    call_unload,   /* the platform's compiler, which is loaded again */
    call_kinds
};

enum walk_source {
    source_scale,  /* a kernel; fails with -DWRONG */
    source_two,    /* two kernels */
    source_caller, /* a kernel that needs the next one's function */
    source_helper,
    source_includer, /* includes "some.h" */
    source_header,
    source_wrong,
    source_il, /* source_scale as IL, of a driver that has such */
    source_kinds
};

enum walk_options {
    options_none, /* "" */
    options_null,
    options_two,
    options_three,
    options_wrong, /* what makes source_scale fail */
    options_nameless,
    options_unknown, /* no compiler has it */
    options_text,    /* not even an option */
    options_library, /* of a linker */
    options_kinds
};

enum walk_devices {
    devices_all, /* no list */
    devices_each,
    devices_reversed,
    devices_first,
    devices_last,
    devices_part, /* a sub-device */
    devices_twice,
    devices_foreign, /* of another context */
    devices_null,    /* a list of NULL */
    devices_count,   /* a number without a list */
    devices_list,    /* a list without a number */
    devices_kinds
};

enum walk_headers {
    headers_none,
    headers_right,   /* a program of source_header as "some.h" */
    headers_nothing, /* the same as "other.h" */
    headers_number,  /* a list without a number */
    headers_kinds
};

enum walk_notify {
    notify_none,
    notify_callback,
    notify_user, /* a pointer for a callback, and none */
    notify_kinds
};

struct call {
    enum call_kind kind;
    unsigned program; /* its place */
    unsigned other;   /* of a second program */
    unsigned kernel;
    unsigned number; /* whatever a call needs one for */
    enum walk_source source;
    enum walk_options options;
    enum walk_devices devices;
    enum walk_headers headers;
    enum walk_notify notify;
};

/* Which context a walk's programs are of. */
enum walk_context {
    context_one,   /* of a device */
    context_two,   /* of two */
    context_parts, /* of sub-devices */
    context_kinds
};

enum { most_calls = 28 };

struct walk {
    unsigned number;
    enum walk_context context;
    bool looks; /* after each call, and not only where a call says so */
    size_t count;
    struct call calls[most_calls];
};

/* The walk of a seed and a number. */
void walk_make(struct walk *walk, uint64_t seed, unsigned number);

/* A call in words, for who repeats a walk by hand. */
void walk_describe(char *text, size_t size, const struct call *call);

#endif /* DNNL_CACHE_TESTS_LAYER_WALKS_WALK_H */
