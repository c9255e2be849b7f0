/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include <stdio.h>

static const char *const texts[source_kinds] = {
        [source_scale] = "#ifdef WRONG\n#error this is wrong\n#endif\n"
                         "#ifndef BY\n#define BY 1\n#endif\n"
                         "__kernel void scale(__global float *x, float by)\n"
                         "{ x[get_global_id(0)] *= by * BY; }\n",
        [source_two] =
                "#ifndef BY\n#define BY 1\n#endif\n"
                "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
                "void scale(__global float *x, float by)\n"
                "{ x[get_global_id(0)] += by * BY; }\n"
                "__kernel void other(__global float *y, float with)\n"
                "{ y[get_global_id(0)] -= with; }\n",
        [source_caller] =
                "float helper(float x);\n"
                "__kernel void scale(__global float *x, float by)\n"
                "{ x[get_global_id(0)] = helper(x[get_global_id(0)]) * by; }\n",
        [source_helper] = "#ifndef BY\n#define BY 1\n#endif\n"
                          "float helper(float x);\n"
                          "float helper(float x) { return x + BY; }\n",
        [source_includer] = "#include \"some.h\"\n"
                            "__kernel void scale(__global float *x, float by)\n"
                            "{ x[get_global_id(0)] *= by * FACTOR; }\n",
        [source_header] = "#define FACTOR 5\n",
        [source_wrong] = "#error never right\n",
};

/* What SPIR-V begins with. */
static const char spirv_magic[] = "\x03\x02\x23\x07";

const char *source_text(const struct world *world, enum walk_source source)
{
    static char text[1024];
    const bool is_il = source == source_il;
    if (is_il || (source == source_caller && world->is_frail))
        source = source_scale;
    (void)snprintf(text, sizeof text, "%s/* %s */\n%s",
            is_il && world->has_il ? spirv_magic : "", world->salt,
            texts[source]);
    return text;
}
