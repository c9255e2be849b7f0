# SPDX-License-Identifier: Apache-2.0
# Run after a static library was made:
#   cmake -DARCHIVE=lib.a -DLD=ld -DOBJCOPY=objcopy -DAR=ar -P LocalizeSymbols.cmake
# Hidden symbols of a shared library stay inside it. An archive's do not: its
# internal names would meet the application's. So its objects are joined into
# one in which the hidden names are local.
cmake_policy(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "failed: ${ARGV}")
    endif()
endfunction()

set(object "${ARCHIVE}.o")
run("${LD}" -r --whole-archive "${ARCHIVE}" -o "${object}")
run("${OBJCOPY}" --localize-hidden "${object}")
file(REMOVE "${ARCHIVE}")
run("${AR}" rcs "${ARCHIVE}" "${object}")
file(REMOVE "${object}")
