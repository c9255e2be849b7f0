/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that scenes of several files have in common. */
#ifndef DNNL_CACHE_TESTS_API_SCENE_STEPS_H
#define DNNL_CACHE_TESTS_API_SCENE_STEPS_H

#include "scene.h"

/* ---- Attempts ------------------------------------------------------------ */

/* Creates the program that s->program_desc describes. */
dnnl_status_t attempt_program(struct stage *s);
/* Captures s->program. */
dnnl_status_t attempt_capture(struct stage *s);
/* Makes a program of s->object. */
dnnl_status_t attempt_adoption(struct stage *s);

/* A program object that the application built itself, in s->object, for
 * attempt_adoption(); and its release, when nobody else holds it any more. */
void build_object(struct stage *s, const char *options);
void release_built_object(struct stage *s);

/* ---- What must have come out --------------------------------------------- */

void verify_nothing(struct stage *s);
/* s->bytes is the ID s->id, or the blob s->blob. */
void verify_id_bytes(struct stage *s);
void verify_blob_bytes(struct stage *s);
/* s->program_desc has the ID s->id. */
void verify_described_id(struct stage *s);
/* s->program has the blob s->blob. */
void verify_captured(struct stage *s);
/* The program written has the kernel "scale" and the blob s->blob; it is
 * destroyed. */
void verify_program(struct stage *s);

#endif /* DNNL_CACHE_TESTS_API_SCENE_STEPS_H */
