/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/operators.h"

#include "model/import/import.h"
#include "model/onnx/onnx.h"

/* ONNX's names of the types, those that follow each other as one. */
static void print_types(FILE *file, unsigned types)
{
    static const struct {
        const char *name;
        unsigned types;
    } names[] = {
            {"any", 1U << graph_type_f32 | 1U << graph_type_f64
                            | 1U << graph_type_i8 | 1U << graph_type_i16
                            | 1U << graph_type_i32 | 1U << graph_type_i64
                            | 1U << graph_type_u8 | 1U << graph_type_u16
                            | 1U << graph_type_u32 | 1U << graph_type_bool},
            {"float16, float", 1U << graph_type_f32},
            {"double", 1U << graph_type_f64},
            {"int8 to int64", 1U << graph_type_i8 | 1U << graph_type_i16
                                      | 1U << graph_type_i32
                                      | 1U << graph_type_i64},
            {"uint8 to uint32", 1U << graph_type_u8 | 1U << graph_type_u16
                                        | 1U << graph_type_u32},
            {"int8", 1U << graph_type_i8}, {"int16", 1U << graph_type_i16},
            {"uint8", 1U << graph_type_u8}, {"uint16", 1U << graph_type_u16},
            {"int32", 1U << graph_type_i32}, {"int64", 1U << graph_type_i64},
            {"bool", 1U << graph_type_bool}};
    const char *between = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((types & names[i].types) != names[i].types) continue;
        fprintf(file, "%s%s", between, names[i].name);
        types &= ~names[i].types;
        between = ", ";
    }
}

void operators_print(FILE *file)
{
    const struct import_operator *op;
    for (size_t i = 0; (op = import_operator_at(i)) != NULL; i++) {
        if (import_is_runtime_operator(op))
            fprintf(file, "%s.%s\t\t", import_runtime_domain, op->name);
        else
            fprintf(file, "%s\t%d to %d\t", op->name, op->since,
                    (int)onnx_newest_opset);
        print_types(file, op->types);
        fprintf(file, "\t%s\n", op->limits != NULL ? op->limits : "");
    }
}
