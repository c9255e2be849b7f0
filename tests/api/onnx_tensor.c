/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of a TensorProto, with their wire types: a number, and bytes. */
enum { FIELD_DIM = 1 << 3, FIELD_TYPE = 2 << 3, FIELD_RAW_DATA = 9 << 3 | 2 };
enum { TYPE_FLOAT = 1, FILE_SIZE = 1 << 16 };

struct reader {
    const unsigned char *at;
    const unsigned char *end;
};

static void must(bool ok, const char *name)
{
    if (ok) return;
    fprintf(stderr, "onnx_tensor: %s is not what was expected\n", name);
    abort();
}

/* Seven bits a byte, the lowest first. */
static uint64_t read_number(struct reader *r, const char *name)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        must(r->at < r->end, name);
        number |= (uint64_t)(*r->at & 0x7f) << shift;
        if ((*r->at++ & 0x80) == 0) break;
    }
    return number;
}

static size_t read_file(const char *name, unsigned char bytes[FILE_SIZE])
{
    char path[512];
    snprintf(
            path, sizeof path, "%s/onnx/%s.pb", DNNL_CACHE_TEST_DATA_DIR, name);
    FILE *file = fopen(path, "rb");
    must(file != NULL, path);
    size_t size = fread(bytes, 1, FILE_SIZE, file);
    must(size > 0 && size < FILE_SIZE, path);
    fclose(file);
    return size;
}

void onnx_tensor_init(struct tensor *t, const char *name)
{
    static unsigned char bytes[FILE_SIZE];
    struct reader r = {bytes, bytes + read_file(name, bytes)};
    dnnl_dims_t dims = {0};
    int ndims = 0;
    memset(t, 0, sizeof *t);
    while (r.at < r.end) {
        uint64_t field = read_number(&r, name);
        uint64_t number = read_number(&r, name);
        if (field == FIELD_DIM) {
            must(ndims < DNNL_MAX_NDIMS, name);
            dims[ndims++] = (dnnl_dim_t)number;
        } else if (field == FIELD_TYPE) {
            must(number == TYPE_FLOAT, name);
        } else {
            must(field == FIELD_RAW_DATA && t->md == NULL
                            && number <= (uint64_t)(r.end - r.at),
                    name);
            tensor_init_strided(t, dnnl_f32, ndims, dims, NULL);
            must(t->size == number, name);
            memcpy(t->bytes, r.at, t->size);
            r.at += number;
        }
    }
    must(t->md != NULL, name);
}

void onnx_expect(const struct tensor *t, const char *name, double relative)
{
    struct tensor expected;
    dnnl_dims_t place;
    onnx_tensor_init(&expected, name);
    must(t->view.ndims == expected.view.ndims
                    && reference_count(&t->view)
                               == reference_count(&expected.view),
            name);
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++) {
        reference_place(&t->view, i, place);
        double wanted = reference_at(&expected.view, place);
        double actual = reference_at(&t->view, place);
        if ((isnan(actual) && isnan(wanted))
                || fabs(actual - wanted) <= relative * fmax(fabs(wanted), 1.0))
            continue;
        test_fail(__FILE__, __LINE__, "%s, element %lld: %.9g, not %.9g", name,
                (long long)i, actual, wanted);
        break;
    }
    tensor_fini(&expected);
}
