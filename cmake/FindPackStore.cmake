# SPDX-License-Identifier: Apache-2.0
# What pack stores are made of, PkgConfig::SQLITE. Without SQLite there is nothing
# in it, and to open a pack store fails (stores/pack/pack_absent.c).
pkg_check_modules(SQLITE IMPORTED_TARGET GLOBAL sqlite3)
if(NOT SQLITE_FOUND)
    message(STATUS "SQLite not found: pack stores are left out")
    if(NOT TARGET PkgConfig::SQLITE)
        add_library(PkgConfig::SQLITE INTERFACE IMPORTED GLOBAL)
    endif()
endif()
