/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/build_options.h"

#include "test.h"

#include <stdio.h>

static void expect_all(bool reads, size_t count, const char *const *options)
{
    for (size_t i = 0; i < count; i++)
        TEST_CHECK_(options_include_files(options[i]) == reads, , "options: %s",
                options[i]);
}

#define EXPECT_ALL(reads, list) \
    expect_all(reads, sizeof(list) / sizeof *(list), list)

TEST_C(BuildOptions, FindEachThatReadsAFile)
{
    static const char *const options[] = {"-include a.h", "-includea.h",
            "-cl-mad-enable -include a.h", "--include a.h", "--include=a.h",
            "-imacros a.h", "-imacrosa.h", "--imacros=a.h",
            "-include-pch a.pch", "-fmodule-file=a.pcm", "-fmodules",
            "-fmodule-map-file=a", "-chain-include a.h", "--config a",
            "--config=a", "@a", "-w @a", "-mlink-builtin-bitcode a.bc",
            "-mlink-bitcode-file a.bc", "-fplugin=a.so", "-fpass-plugin=a.so",
            "-load a.so", "-fprofile-use=a", "-fprofile-instr-use=a",
            "-w\t-include a.h", "-w\n-include a.h", "-w\v-include a.h",
            "-Xclang -include -Xclang a.h", "-Wp,-include,a.h",
            "-Wp,-imacros,a.h", "\"-include\" a.h", "'-include' a.h",
            "-\"include\" a.h", "-inc\"lude\" a.h", "'-'include a.h",
            "\\-include a.h", "-inc\\lude a.h", "-DX=\"-include a.h\"",
            "-D X='-include'", "-DX -include a.h", "-include", "-ivfsoverlay a",
            "-Xclang -ivfsoverlay -Xclang a", "-frandomize-layout-seed-file=a",
            "-fsanitize-ignorelist=a", "-plugin a", "-DH=__has_include",
            "-D 'H(x)=__has_include(x)'", "-DD=.incbin", "-DD=.include"};
    EXPECT_ALL(true, options);
}

/* With what a macro of the source puts beside them. */
TEST_C(BuildOptions, FindPartsOfWhatReadsAFile)
{
    static const char *const parts[] = {"-DD=.inc", "-D D=.i",
            "-DD='\".INCB\"'", "-DD=\\\".in\\\"", "-DD=\\\"nop;.\\\"",
            "-DD='\"nop .\"'", "-D 'D=\"nop\" \".i\"'", "-DD=\"\\x2e\"",
            "-DD='\"\\056\"'", "-w -DX=1 -DU=__", "-DU=_", "-D U=__h", "-D_=1",
            "-D 'U(a)=a __'", "-DA=asm", "-D A=__asm__", "-DA=sm",
            "-DA='x as'"};
    static const char *const others[] = {"-DX=2.", "-DX=1.0f", "-DX=.5 -DY=a.b",
            "-DN=\"inc.h\"", "-DN=inc/x.cl", "-DT=__global -D_x -DA__=x_",
            "-DM=\\\"done\\\"", "-DF=a.index", "-DX=1 -Iinc.in -I __",
            "-DT=as_int -Da=1 -Ds=a -DM=m -DN=asm_x"};
    EXPECT_ALL(true, parts);
    EXPECT_ALL(false, others);
}

TEST_C(BuildOptions, SayWhetherTheyMakeStrings)
{
    EXPECT_TRUE(options_make_strings("-w -DS(x)=#x"));
    EXPECT_TRUE(options_make_strings("-D 'S(x)=%:x'"));
    EXPECT_TRUE(options_make_strings("-D 'S(x)=\?\?=x'"));
    EXPECT_FALSE(options_make_strings("-w -DX=1 -DY=a%b -DZ=x:y -DW=\"?=\""));
}

/* What is not known to read none, reads one. */
TEST_C(BuildOptions, TrustNoneThatIsUnknown)
{
    static const char *const options[] = {"-foverride-record-layout=a",
            "-fopenmp-host-ir-file-path a", "-mllvm -sample-profile-file=a",
            "-mllvm -x", "-Xclang -x", "-Xfoo", "-fms-extensions", "-fnew=a",
            "-mnew", "-Wa,a", "-Wl,a", "-specs=a", "-B.", "--sysroot=a",
            "-isysroot a", "-internal-isystem a", "-isystem-after a", "-F a",
            "-iframework a", "-resource-dir a", "-working-directory=a",
            "-triple x", "-cc1", "-x c++-header a", "-x ir", "-xir", "-std=c89",
            "-ansi", "a.cl", "-w a.cl", "-DX a.cl", "-D X a.cl", "-", "--",
            "-DX='a b'", "\"-DX\" a.cl", "-DX=\"a\" a.cl", "-inc lude", "-D @a",
            "-I a @b", "-DX=it's a.cl", "-DH=__h\"as\"_include",
            "-DP=_Pragma(\"clang module import a\")",
            "-D'P(x)=_Pragma(\"GCC dependency x\")'", "-fvisibility a"};
    EXPECT_ALL(true, options);
}

TEST_C(BuildOptions, IgnoreOthers)
{
    static const char *const options[] = {"", " ", "\"", "-I include",
            "-Iinclude", "-I/usr/include -I a/-include", "-I kernels/include",
            "-DX=-include", "-DX=-imacros=1", "-D include", "-Dimacros=1",
            "-DX=a@b", "-D A-include", "-finclude-default-header",
            "-isystem a -iquote b",
            "-cl-std=CL1.2 -cl-fast-relaxed-math -Werror -w -g",
            "-cl-kernel-arg-info -create-library -enable-link-options",
            "-D NAME=\"a b\" -DQ=\\\"x\\\" -DC='c'",
            "-cl-nv-maxrregcount=32 -cl-nv-verbose", "-x spir -spir-std=1.2"};
    EXPECT_ALL(false, options);
}

/* What applications give, and the manuals of drivers name. */
TEST_C(BuildOptions, KnowWhatApplicationsGive)
{
    static const char *const options[] = {
            "-cl-std=CL2.0 -cl-mad-enable -cl-unsafe-math-optimizations",
            "-cl-nv-maxrregcount=64 -cl-nv-opt-level=3 -nv-line-info",
            "-ze-opt-large-register-file -cl-intel-256-GRF-per-thread",
            "-qcom-accelerate-16-bit -cl-uniform-work-group-size",
            "-O3 -O0 -Ofast -g -ggdb3 -gdwarf-4 -gline-tables-only",
            "-ffast-math -fno-math-errno -ffp-contract=fast -fno-builtin",
            "-fno-unroll-loops -fdenormal-fp-math=positive-zero -fwrapv",
            "-m64 -mfma -mavx2 -msse4.2 -mno-sse3 -march=native -mcpu=gfx906",
            "-mwavefrontsize64 -mcode-object-version=4 -fno-bin-llvmir",
            "-Wall -Wno-unused-variable -Werror=all -W -w -pedantic",
            "-D KERNEL_STATIC -D INCLUDE_PATH=/usr/share/hashcat/OpenCL",
            "-DTYPE=float4 -D X=-1 -DX=-1.5f -D N=(1<<4) -DSIGN=- -UX -U X",
            "-DS=\"a b\" -D S=\"-1\" -I \"my folder\" -I\"my folder\" -w",
            "-I . -I/usr/include -isystem a -iquoteb -idirafter c",
            "-xcl -x clc++ -x spir -spir-std=1.2 -std=CL1.2 -std=c99",
            "-DUNROLL=_Pragma(\"unroll\") -fno-digraphs -ftrigraphs"};
    EXPECT_ALL(false, options);
}
