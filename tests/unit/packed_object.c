/* SPDX-License-Identifier: Apache-2.0 */
/* A small shared object to pack. */
#include <string.h>

__attribute__((visibility("default"))) int packed_object_sum(const char *text);

static const int constants[] = {400, 600};
static int variable = 100;
static int counter;

int packed_object_sum(const char *text)
{
    counter++;
    return constants[0] + constants[1] + variable + (int)strlen(text) + counter;
}
