/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_size.h"

#include "src/platform/file.h"
#include "stores/files/store_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int store_size_read(uint64_t *bytes, int fd, int root_fd)
{
    char text[store_size_max_bytes + 1];
    struct file_facts facts;
    (void)root_fd;
    int error = file_facts(&facts, fd);
    if (error != 0) return error;
    const size_t size = (size_t)facts.size;
    if (facts.size == 0 || facts.size > store_size_max_bytes) return EBADMSG;
    error = file_read_at(fd, text, size, 0);
    if (error != 0) return error;
    text[size] = '\0';
    if (strlen(text) != size || !store_name_parse_decimal(text, bytes))
        return EBADMSG;
    return 0;
}

size_t store_size_format(char text[store_size_max_bytes + 1], uint64_t bytes)
{
    return (size_t)snprintf(text, store_size_max_bytes + 1, "%" PRIu64, bytes);
}

uint64_t store_size_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t store_size_subtract(uint64_t a, uint64_t b)
{
    return a < b ? 0 : a - b;
}
