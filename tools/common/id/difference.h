/* SPDX-License-Identifier: Apache-2.0 */
/* difference.h: in what two IDs differ. */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_DIFFERENCE_H
#define DNNL_CACHE_TOOLS_COMMON_ID_DIFFERENCE_H

#include <dnnl_cache.h>

#include <stdbool.h>

struct difference_id {
    size_t size;
    const uint8_t *bytes;
};

enum { difference_names_size = 4096 }; /* of all ingredients there are */

/* The names in which two IDs differ, as dnnl_cache_id_diff() writes them: "" if
 * in none. False: one of them is no ID. */
bool difference_names(char names[difference_names_size],
        const struct difference_id *a, const struct difference_id *b);
bool difference_has(const char *names, const char *name);

/* How far apart two IDs are: the number of ingredients that differ, and
 * difference_names_size more if they are of two objects. The same source on
 * another driver is nearer than any other source on the same one: after an
 * update every entry differs in much from its former self, and little from the
 * other new ones, which explain nothing. */
size_t difference_distance(const char *names);

/* One value; in an ID a header's contents stand behind its name. */
struct difference_value {
    dnnl_cache_id_field_t field;
    dnnl_cache_id_field_t header_name; /* of a header, else of size 0 */
    /* What says which of several values under one name this one is: a header's
     * name, NAME= of NAME=value, the number of a constant. Of size 0: nothing.
     */
    dnnl_cache_id_field_t key;
};

/* The values under one name that only one of two IDs has. */
struct difference_values {
    struct difference_value *items;
    size_t count;
};

/* Calls visit for each of the names. False if memory ran out. */
bool difference_for_each(const char *names, const struct difference_id *a,
        const struct difference_id *b,
        void (*visit)(void *user, const char *name,
                const struct difference_values *a,
                const struct difference_values *b),
        void *user);

/* Calls row for each two values that belong side by side, such as those of one
 * variable, and for each that has no other (NULL). */
void difference_for_each_row(const struct difference_values *a,
        const struct difference_values *b,
        void (*row)(void *user, const struct difference_value *a,
                const struct difference_value *b),
        void *user);

/* Where two values differ, to show that part of them: 0 if they are short, or
 * one of them is NULL. */
size_t difference_position(
        const struct difference_value *a, const struct difference_value *b);

/* "header a.h", "build_options (byte 120)": what a row is about. */
enum { difference_title_size = 512 };
void difference_title(char title[difference_title_size], const char *name,
        const struct difference_value *value, size_t position);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_DIFFERENCE_H */
