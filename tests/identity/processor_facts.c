/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what IDs of a CPU have of the processor: its name, its features, and
 * the digest of both. */
#include "src/common/hash.h"
#include "src/platform/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    struct processor processor;
    char text[sizeof processor + 2];
    if (!processor_read(&processor)) return EXIT_FAILURE;
    const int size = snprintf(
            text, sizeof text, "%s\n%s\n", processor.name, processor.features);
    const struct digest256 digest = digest256_of(text, (size_t)size);
    (void)fputs(text, stdout);
    for (size_t i = 0; i < sizeof digest.bytes; i++)
        printf("%02x", digest.bytes[i]);
    printf("\n");
    return EXIT_SUCCESS;
}
