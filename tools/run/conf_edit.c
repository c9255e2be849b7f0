/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/conf_edit.h"

#include "tools/common/state/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
        "# Settings of the OpenCL layer, for applications that do not set the\n"
        "# variables themselves (docs/reference/environment.md, Configuration "
        "files).\n";

char *conf_edit_new(void)
{
    return strdup(head);
}

/* Is the line NAME = ..., with the blanks that configuration_parse() skips? */
static bool sets(const char *line, const char *name)
{
    static const char blanks[] = " \t\r";
    line += strspn(line, blanks);
    const size_t size = strlen(name);
    return strncmp(line, name, size) == 0
           && line[size + strspn(line + size, blanks)] == '=';
}

char *conf_edit_set(const char *text, const char *name, const char *value)
{
    char *made = malloc(
            strlen(text) + strlen(name) + strlen(value) + sizeof " = \n\n");
    size_t size = 0;
    if (made == NULL) return NULL;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        if (!sets(text, name)) {
            memcpy(made + size, text, length);
            size += length;
            made[size++] = '\n';
        }
        text += length + (text[length] == '\n');
    }
    made[size] = '\0';
    if (value[0] != '\0') sprintf(made + size, "%s = %s\n", name, value);
    return made;
}

struct wanted {
    const char *name; /* "": none */
    char *value;      /* NULL: none */
};

static void take(void *user, const char *name, const char *value, unsigned line)
{
    struct wanted *wanted = user;
    (void)line;
    if (strcmp(name, wanted->name) != 0) return;
    free(wanted->value);
    wanted->value = value[0] != '\0' ? strdup(value) : NULL;
}

static bool parse(struct wanted *wanted, const char *text, size_t size,
        char why[], size_t why_capacity)
{
    char *copy = malloc(size + 1);
    bool good = false;
    (void)snprintf(why, why_capacity, "out of memory");
    if (copy == NULL) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    good = configuration_parse(copy, size, take, wanted, why, why_capacity);
    free(copy);
    return good;
}

bool conf_edit_is_good(
        const char *text, size_t size, char why[], size_t why_capacity)
{
    struct wanted wanted = {"", NULL};
    return parse(&wanted, text, size, why, why_capacity);
}

char *conf_edit_get(const char *text, const char *name)
{
    struct wanted wanted = {name, NULL};
    char why[128];
    (void)parse(&wanted, text, strlen(text), why, sizeof why);
    return wanted.value;
}

bool conf_edit_check(const char *value, const char **why)
{
    const size_t size = strlen(value);
    *why = "a control character";
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 0x7f) return false;
    *why = "a space at its end";
    return size == 0 || (value[0] != ' ' && value[size - 1] != ' ');
}

char *conf_edit_list_without(const char *list, const char *entry)
{
    const size_t wanted = strlen(entry);
    if (list == NULL) list = "";
    char *made = calloc(1, strlen(list) + 1);
    for (size_t used = 0; made != NULL && *list != '\0';) {
        const size_t size = strcspn(list, ":");
        if (size > 0 && (size != wanted || memcmp(list, entry, size) != 0)) {
            if (used > 0) made[used++] = ':';
            memcpy(made + used, list, size);
            used += size;
        }
        list += size + (list[size] == ':');
    }
    return made;
}

char *conf_edit_list_with(const char *list, const char *entry)
{
    char *rest = conf_edit_list_without(list, entry);
    char *made = NULL;
    if (rest != NULL
            && asprintf(
                       &made, "%s%s%s", rest, rest[0] != '\0' ? ":" : "", entry)
                       < 0)
        made = NULL;
    free(rest);
    return made;
}
