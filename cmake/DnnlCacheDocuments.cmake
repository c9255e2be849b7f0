# SPDX-License-Identifier: Apache-2.0
# Documents and examples are installed, too. The examples have a CMake project and
# a Makefile of their own there, which use the installed library.
set(examples "${PROJECT_SOURCE_DIR}/examples")

install(FILES README.md CHANGELOG.md CITATION.cff SECURITY.md
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)
install(DIRECTORY docs
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.yaml"
        PATTERN "Containerfile" PATTERN "site" EXCLUDE)

if(DNNL_CACHE_STORES AND DNNL_CACHE_PRIMITIVES)
    install(DIRECTORY "${examples}"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation
        USE_SOURCE_PERMISSIONS
        FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.h"
            PATTERN "*.sh" PATTERN "*.py" PATTERN "Containerfile"
            PATTERN "installed" EXCLUDE)
    install(FILES "${examples}/installed/CMakeLists.txt"
        "${examples}/installed/Makefile"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples" COMPONENT documentation)
endif()
