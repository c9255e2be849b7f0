/* SPDX-License-Identifier: Apache-2.0 */
/* growth.h: what is read, in which shape. */
#ifndef DNNL_CACHE_TESTS_GROWTH_H
#define DNNL_CACHE_TESTS_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in the making. */
struct out {
    uint8_t *data; /* the caller's in the end */
    size_t size;
    size_t capacity;
};

void put(struct out *out, const void *data, size_t size);
void put_text(struct out *out, const char *text); /* without its NUL */
void put_u32(struct out *out, uint32_t value);
void put_u64(struct out *out, uint64_t value);
/* Zeros. */
void put_none(struct out *out, size_t size);

/* Ends the process otherwise. */
void must(bool is_so);
void write_file(const char *path, const void *data, size_t size);
const uint8_t *bytes_of(const char *text);

struct shape {
    const char *name;
    void (*read)(char *text, size_t size); /* a NUL is behind it */
    /* A text: head, so many units as fit, tail. %u: a number, another one each
     * time. */
    const char *head;
    const char *unit; /* NULL: make() makes it */
    const char *tail;
    void (*make)(struct out *out, size_t wanted);
};

/* A shape that make() makes. */
#define BYTES(name, read, make)            \
    {                                      \
        name, read, NULL, NULL, NULL, make \
    }

extern const struct shape store_shapes[];
extern const size_t store_shape_count;
extern const struct shape id_shapes[];
extern const size_t id_shape_count;
extern const struct shape binary_shapes[];
extern const size_t binary_shape_count;
extern const struct shape model_shapes[];
extern const size_t model_shape_count;

#endif /* DNNL_CACHE_TESTS_GROWTH_H */
