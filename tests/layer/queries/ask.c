/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include "answers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is told of an answer ------------------------------------------- */

static unsigned long long number_of(const void *value, size_t size)
{
    unsigned long long number = 0;

    if (size > sizeof(number)) return 0;
    memcpy(&number, value, size); /* little-endian, as all who run this */
    return number;
}

static void print_sizes(
        FILE *out, const void *value, size_t size, enum shape shape)
{
    for (size_t at = 0; at + sizeof(size_t) <= size; at += sizeof(size_t)) {
        size_t number;

        memcpy(&number, (const char *)value + at, sizeof(number));
        if (shape == SHAPE_SOME)
            fputs(number != 0 ? " some" : " none", out);
        else
            fprintf(out, " %zu", number);
    }
}

static void print_handles(FILE *out, const void *value, size_t size)
{
    for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
        void *handle;

        memcpy(&handle, (const char *)value + at, sizeof(handle));
        fprintf(out, " <%s>", handle_name(handle));
    }
}

static void print_value(
        FILE *out, enum shape shape, const void *value, size_t size)
{
    char *text;

    switch (shape) {
    case SHAPE_NUMBER:
        fprintf(out, " %llu", number_of(value, size));
        break;
    case SHAPE_SIZES:
    case SHAPE_SOME:
        print_sizes(out, value, size, shape);
        break;
    case SHAPE_HANDLES:
        print_handles(out, value, size);
        break;
    case SHAPE_TEXT:
        text = quoted_text(value, size);
        fprintf(out, " %s", text);
        free(text);
        break;
    case SHAPE_UNTOLD:
        break;
    }
}

/* ---- Asking -------------------------------------------------------------- */

enum { GUARD = 16, FILL = 0xa5 };

static bool is_filled(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != FILL) return false;
    return true;
}

/* With room behind the answer, which nobody writes to. */
static void ask_with_room(FILE *out, const struct query *query,
        const struct question *question, size_t size)
{
    unsigned char *value = malloc(size + GUARD);
    size_t told = 0;
    cl_int status;

    if (value == NULL) abort();
    memset(value, FILL, size + GUARD);
    status = query->call(query, question->param, size + GUARD, value, &told);
    if (status != CL_SUCCESS)
        fprintf(out, " with room %s", status_name(status));
    else if (told != size)
        fprintf(out, " then size %zu", told);
    else
        print_value(out, question->shape, value, size);
    if (!is_filled(value + size, GUARD)) fputs(" and more", out);
    free(value);
}

static void ask_without_room(FILE *out, const struct query *query,
        const struct question *question, size_t size)
{
    unsigned char *value = malloc(size);
    size_t told = 4711;
    cl_int status;

    if (value == NULL) abort();
    memset(value, FILL, size);
    status = query->call(query, question->param, size - 1, value, &told);
    fprintf(out, "; less room %s", status_name(status));
    if (status != CL_SUCCESS && told != 4711) fputs(", size told", out);
    if (!is_filled(value, size)) fputs(", written", out);
    free(value);
}

static void ask(const char *subject, const struct query *query,
        const struct question *question)
{
    char *text = NULL;
    size_t text_size = 0, size = 4711;
    FILE *out = open_memstream(&text, &text_size);
    cl_int status = query->call(query, question->param, 0, NULL, &size);

    if (out == NULL) abort();
    if (status == CL_SUCCESS) {
        /* The length of a text with paths differs as they do. */
        if (question->shape != SHAPE_TEXT) fprintf(out, " size %zu,", size);
        ask_with_room(out, query, question, size);
        if (size > 0) ask_without_room(out, query, question, size);
    } else {
        fprintf(out, " %s%s", status_name(status),
                size != 4711 ? ", size told" : "");
    }
    status = query->call(query, question->param, 0, NULL, NULL);
    fprintf(out, "; neither %s", status_name(status));
    if (fclose(out) != 0) abort();
    answer("%s: %s:%s", subject, question->name, text);
    free(text);
}

void ask_all(const char *subject, const struct query *query,
        const struct question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ask(subject, query, &questions[i]);
}
