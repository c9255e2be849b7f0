/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/session_text.h"

#include "tools/run/layer_file.h"
#include "tools/run/marked_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYER_LINE "# layer: "
#define TIMER_LINE "# timer: enabled as well\n"

/* Other layers of the list stay, behind ours: it belongs next to the driver. A
 * layer that is named twice is loaded once by Khronos' loader, and does its
 * work once below ocl-icd. A file that is not there is skipped by both. */
static const char environment_format[] =
        "OPENCL_LAYERS=\"%s${OPENCL_LAYERS:+:$OPENCL_LAYERS}\"\n";

static const char sh_format[] =
        "dnnl_cache_layer='%s'\n"
        "if [ -r \"$dnnl_cache_layer\" ]; then\n"
        "    case \":${OPENCL_LAYERS-}:\" in\n"
        "    *[:/]" LAYER_FILE_NAME ":*) ;;\n"
        "    *)\n"
        "        OPENCL_LAYERS=$dnnl_cache_layer${OPENCL_LAYERS:+:"
        "$OPENCL_LAYERS}\n"
        "        export OPENCL_LAYERS\n"
        "        ;;\n"
        "    esac\n"
        "fi\n"
        "unset dnnl_cache_layer\n";

static const char csh_format[] =
        "set dnnl_cache_layer = '%s'\n"
        "if ( ! $?OPENCL_LAYERS ) setenv OPENCL_LAYERS ''\n"
        "if ( -r \"$dnnl_cache_layer\" && \":${OPENCL_LAYERS}:\" !~ "
        "*[:/]" LAYER_FILE_NAME ":* ) then\n"
        "    if ( \"$OPENCL_LAYERS\" == '' ) then\n"
        "        setenv OPENCL_LAYERS \"$dnnl_cache_layer\"\n"
        "    else\n"
        "        setenv OPENCL_LAYERS "
        "\"${dnnl_cache_layer}:${OPENCL_LAYERS}\"\n"
        "    endif\n"
        "endif\n"
        "if ( \"$OPENCL_LAYERS\" == '' ) unsetenv OPENCL_LAYERS\n"
        "unset dnnl_cache_layer\n";

static const char fish_format[] =
        "set -l dnnl_cache_layer '%s'\n"
        "if test -r \"$dnnl_cache_layer\"\n"
        "    and not string match -qr '[:/]" LAYER_FILE_NAME
        ":' -- \":$OPENCL_LAYERS:\"\n"
        "    if test -n \"$OPENCL_LAYERS\"\n"
        "        set -gx OPENCL_LAYERS \"$dnnl_cache_layer:$OPENCL_LAYERS\"\n"
        "    else\n"
        "        set -gx OPENCL_LAYERS \"$dnnl_cache_layer\"\n"
        "    end\n"
        "end\n";

bool session_text_can_name(const char *layer)
{
    for (const char *c = layer; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f
                || strchr("'\"\\$`!:", *c) != NULL)
            return false;
    return true;
}

static const char *format_of(enum session_form form)
{
    switch (form) {
    case session_environment:
        return environment_format;
    case session_sh:
        return sh_format;
    case session_csh:
        return csh_format;
    case session_fish:
        return fish_format;
    case session_layers:
    case session_timer:
        break;
    }
    return NULL;
}

/* Puts the layer where a format has "%s", which is once. */
static char *fill(const char *format, const char *layer)
{
    const char *at = strstr(format, "%s");
    char *text;
    return asprintf(&text, "%.*s%s%s", (int)(at - format), format, layer,
                   at + 2) >= 0
                   ? text
                   : NULL;
}

char *session_text(enum session_form form, const char *layer, bool has_timer)
{
    char *text;
    if (form == session_timer) return NULL;
    if (form == session_layers)
        return asprintf(&text, "%s\n", layer) >= 0 ? text : NULL;
    char *rest = fill(format_of(form), layer);
    if (rest == NULL
            || asprintf(&text,
                       MARKED_FILE_MARK
                       "; dnnl-cache-run --disable removes it.\n"
                       "# OpenCL applications load the layer that caches "
                       "programs. Changes here are lost.\n" LAYER_LINE
                       "%s\n%s%s",
                       layer, has_timer ? TIMER_LINE : "", rest)
                       < 0)
        text = NULL;
    free(rest);
    return text;
}

static const char *name_in(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', size);
    return slash != NULL ? slash + 1 : path;
}

/* One line, the path of a file of our layer's name. */
static bool is_layers(const char *text)
{
    const size_t size = strcspn(text, "\n");
    const char *name = name_in(text, size);
    return text[0] == '/' && (text[size] == '\0' || text[size + 1] == '\0')
           && size - (size_t)(name - text) == strlen(LAYER_FILE_NAME)
           && strncmp(name, LAYER_FILE_NAME, strlen(LAYER_FILE_NAME)) == 0;
}

bool session_text_is_ours(enum session_form form, const char *text)
{
    return form == session_layers
                   ? is_layers(text)
                   : strncmp(text, MARKED_FILE_MARK, strlen(MARKED_FILE_MARK))
                             == 0;
}

char *session_text_layer(enum session_form form, const char *text)
{
    const char *line =
            form == session_layers ? text : strstr(text, "\n" LAYER_LINE);
    if (line == NULL) return NULL;
    if (form != session_layers) line += strlen("\n" LAYER_LINE);
    return strndup(line, strcspn(line, "\n"));
}

bool session_text_has_timer(const char *text)
{
    return strstr(text, "\n" TIMER_LINE) != NULL;
}
