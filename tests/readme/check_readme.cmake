# SPDX-License-Identifier: Apache-2.0
# cmake -DREADME=file -DEXAMPLE=file -P check_readme.cmake
# Fails unless README, a text in Markdown, shows the example exactly as it is
# compiled.
file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
set(begin "/* README: begin */\n")
set(end "/* README: end */")
string(FIND "${example}" "${begin}" first)
string(LENGTH "${begin}" length)
math(EXPR first "${first} + ${length}")
string(FIND "${example}" "${end}" last)
math(EXPR size "${last} - ${first}")
if(size LESS 100)
    message(FATAL_ERROR "the marks are not in ${EXAMPLE}")
endif()
string(SUBSTRING "${example}" ${first} ${size} text)
string(FIND "${readme}" "${text}" found)
if(found EQUAL -1)
    message(FATAL_ERROR "${README} shows another example than ${EXAMPLE}")
endif()
