/* SPDX-License-Identifier: Apache-2.0 */
/* The classes that a network thinks most of. */
#include "model/command/command.h"

#include "model/onnx/onnx.h"
#include "tools/common/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Labels -------------------------------------------------------------- */

struct labels {
    uint8_t *bytes;
    size_t count;
    char **lines; /* in the bytes */
};

static bool split(struct labels *labels, size_t size)
{
    char *text = (char *)labels->bytes;
    size_t room = 1;
    for (size_t i = 0; i < size; i++)
        room += text[i] == '\n';
    labels->lines = calloc(room, sizeof *labels->lines);
    if (labels->lines == NULL) return false;
    for (char *at = text; at < text + size;) {
        const size_t left = (size_t)(text + size - at);
        const char *end = memchr(at, '\n', left);
        size_t length = end != NULL ? (size_t)(end - at) : left;
        char *next = at + length + 1;
        if (length > 0 && at[length - 1] == '\r') length--;
        at[length] = '\0'; /* the reader has room behind the last */
        labels->lines[labels->count++] = at;
        at = next;
    }
    return true;
}

static bool read_labels(struct labels *labels, const char *path, size_t classes,
        struct failure *failure)
{
    size_t size;
    if (path == NULL) return true;
    if (!onnx_read_file(path, &labels->bytes, &size, failure)) return false;
    if (!split(labels, size)) return fail_out_of_memory(failure);
    return labels->count == classes
           || fail(failure, "%s has %zu lines, and the output %zu classes",
                   path, labels->count, classes);
}

/* ---- Probabilities ------------------------------------------------------- */

struct rank {
    size_t class;
    double score;
};

static int compare(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->class > y->class) - (x->class < y->class);
}

/* What sums up to 1 is probabilities; other numbers get a softmax. */
static void make_probabilities(struct rank *ranks, size_t count)
{
    double sum = 0.0, most = -INFINITY;
    bool are_parts = true;
    for (size_t i = 0; i < count; i++) {
        sum += ranks[i].score;
        most = fmax(most, ranks[i].score);
        are_parts = are_parts && ranks[i].score >= 0.0;
    }
    if (are_parts && fabs(sum - 1.0) < 1e-2) return;
    sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        ranks[i].score = exp(ranks[i].score - most);
        sum += ranks[i].score;
    }
    for (size_t i = 0; i < count; i++)
        ranks[i].score /= sum;
}

static void print_ranks(
        const struct rank *ranks, size_t count, const struct labels *labels)
{
    for (size_t i = 0; i < count; i++) {
        printf("  %2zu. %6.2f %%  ", i + 1, 100.0 * ranks[i].score);
        if (labels->lines != NULL) {
            const char *name = labels->lines[ranks[i].class];
            text_print(stdout, name, strlen(name));
            printf(" (%zu)\n", ranks[i].class);
        } else {
            printf("class %zu\n", ranks[i].class);
        }
    }
}

/* Numbers that are none come last. */
static void print_row(const struct value *value, size_t begin, size_t classes,
        struct rank *ranks, size_t top, const struct labels *labels)
{
    for (size_t i = 0; i < classes; i++) {
        const double score = value_element(value, begin + i);
        ranks[i] = (struct rank){i, isnan(score) ? -INFINITY : score};
    }
    /* Before: infinite ones may have no probability, and so no order. */
    qsort(ranks, classes, sizeof *ranks, compare);
    make_probabilities(ranks, classes);
    print_ranks(ranks, top < classes ? top : classes, labels);
}

/* Classes are behind the first of several dimensions. */
bool command_print_top(struct command *command, const struct value *value)
{
    const struct options *options = command->options;
    struct labels labels = {0};
    uint64_t count = 0;
    value_count(value->ndims, value->dims, &count);
    const size_t rows =
            value->ndims > 1 && value->dims[0] > 0 ? (size_t)value->dims[0] : 1;
    const size_t classes = (size_t)count / rows;
    struct rank *ranks = calloc(classes + 1, sizeof *ranks);
    bool ok = ranks != NULL ? read_labels(
                      &labels, options->labels, classes, command->failure)
                            : fail_out_of_memory(command->failure);
    for (size_t row = 0; ok && row < rows; row++) {
        printf("top %d%s%.0zu:\n", options->top, rows > 1 ? " of row " : "",
                rows > 1 ? row + 1 : 0);
        print_row(value, row * classes, classes, ranks, (size_t)options->top,
                &labels);
    }
    free(ranks);
    free(labels.lines);
    free(labels.bytes);
    return ok;
}
