# SPDX-License-Identifier: Apache-2.0
# The reference executor, for its library and for fuzzing, which builds it anew.
set(model_reference_sources
    reference_elements.c
    reference_graph.c
    reference_lines.c
    reference_moves.c
    reference_norms.c
    reference_products.c
    reference_recurrent.c
    reference_reductions.c
    reference_resize.c
    reference_window.c)
