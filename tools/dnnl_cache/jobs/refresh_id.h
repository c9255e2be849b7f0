/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_id.h: what the ID of a note says. */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_ID_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_ID_H

#include <dnnl_cache.h>

#include <stdbool.h>

/* Names of fields. */
#define REFRESH_ENVIRONMENT "driver_environment"
#define REFRESH_OPTIONS "build_options"
#define REFRESH_KEY "application_key"

/* Finds the next field of that name; *position is 0 at first. */
bool refresh_id_find(dnnl_cache_id_field_t *field, size_t *position,
        size_t id_size, const uint8_t *id, const char *name);

/* Does the ID have a value of the environment variable of that name, which has
 * so many bytes? */
bool refresh_id_has_variable(size_t id_size, const uint8_t *id,
        const uint8_t *name, size_t name_size);

enum { refresh_variable_size = 256 };

/* A field of the environment, "NAME=value", as a string cut in two at the sign.
 * False: it is too long, or something else. */
bool refresh_id_split_variable(char text[refresh_variable_size], char **value,
        const dnnl_cache_id_field_t *field);

/* Was it made by the OpenCL layer? */
bool refresh_id_is_of_layer(size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_ID_H */
