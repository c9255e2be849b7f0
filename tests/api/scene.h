/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls made to fail, one thing at a time: a scene is a call with what comes
 * before and after it, a fault is what fails meanwhile. However it ends, the
 * call says what it says, writes nothing unless it succeeds, leaves nothing
 * behind, and the next one succeeds and is right. Calls that are meant to be
 * refused are refused as usual.
 */
#ifndef DNNL_CACHE_TESTS_API_SCENE_H
#define DNNL_CACHE_TESTS_API_SCENE_H

#include "memory_store.h"
#include "rig.h"

/* What a scene works on, and what its call writes. */
struct stage {
    const struct scene *scene;
    const struct fault *fault;
    const char *failed; /* what failed at this attempt; NULL: nothing */
    bool is_again;      /* one has failed before */
    struct rig rig;
    dnnl_engine_t host; /* another one, where a scene needs it */
    dnnl_cache_program_desc_t program_desc;
    dnnl_cache_program_t program;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_primitive_attr_t attr;
    dnnl_memory_desc_t md;
    dnnl_memory_desc_t mds[3];
    dnnl_memory_t memories[2]; /* source and destination */
    dnnl_stream_t stream;
    dnnl_stream_t inner_stream;
    cl_program object;
    cl_command_queue queue;
    cl_mem buffer;
    struct memory_store store; /* attached, where a scene needs one */
    struct memory_store right; /* what it may hold */
    unsigned launches;         /* see primitive_scenes.c */
    dnnl_status_t inner_status;
    struct bytes id;         /* the right ones */
    struct bytes blob;       /* to create from, or what must come out */
    struct bytes other_blob; /* something more to compare with */
    void *out;               /* the handle that is written */
    size_t size;             /* the capacity, then the size written */
    _Alignas(16) uint8_t bytes[1 << 17];
};

struct scene {
    void (*prepare)(struct stage *s); /* NULL: nothing */
    dnnl_status_t (*attempt)(struct stage *s);
    void (*verify)(struct stage *s); /* after success; undoes it */
    void (*finish)(struct stage *s); /* NULL: nothing */
    dnnl_status_t usual;             /* what it says when nothing fails */
    bool from_blob;                  /* the blob may be called stale */
    /* Driver functions whose failure is the library's own matter. */
    const char *harmless[4];
    const struct operation *operation; /* of primitives */
};

/* A scene of its steps in their order, NULL: nothing; and of more than those.
 */
#define SCENE(first, call, check, last)                           \
    {                                                             \
        .prepare = (first), .attempt = (call), .verify = (check), \
        .finish = (last)                                          \
    }
#define SCENE_WITH(first, call, check, last, ...)                 \
    {                                                             \
        .prepare = (first), .attempt = (call), .verify = (check), \
        .finish = (last), __VA_ARGS__                             \
    }

/* What fails. */
struct fault {
    unsigned manners; /* how many ways there are to fail */
    /* From now on number n (from 1) fails, in one of the ways; n of 0: none. */
    void (*start)(unsigned n, unsigned manner);
    /* Nothing fails any more. What did, or NULL: there were fewer than n. */
    const char *(*stop)(void);
    /* May a call that met this failure end with this status? */
    bool (*allows)(const struct scene *scene, unsigned manner,
            const char *failed, dnnl_status_t status);
    /* Nothing fails until it is called again with false: the test's own code
     * runs within the call. NULL: that does not matter. */
    void (*pause)(bool paused);
    /* How much there is of what may leak; NULL: nothing may. */
    size_t (*alive)(void);
};

/* Plays the scene once, with number n failing. False if there were fewer. */
bool play_once(const struct scene *scene, const struct fault *fault, unsigned n,
        unsigned manner);

/* Plays a scene in which there is nothing to fail. */
void play_unharmed(const struct scene *scene, const struct fault *fault);

/* Plays the scene with number 1, 2, ... failing, in every way, until there are
 * fewer. Notes a failure of the running test if it ends in any other way than
 * said above, or nothing ever fails. */
void play(const struct scene *scene, const struct fault *fault);

/* The attempt's output, as a handle of some kind. */
#define STAGE_OUT(s, type) ((type *)(void *)&(s)->out)

#endif /* DNNL_CACHE_TESTS_API_SCENE_H */
