/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to queries: size, value, size needed. */
#include "fake_internal.h"

#include <string.h>

cl_int answer_bytes(const struct answer *answer, const void *data, size_t size)
{
    if (answer->value != NULL) {
        if (answer->capacity < size) return CL_INVALID_VALUE;
        if (size != 0) memcpy(answer->value, data, size);
    }
    if (answer->size_ret != NULL) *answer->size_ret = size;
    return CL_SUCCESS;
}

cl_int answer_string(const struct answer *answer, const char *string)
{
    return answer_bytes(answer, string, strlen(string) + 1);
}

cl_int answer_uint(const struct answer *answer, cl_uint value)
{
    return answer_bytes(answer, &value, sizeof(value));
}

cl_int answer_int(const struct answer *answer, cl_int value)
{
    return answer_bytes(answer, &value, sizeof(value));
}

cl_int answer_ulong(const struct answer *answer, cl_ulong value)
{
    return answer_bytes(answer, &value, sizeof(value));
}

cl_int answer_size(const struct answer *answer, size_t value)
{
    return answer_bytes(answer, &value, sizeof(value));
}

cl_int answer_pointer(const struct answer *answer, const void *value)
{
    return answer_bytes(answer, &value, sizeof(value));
}
