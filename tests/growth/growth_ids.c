/* SPDX-License-Identifier: Apache-2.0 */
/* IDs. */
#include "growth.h"

#include "src/blob/id.h"

#include <stdlib.h>
#include <string.h>

/* ---- One ID -------------------------------------------------------------- */

static void make_id(struct out *out, size_t wanted)
{
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    for (unsigned i = 0; id.bytes.size < wanted; i++)
        id_put_u64(&id, (enum id_tag)0x7001, i);
    put(out, id.bytes.data, id.bytes.size);
    id_builder_fini(&id);
}

static void read_id(char *text, size_t size)
{
    struct id_reader reader;
    struct id_field field;
    const char *names[4];
    char *other = malloc(size);
    must(other != NULL);
    memcpy(other, text, size);
    other[size - 1]++;
    must(id_reader_init(&reader, bytes_of(text), size) == dnnl_success);
    while (id_reader_next(&reader, &field))
        continue;
    must(id_diff(bytes_of(text), size, bytes_of(other), size, names, 4) > 0);
    free(other);
}

/* ---- All of them --------------------------------------------------------- */

const struct shape id_shapes[] = {
        BYTES("id", read_id, make_id),
};

const size_t id_shape_count = sizeof id_shapes / sizeof *id_shapes;
