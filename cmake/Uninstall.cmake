# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=FOLDER -P Uninstall.cmake: removes the files that "cmake --install"
# installed from that build, and the folders that are empty then. As for an
# installation, the environment variable DESTDIR stands before each path.
cmake_policy(VERSION 3.25)

# Folders of a system that others expect to be there.
set(kept / /usr /usr/local /opt "$ENV{HOME}" "$ENV{HOME}/.local")
foreach(folder IN ITEMS bin etc include lib share share/doc share/man
        share/man/man1)
    list(APPEND kept /usr/${folder} /usr/local/${folder})
endforeach()

file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
    message(FATAL_ERROR "nothing was installed from ${BUILD}")
endif()
set(files "")
foreach(manifest IN LISTS manifests)
    file(STRINGS "${manifest}" lines)
    list(APPEND files ${lines})
endforeach()
list(REMOVE_DUPLICATES files)

set(removed 0)
set(folders "")
foreach(file IN LISTS files)
    set(path "$ENV{DESTDIR}${file}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
        file(REMOVE "${path}")
        if(EXISTS "${path}" OR IS_SYMLINK "${path}")
            message(FATAL_ERROR "cannot remove ${path}")
        endif()
        math(EXPR removed "${removed} + 1")
    endif()
    cmake_path(GET file PARENT_PATH folder)
    list(APPEND folders "${folder}")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
    while(NOT folder IN_LIST kept)
        file(GLOB left LIST_DIRECTORIES true "$ENV{DESTDIR}${folder}/*"
            "$ENV{DESTDIR}${folder}/.*")
        if(left OR NOT IS_DIRECTORY "$ENV{DESTDIR}${folder}")
            break()
        endif()
        file(REMOVE_RECURSE "$ENV{DESTDIR}${folder}")
        cmake_path(GET folder PARENT_PATH folder)
    endwhile()
endforeach()
file(REMOVE ${manifests})
message(STATUS "removed ${removed} files. Users' caches stay: "
    "\$XDG_CACHE_HOME/dnnl_cache, else ~/.cache/dnnl_cache")
