# SPDX-License-Identifier: Apache-2.0
# The targets "package" and "uninstall". docs/how_to/packages.md describes the packages.
#
# The component of an install() rule decides what package its files are in. A
# component that has no line here stops the configuration, so that no installed
# file is in no package.
include_guard(GLOBAL)

# ---- Removing what cmake --install installed ----------------------------------

add_custom_target(uninstall
    COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
        -P "${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake"
    COMMENT "Removing what was installed from this build"
    VERBATIM)

# ---- Packages --------------------------------------------------------------------

set(dnnl_cache_packages "") # the components that this build has

# dnnl_cache_package(COMPONENT NAME SECTION DESCRIPTION [ARCHITECTURE all]
#     [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...] [ENHANCES ...])
# The Debian package NAME has the files of COMPONENT. The description's first line
# is the synopsis. "@" stands for the version, in relations between our packages;
# those of libraries are found by dpkg-shlibdeps.
get_cmake_property(dnnl_cache_installed COMPONENTS)
function(dnnl_cache_package component name section description)
    cmake_parse_arguments(P "" "ARCHITECTURE" "DEPENDS;RECOMMENDS;SUGGESTS;ENHANCES"
        ${ARGN})
    string(TOUPPER "${component}" upper)
    set(known ${dnnl_cache_known} ${component})
    set(dnnl_cache_known ${known} PARENT_SCOPE)
    if(NOT component IN_LIST dnnl_cache_installed)
        return()
    endif()
    set(dnnl_cache_packages ${dnnl_cache_packages} ${component} PARENT_SCOPE)
    foreach(relation IN ITEMS DEPENDS RECOMMENDS SUGGESTS ENHANCES)
        string(REPLACE "@" "${version}" text "${P_${relation}}")
        list(JOIN text ", " text)
        set(CPACK_DEBIAN_${upper}_PACKAGE_${relation} "${text}" PARENT_SCOPE)
    endforeach()
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${name}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
    if(P_ARCHITECTURE)
        set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE
            "${P_ARCHITECTURE}" PARENT_SCOPE)
    endif()
endfunction()

# A Debian revision, so that a corrected package of the same sources has another.
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(so ${DNNL_CACHE_SOVERSION})
set(dnnl_cache_about
"dnnl_cache compiles OpenCL programs once and loads them at every later start,
on any OpenCL driver. It checks every byte of an entry before the driver gets
it.
")

dnnl_cache_package(library libdnnl-cache${so} libs
"cache of compiled OpenCL programs - library
${dnnl_cache_about}
This package has the library: engines, primitives and programs, and the blobs
that they are loaded from."
    RECOMMENDS "pocl-opencl-icd | opencl-icd")
dnnl_cache_package(stores libdnnl-cache-stores${so} libs
"cache of compiled OpenCL programs - stores on disk and on servers
${dnnl_cache_about}
This package has the library of stores: folders and single files with size
limits, chains of stores, and clients of servers."
    SUGGESTS "dnnl-cache-store-http @" "dnnl-cache-store-redis @")
dnnl_cache_package(persistent_cache libdnnl-cache-persistent-cache${so} libs
"cache of compiled OpenCL programs - store attached by one call
${dnnl_cache_about}
This package has the library that attaches a store on disk to a process by one
call.")
dnnl_cache_package(store_http dnnl-cache-store-http libs
"cache of compiled OpenCL programs - stores over HTTP and on S3
${dnnl_cache_about}
This package has the module for stores on servers that speak HTTP, such as
WebDAV and S3. It is loaded when the URL of a store asks for it."
    ENHANCES "libdnnl-cache-stores${so}" "dnnl-cache-tools")
dnnl_cache_package(store_redis dnnl-cache-store-redis libs
"cache of compiled OpenCL programs - stores on Redis
${dnnl_cache_about}
This package has the module for stores on Redis servers. It is loaded when the
URL of a store asks for it."
    ENHANCES "libdnnl-cache-stores${so}" "dnnl-cache-tools")
set(with_model "")
if("model" IN_LIST dnnl_cache_installed)
    set(with_model "libdnnl-cache-model${so} @")
endif()
dnnl_cache_package(model libdnnl-cache-model${so} libs
"cache of compiled OpenCL programs - library that loads ONNX models
${dnnl_cache_about}
This package has the library that runs networks of ONNX files, and the program
that compiles for it.")
dnnl_cache_package(Development libdnnl-cache-dev libdevel
"cache of compiled OpenCL programs - development files
${dnnl_cache_about}
This package has the headers for C and C++, oneDNN's names for them, a CMake
package and pkg-config files."
    DEPENDS "libdnnl-cache${so} @" "libdnnl-cache-stores${so} @"
        "libdnnl-cache-persistent-cache${so} @" ${with_model}
        "ocl-icd-opencl-dev | opencl-dev" "opencl-headers"
    SUGGESTS "dnnl-cache-doc")
dnnl_cache_package(tools dnnl-cache-tools utils
"cache of compiled OpenCL programs - tools and OpenCL layer
${dnnl_cache_about}
dnnl-cache-run starts any command with an OpenCL layer that keeps what the
command compiles; the application is not changed. dnnl-cache lists, checks,
trims, copies and refreshes stores. A systemd timer for users compiles after
updates of drivers."
    RECOMMENDS "dnnl-cache-store-http @"
    SUGGESTS "dnnl-cache-store-redis @" "dnnl-cache-doc")
dnnl_cache_package(model_loader dnnl-cache-model-loader science
"cache of compiled OpenCL programs - loader of ONNX models
${dnnl_cache_about}
model_loader runs a network that is an ONNX file. Its programs are compiled at
the first start, and loaded at every later one."
    RECOMMENDS "pocl-opencl-icd | opencl-icd")
dnnl_cache_package(documentation dnnl-cache-doc doc
"cache of compiled OpenCL programs - documentation and examples
${dnnl_cache_about}
This package has the documents, and examples in C and C++ with a CMake project
and a Makefile."
    ARCHITECTURE all
    SUGGESTS "libdnnl-cache-dev")

foreach(component IN LISTS dnnl_cache_installed)
    if(NOT component IN_LIST dnnl_cache_known)
        message(FATAL_ERROR
            "install() rules have the component \"${component}\", which is in "
            "no package: name it in cmake/DnnlCachePackages.cmake, or give the "
            "rules the component of a package (${dnnl_cache_known})")
    endif()
endforeach()

set(CPACK_PACKAGE_NAME "${PROJECT_NAME}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR "dnnl_cache developers")
set(CPACK_PACKAGE_CONTACT "dnnl_cache developers <dnnl-cache@example.org>")
# Each component's description has its own first line.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "TGZ")
find_program(DNNL_CACHE_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DNNL_CACHE_DPKG_SHLIBDEPS)
if(NOT DNNL_CACHE_DPKG_SHLIBDEPS)
    message(STATUS "dpkg-shlibdeps not found: packages are a tarball alone")
elseif(BUILD_SHARED_LIBS AND DNNL_CACHE_STORES)
    list(PREPEND CPACK_GENERATOR "DEB") # of all libraries, for all who link them
endif()
set(CPACK_PACKAGE_FILE_NAME
    "${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${dnnl_cache_packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE dnnl-cache)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Done by StagePackages.cmake, which also knows the packages of this build.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/PackageOptions.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/StagePackages.cmake")
set(CPACK_DNNL_CACHE_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_DNNL_CACHE_BUILD "${PROJECT_BINARY_DIR}")
set(CPACK_DNNL_CACHE_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(CPACK_DNNL_CACHE_DOCDIR "${CMAKE_INSTALL_DOCDIR}")
set(CPACK_DNNL_CACHE_MULTIARCH "${CMAKE_LIBRARY_ARCHITECTURE}")
set(CPACK_DNNL_CACHE_SOVERSION "${DNNL_CACHE_SOVERSION}")
# CPack would build everything, tests too, before it installs: "package" depends
# on what is installed alone. With this generator it leaves that to others.
set(CPACK_CMAKE_GENERATOR "Ninja")
# Not where CMake looks for it: "package" would be a target of CMake's own, which
# builds the tests, too.
set(CPACK_OUTPUT_CONFIG_FILE "${PROJECT_BINARY_DIR}/packages/CPackConfig.cmake")
set(CPACK_SOURCE_OUTPUT_CONFIG_FILE
    "${PROJECT_BINARY_DIR}/packages/CPackSourceConfig.cmake")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

# All targets below a folder but those that are built on demand.
function(dnnl_cache_targets_below variable folder)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    set(found "")
    foreach(target IN LISTS targets)
        get_target_property(on_demand ${target} EXCLUDE_FROM_ALL)
        get_target_property(type ${target} TYPE)
        if(NOT on_demand AND type MATCHES "EXECUTABLE|LIBRARY")
            list(APPEND found ${target})
        endif()
    endforeach()
    foreach(next IN LISTS below)
        dnnl_cache_targets_below(more "${next}")
        list(APPEND found ${more})
    endforeach()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# What is installed is built in these folders.
set(shipped "")
get_property(folders DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY SUBDIRECTORIES)
foreach(folder IN LISTS folders)
    cmake_path(GET folder FILENAME name)
    if(NOT name MATCHES "^(tests|bench|examples|fuzz)$")
        dnnl_cache_targets_below(targets "${folder}")
        list(APPEND shipped ${targets})
    endif()
endforeach()
# For scripts/check_abi.sh.
add_custom_target(dnnl_cache_shared_libraries)
foreach(target IN LISTS shipped)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        add_dependencies(dnnl_cache_shared_libraries ${target})
    endif()
endforeach()

add_custom_target(package
    COMMAND "${CMAKE_CPACK_COMMAND}" --config "${CPACK_OUTPUT_CONFIG_FILE}"
        -B "${PROJECT_BINARY_DIR}"
    COMMENT "Making packages"
    USES_TERMINAL
    VERBATIM)
add_dependencies(package ${shipped})
