/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_reserved.h"

#include <ctype.h>
#include <string.h>

/* How names of functions, types, constants and extensions begin. */
static const char *const prefixes[] = {"cl_", "cles_", "CL", "as_", "async_",
        "atom_", "atomic_", "convert_", "get_", "half_", "native_", "fast_",
        "read_", "write_", "mem_", "work_group_", "sub_group_", "intel_sub_",
        "vload", "vstore", "image1d", "image2d", "image3d", "memory_", "pocl_",
        "POCL_", "opencl_", "nv_", "amd_", "arm_", "qcom_", "intel_", "img_",
        "ndrange_", "ATOMIC_", "CHAR_", "CLK_", "DBL_", "FLT_", "FP_", "HALF_",
        "HUGE_VAL", "IMG_", "INT_", "LLVM_", "LONG_", "MAX_KERNEL_",
        "MAX_WORK_", "M_", "SCHAR_", "SHRT_", "SPIR", "UCHAR_", "UINT_",
        "ULONG_", "USHRT_", "AMD", "NV_", "R600", "_", NULL};

/* Names that begin in other ways, each with blanks around it: functions, some
 * of which are macros with PoCL, words of C that may be, and what compilers
 * define without an underscore for machines and systems. Keywords that say
 * where memory is (local, global) are none: they are in the names of folders,
 * and no driver has them as macros. */
static const char names[] =
        " ALIGN4 ALIGN8 AVR BSD INFINITY INTTYPE LINUX MAXFLOAT MIPSEB MSP430 "
        "NAN NDEBUG NULL PIC PIE PPC PPC64 SYSV UNIX EOF "
        "abs abs_diff acos acosh acospi add_sat aegis alignas all "
        "all_svm_devices and and_eq any apollo arm asin asinh asinpi asm "
        "assert atan atan2 atan2pi atanh atanpi avr barrier bfin "
        "bit_reverse bitand bitfield_extract_signed "
        "bitfield_extract_unsigned bitfield_insert bitor bitselect bool "
        "capture_event_profiling_info cbrt ceil clamp clz commit_read_pipe "
        "commit_write_pipe compl complex copysign cos cosh cospi cray "
        "create_user_event cross ctz degrees distance dot "
        "dot_4x8packed_uu_uint double enqueue_kernel enqueue_marker erf "
        "erfc errno event_t exp exp10 exp2 expm1 fabs false fdim floor fma "
        "fmax fmin fmod fract frexp gcos hadd half hexagon host_mips hppa "
        "hpux hypot i386 ilogb imaginary inline interdata intptr_t "
        "is_valid_event is_valid_reserve_id isequal isfinite isgreater "
        "isgreaterequal isinf isless islessequal islessgreater isnan "
        "isnormal isnotequal isordered isunordered kernel_exec lanai ldexp "
        "length lgamma lgamma_r linux log log10 log1p log2 logb m68k m88k "
        "mad mad24 mad_hi mad_sat max maxmag mc68000 memory_order "
        "memory_order_relaxed memory_scope memory_scope_device min minmag "
        "mips mix modf msp430 mul24 mul_hi nan ndrange_1D ndrange_2D "
        "ndrange_3D nextafter nextstep normalize not not_eq ns32000 "
        "nullptr offsetof or or_eq os pdp11 popcount pow pown powr "
        "prefetch printf ptrdiff_t pyr radians release_event remainder "
        "remquo reserve_read_pipe reserve_write_pipe restrict retain_event "
        "rhadd rint riscv rootn rotate round rsqrt rt sampler_t select "
        "sequent set_user_event_status sgi shuffle shuffle2 sign signbit "
        "sin sincos sinh sinpi size_t sizeof smoothstep sparc sqrt "
        "static_assert step sub_sat sun tan tanh tanpi tce tgamma "
        "thread_local to_global to_local to_private tower true trunc "
        "typeof u370 u3b uchar uint uintptr_t ulong ultrix unix unsigned "
        "upsample ushort va_arg va_end va_list va_start vax vec_step vms "
        "wait_group_events xcore xor xor_eq ";

static bool begins_with(const char *word, size_t size, const char *prefix)
{
    const size_t length = strlen(prefix);
    return size >= length && memcmp(word, prefix, length) == 0;
}

static bool is_name(const char *word, size_t size)
{
    for (const char *p = names + 1; *p != '\0'; p += strcspn(p, " ") + 1)
        if (strcspn(p, " ") == size && memcmp(p, word, size) == 0) return true;
    return false;
}

bool include_word_is_reserved(const char *word, size_t size)
{
    for (size_t i = 0; prefixes[i] != NULL; i++)
        if (begins_with(word, size, prefixes[i])) return true;
    return is_name(word, size);
}

bool include_word_looks_like_macro(const char *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (islower((unsigned char)word[i])) return false;
    return true;
}
