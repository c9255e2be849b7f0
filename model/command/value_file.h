/* SPDX-License-Identifier: Apache-2.0 */
/* value_file.h: what models take and give, in files. */
#ifndef DNNL_CACHE_MODEL_COMMAND_VALUE_FILE_H
#define DNNL_CACHE_MODEL_COMMAND_VALUE_FILE_H

#include "model/command/image.h"
#include "model/command/value.h"

/* True for the name of a picture. */
bool value_file_is_picture(const char *path);

/* True if a file alone says which type and shape it has: an array of NumPy or a
 * TensorProto, by its name's ending or what it begins with. */
bool value_file_has_shape(const char *path);

/* Reads a file for an input, which says what raw data and pictures are to be:
 * NumPy's arrays and pictures by what they begin with; "NAME.raw" and
 * "NAME.bin" as the elements themselves; everything else as a TensorProto. The
 * caller ends the value with value_fini(). */
bool value_file_read(struct value *value, const char *path,
        const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure);

/* Reads one that must say what it is; input is not known. */
bool value_file_read_any(
        struct value *value, const char *path, struct failure *failure);

/* Writes "NAME.npy", "NAME.raw" or "NAME.bin", and everything else as a
 * TensorProto of that name. */
bool value_file_write(const char *path, const char *name,
        const struct value *value, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_COMMAND_VALUE_FILE_H */
