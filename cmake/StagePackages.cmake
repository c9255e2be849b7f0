# SPDX-License-Identifier: Apache-2.0
# Run by cpack when the files of all packages are in their places, before packages
# are made of them. What "cmake --install" writes below a prefix becomes what Debian
# expects: libraries in the folder of their architecture, what is only loaded in a
# folder of its own, no run paths, compressed manual pages, the files that each
# package has to have, and relations between packages. A tarball gets a script that
# removes what was unpacked from it.
cmake_policy(VERSION 3.25)

set(top "${CPACK_TEMPORARY_DIRECTORY}")
set(debian "${CPACK_DNNL_CACHE_SOURCE}/packaging/debian")

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed
        OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        message(FATAL_ERROR "failed: ${ARGV}\n${output}")
    endif()
endfunction()

# replace(FILE OLD NEW): OLD, which has to be there, becomes NEW everywhere.
function(replace file old new)
    file(READ "${file}" text)
    string(FIND "${text}" "${old}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${file} does not have the text \"${old}\"")
    endif()
    string(REPLACE "${old}" "${new}" text "${text}")
    file(WRITE "${file}" "${text}")
endfunction()

# replace_below(FOLDER OLD NEW): in all its texts.
function(replace_below folder old new)
    execute_process(COMMAND grep -rlIF -e "${old}" "${folder}"
        OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" files "${files}")
    foreach(file IN LISTS files)
        replace("${file}" "${old}" "${new}")
    endforeach()
endfunction()

# ---- Layout of Debian --------------------------------------------------------------

# move_libraries(USR): from lib to the folder of the architecture.
function(move_libraries usr)
    set(from "${usr}/${CPACK_DNNL_CACHE_LIBDIR}")
    set(to "${usr}/lib")
    if(CPACK_DNNL_CACHE_MULTIARCH)
        string(APPEND to "/${CPACK_DNNL_CACHE_MULTIARCH}")
    endif()
    file(GLOB entries "${from}/*.so" "${from}/*.so.*" "${from}/*.a"
        "${from}/cmake" "${from}/pkgconfig")
    foreach(entry IN LISTS entries)
        cmake_path(GET entry FILENAME name)
        set(folder "${to}")
        # A file without a version is not linked with, but loaded by its path.
        if(name MATCHES "\\.so$" AND NOT IS_SYMLINK "${entry}")
            string(APPEND folder "/dnnl_cache")
        endif()
        file(MAKE_DIRECTORY "${folder}")
        if(entry STREQUAL "${folder}/${name}")
            continue()
        endif()
        file(RENAME "${entry}" "${folder}/${name}")
        # Where a file names it by its path.
        string(REPLACE "${usr}/" "/usr/" old "${entry}")
        string(REPLACE "${usr}/" "/usr/" new "${folder}/${name}")
        replace_below("${usr}" "${old}" "${new}")
    endforeach()
    if(from STREQUAL to)
        return()
    endif()
    set(old "/${CPACK_DNNL_CACHE_LIBDIR}")
    string(REPLACE "${usr}" "" new "${to}")
    file(GLOB files "${to}/cmake/*/*targets.cmake")
    foreach(file IN LISTS files)
        set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
        set(begin "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\n")
        replace("${file}" "${begin}" "${begin}${up}")
    endforeach()
    file(GLOB files "${to}/cmake/*/*targets-*.cmake")
    foreach(file IN LISTS files)
        replace("${file}" "\${_IMPORT_PREFIX}${old}/" "\${_IMPORT_PREFIX}${new}/")
    endforeach()
    file(GLOB files "${to}/cmake/*/*-config.cmake")
    foreach(file IN LISTS files)
        replace("${file}" "\${CMAKE_CURRENT_LIST_DIR}/../../../"
            "\${CMAKE_CURRENT_LIST_DIR}/../../../../")
    endforeach()
    file(GLOB files "${to}/pkgconfig/*.pc")
    foreach(file IN LISTS files)
        replace("${file}" "prefix=\${pcfiledir}/../..\n" "prefix=/usr\n")
        replace("${file}" "libdir=\${prefix}${old}\n" "libdir=\${prefix}${new}\n")
    endforeach()
endfunction()

# elf_files(VARIABLE ROOT): programs and libraries, without links.
function(elf_files variable root)
    set(found "")
    file(GLOB_RECURSE files LIST_DIRECTORIES false "${root}/*")
    foreach(file IN LISTS files)
        if(IS_SYMLINK "${file}")
            continue()
        endif()
        file(READ "${file}" magic LIMIT 4 HEX)
        if(magic STREQUAL "7f454c46")
            list(APPEND found "${file}")
        endif()
    endforeach()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# compressed(FILE): as gzip does, with the same bytes each time.
function(compressed file)
    run(gzip -9n "${file}")
endfunction()

# documents(USR PACKAGE): what each package has in its folder of documents.
function(documents usr package)
    set(doc "${usr}/share/doc/${package}")
    file(MAKE_DIRECTORY "${doc}")
    configure_file("${debian}/copyright" "${doc}/copyright" COPYONLY)
    configure_file("${debian}/changelog" "${doc}/changelog.Debian" COPYONLY)
    configure_file("${CPACK_DNNL_CACHE_SOURCE}/CHANGELOG.md" "${doc}/changelog"
        COPYONLY)
    compressed("${doc}/changelog.Debian")
    compressed("${doc}/changelog")
    configure_file("${debian}/lintian-overrides"
        "${usr}/share/lintian/overrides/${package}" COPYONLY)
endfunction()

# ---- Relations between packages ----------------------------------------------------

# library_of(FILE NAME VERSION): of libNAME.so.VERSION, its SONAME; NAME is empty if
# it has none.
function(library_of file name version)
    execute_process(COMMAND objdump -p "${file}" OUTPUT_VARIABLE headers
        COMMAND_ERROR_IS_FATAL ANY)
    set(${name} "" PARENT_SCOPE)
    if(headers MATCHES "SONAME +([^\n]+)\\.so\\.([0-9.]+)")
        set(${name} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        set(${version} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
endfunction()

macro(debian_packages)
    set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
    file(STRINGS "${debian}/changelog" first LIMIT_COUNT 1)
    if(NOT first MATCHES "^${CPACK_DEBIAN_PACKAGE_SOURCE} \\(${version}\\) ")
        message(FATAL_ERROR
            "packaging/debian/changelog begins with \"${first}\", not with "
            "version ${version}")
    endif()
    set(control "${CPACK_TOPLEVEL_DIRECTORY}/control")
    set(shlibdeps "${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps")
    file(REMOVE_RECURSE "${control}" "${shlibdeps}")
    file(MAKE_DIRECTORY "${shlibdeps}/debian")
    file(WRITE "${shlibdeps}/debian/control" "")
    set(own_libraries "")
    set(own_folders "")

    foreach(component IN LISTS CPACK_COMPONENTS_ALL)
        string(TOUPPER "${component}" upper)
        set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
        set(root "${top}/${component}")
        set(usr "${root}/usr")
        set(extra "${control}/${package}")
        if(NOT IS_DIRECTORY "${usr}")
            message(FATAL_ERROR "nothing was installed for ${package}")
        endif()
        # What was written when it was installed names where it is now.
        replace_below("${root}" "${root}/" "/")
        move_libraries("${usr}")
        if(IS_DIRECTORY "${usr}/${CPACK_DNNL_CACHE_DOCDIR}")
            file(RENAME "${usr}/${CPACK_DNNL_CACHE_DOCDIR}"
                "${usr}/share/doc/${package}")
        endif()
        documents("${usr}" "${package}")
        file(GLOB pages "${usr}/share/man/man*/*.[0-9]")
        foreach(page IN LISTS pages)
            compressed("${page}")
        endforeach()
        file(GLOB scripts "${debian}/${package}.prerm"
            "${debian}/${package}.postrm")
        foreach(script IN LISTS scripts)
            cmake_path(GET script EXTENSION LAST_ONLY name)
            string(SUBSTRING "${name}" 1 -1 name)
            configure_file("${script}" "${extra}/${name}" COPYONLY)
        endforeach()
        elf_files(elf_${component} "${root}")
        foreach(file IN LISTS elf_${component})
            file(RPATH_REMOVE FILE "${file}")
            run(strip --remove-section=.comment "${file}")
            library_of("${file}" name number)
            if(name)
                file(APPEND "${extra}/shlibs"
                    "${name} ${number} ${package} (>= ${CPACK_PACKAGE_VERSION})\n")
                file(WRITE "${extra}/triggers" "activate-noawait ldconfig\n")
                file(APPEND "${shlibdeps}/debian/shlibs.local"
                    "${name} ${number} ${package} (= ${version})\n")
                cmake_path(GET file PARENT_PATH folder)
                list(APPEND own_folders "-l${folder}")
            endif()
        endforeach()
        run(chmod -R u=rwX,go=rX "${root}")
        file(GLOB extras "${extra}/*")
        set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${extras})
    endforeach()
    list(REMOVE_DUPLICATES own_folders)

    foreach(component IN LISTS CPACK_COMPONENTS_ALL)
        if(NOT elf_${component})
            continue()
        endif()
        string(TOUPPER "${component}" upper)
        execute_process(
            COMMAND dpkg-shlibdeps ${own_folders}
                "-x${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" -O ${elf_${component}}
            WORKING_DIRECTORY "${shlibdeps}" RESULT_VARIABLE failed
            OUTPUT_VARIABLE depends ERROR_VARIABLE errors
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(failed)
            message(FATAL_ERROR "dpkg-shlibdeps failed for ${component}: ${errors}")
        endif()
        string(REGEX REPLACE "^.*shlibs:Depends=" "" depends "${depends}")
        set(all ${CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS} ${depends})
        list(JOIN all ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
    endforeach()
endmacro()

# ---- The tarball -------------------------------------------------------------------

function(tarball)
    # Where it will be unpacked is not known; most of its files do not need it.
    replace_below("${top}" "${top}/" "/usr/local/")
    configure_file("${CPACK_DNNL_CACHE_SOURCE}/LICENSE"
        "${top}/${CPACK_DNNL_CACHE_DOCDIR}/LICENSE" COPYONLY)
    set(own "share/dnnl_cache")
    configure_file("${CPACK_DNNL_CACHE_SOURCE}/packaging/uninstall.sh"
        "${top}/${own}/uninstall.sh" COPYONLY)
    file(WRITE "${top}/${own}/files.txt" "")
    run(chmod -R u=rwX,go=rX "${top}")
    run(chmod 755 "${top}/${own}/uninstall.sh")
    file(GLOB_RECURSE files LIST_DIRECTORIES true RELATIVE "${top}" "${top}/*")
    list(SORT files ORDER DESCENDING)
    list(JOIN files "\n" text)
    file(WRITE "${top}/${own}/files.txt" "${text}\n")
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
    debian_packages()
else()
    tarball()
endif()
