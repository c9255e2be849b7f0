/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured: a program of the application's own and a primitive, behind
 * one interface.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include "bytes.h"
#include "device.h"

enum { OBJECT_INPUTS = 3, OBJECT_SIZE = 256 };

struct subject;

/* One program or primitive, with an engine in a context of its own, in which
 * nothing is in memory from earlier objects. */
struct object {
    const struct subject *subject;
    const struct device *device;
    cl_context context;
    dnnl_engine_t engine;
    int64_t size; /* of the square matrices that are multiplied */

    dnnl_cache_program_desc_t program_desc;
    dnnl_cache_program_t program;
    cl_kernel kernel;
    uint8_t id[4096]; /* the program's */

    dnnl_memory_desc_t inputs[OBJECT_INPUTS];
    dnnl_primitive_desc_t primitive_desc;
    dnnl_primitive_t primitive;

    /* What it is run with. */
    cl_command_queue queue;
    cl_mem buffers[OBJECT_INPUTS];
    dnnl_stream_t stream;
    dnnl_memory_t memories[OBJECT_INPUTS];
};

/* Every function but the last three gives true, or false with failure.h
 * saying why. */
struct subject {
    const char *name;
    /* Makes what describe() takes; part of no measurement. */
    bool (*prepare)(struct object *o);
    /* The descriptor, and its end. */
    bool (*describe)(struct object *o);
    /* The cache blob ID: into the object. */
    bool (*id)(struct object *o, const uint8_t **id, size_t *size);
    /* The object itself, with its kernel, from source or memory; from a blob
     * (which must not compile). */
    bool (*create)(struct object *o);
    bool (*load)(struct object *o, const struct bytes *blob);
    /* Launches on an empty problem, where create() has not done so. */
    bool (*use)(struct object *o);
    bool (*blob)(struct object *o, size_t *size, uint8_t *blob);
    /* Gives the attached store its entry, where create() has not done so. */
    bool (*keep)(struct object *o);
    /* Memory for run(), which multiplies and waits. */
    bool (*run_prepare)(struct object *o);
    bool (*run)(struct object *o);
    /* The end of what describe(), create() or load() made. */
    void (*forget)(struct object *o);
    void (*drop)(struct object *o);
    /* The end of everything else. */
    void (*finish)(struct object *o);
};

extern const struct subject subject_program;
extern const struct subject subject_primitive;

/* Opens an object of subject, for matrices of size x size, whose engine comes
 * from a blob; NULL: its facts are established by compiling. On failure
 * nothing is to be closed. */
bool object_open(struct object *o, const struct subject *subject,
        const struct device *device, const struct bytes *blob_of_engine,
        int64_t size);

/* Closes an object, whatever it holds. Nothing of it stays in memory. */
void object_close(struct object *o);

/* The object's blob, into *blob. */
bool object_blob(struct object *o, struct bytes *blob);

/* The engine's blob, into *blob; compiles the probe if it has to. */
bool engine_blob(dnnl_engine_t engine, struct bytes *blob);

#endif /* BENCH_SUBJECT_H */
