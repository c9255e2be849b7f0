/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of NumPy. What is refused says why in a line, and leaves
 * nothing. What is read has as many elements as its shape says, no more than
 * the bytes, and is the same when it is written and read again.
 */
#include "fuzz.h"
#include "model/command/npy.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct value value = {0}, again = {0};
    struct failure failure = {""};
    uint64_t count;
    size_t written = 0;
    if (!npy_parse(&value, data, size, &failure)) {
        REQUIRE(failure.text[0] != '\0' && strchr(failure.text, '\n') == NULL);
        REQUIRE(value.data == NULL);
        return 0;
    }
    REQUIRE(failure.text[0] == '\0');
    REQUIRE(value.ndims >= 0 && value.ndims <= value_max_ndims);
    REQUIRE(value_count(value.ndims, value.dims, &count));
    REQUIRE(value.size == count * dnnl_cache_model_type_size(value.type));
    REQUIRE(value.size < size);
    uint8_t *bytes = npy_format(&value, &written);
    REQUIRE(bytes != NULL);
    REQUIRE(npy_parse(&again, bytes, written, &failure));
    REQUIRE(again.type == value.type && again.ndims == value.ndims);
    REQUIRE(memcmp(again.dims, value.dims, sizeof value.dims) == 0);
    REQUIRE(again.size == value.size);
    REQUIRE(memcmp(again.data, value.data, value.size) == 0);
    free(bytes);
    value_fini(&again);
    value_fini(&value);
    return 0;
}
