# SPDX-License-Identifier: Apache-2.0
# cmake -DDOCUMENT=file -DEXAMPLE=file -P check_listing.cmake
# Fails unless the document, a text in Markdown, shows the example exactly as it
# is compiled.
file(READ "${DOCUMENT}" document)
file(READ "${EXAMPLE}" example)
set(begin "/* Listing: begin */\n")
set(end "/* Listing: end */")
string(FIND "${example}" "${begin}" first)
string(LENGTH "${begin}" length)
math(EXPR first "${first} + ${length}")
string(FIND "${example}" "${end}" last)
math(EXPR size "${last} - ${first}")
if(size LESS 100)
    message(FATAL_ERROR "the marks are not in ${EXAMPLE}")
endif()
string(SUBSTRING "${example}" ${first} ${size} text)
string(FIND "${document}" "${text}" found)
if(found EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT} shows another example than ${EXAMPLE}")
endif()
