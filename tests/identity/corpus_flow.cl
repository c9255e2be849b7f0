/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, local memory, loops, branches, atomics, structs, switches, long
 * names and text: what the passes of a compiler sort, merge and unroll. */
#define PASTE(a, b) a##b
#define NAME(n) PASTE(a_rather_long_name_of_a_helper_, n)

typedef struct {
    float4 a;
    int b[3];
    char c;
} record;

static int NAME(one)(int x) { return x * 3 + 1; }
static int NAME(two)(int x) { return x ^ NAME(one)(x); }

constant int table[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 22, 33, 44, 55, 66};

kernel void reduce(global const float *in, global float *out, local float *t)
{
    const size_t l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}

kernel void records(global record *r, volatile global int *sum)
{
    const size_t i = get_global_id(0);
    record x = r[i];
    for (int k = 0; k < 3; k++)
        x.b[k] = NAME(two)(x.b[k]) + table[(x.b[k] + k) & 15];
    switch (x.c) {
    case 0: x.a.x += 1.0f; break;
    case 1: x.a.y *= 2.0f; break;
    case 7: x.a.zw = x.a.xy; break;
    case 42: x.a = -x.a; break;
    default: x.a = (float4)(x.b[0], x.b[1], x.b[2], x.c);
    }
    r[i] = x;
    atomic_add(sum, x.b[0]);
    atomic_max(sum + 1, x.b[1]);
}

kernel void talk(int n)
{
    if (get_global_id(0) == 0) printf("%d and %s and %f\n", n, "text", 1.5f);
}

kernel void matrix(global const float *a, global const float *b,
        global float *c, int n)
{
    const size_t i = get_global_id(0), j = get_global_id(1);
    float sum = 0.0f;
    __attribute__((opencl_unroll_hint(8))) for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}
