# SPDX-License-Identifier: Apache-2.0
# What an installation holds: the library, its headers, a CMake package
# (find_package(dnnl_cache) gives dnnl_cache::dnnl_cache) and pkg-config files;
# with DNNL_CACHE_STORES also the components stores and persistent_cache, and with
# DNNL_CACHE_LOADER the component model. Files with oneDNN's names are in a folder of their own, which only
# dnnl_cache::onednn_compat puts into an include path, so both can share a prefix.
#
# Every install() rule of the project names its component, which decides what
# package the files are in: DnnlCachePackages.cmake.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dnnl_cache")

install(TARGETS dnnl_cache EXPORT dnnl_cache_targets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT library
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        COMPONENT library NAMELINK_COMPONENT Development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
    FILE_SET public_headers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT Development)
# An installation may be moved: the program looks for the library beside it.
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}"
        AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBEXECDIR}")
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_LIBEXECDIR}/dnnl_cache"
        "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(dnnl_cache_build_worker PROPERTIES
        INSTALL_RPATH "\$ORIGIN/${to_lib}")
endif()
install(TARGETS dnnl_cache_build_worker
    RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dnnl_cache"
        COMPONENT tools)
set(compat_include "${CMAKE_INSTALL_INCLUDEDIR}/dnnl_cache/onednn_compat")
install(TARGETS dnnl_cache_onednn_compat EXPORT dnnl_cache_targets
    FILE_SET compat_headers DESTINATION "${compat_include}"
        COMPONENT Development)
install(EXPORT dnnl_cache_targets NAMESPACE dnnl_cache::
    DESTINATION "${package_dir}" COMPONENT Development)

# A file of targets for each component: who does not ask for one need not have
# what it is made of.
set(component_stores dnnl_cache_stores_library)
set(component_persistent_cache dnnl_cache_persistent_cache)
set(component_model dnnl_cache_model_library)
set(components "")
if(DNNL_CACHE_STORES)
    set(components stores persistent_cache)
    # A static one would need what reads ONNX at every link.
    set(model_type "")
    if(TARGET dnnl_cache_model_library)
        get_target_property(model_type dnnl_cache_model_library TYPE)
    endif()
    if(model_type STREQUAL "SHARED_LIBRARY")
        list(APPEND components model)
    endif()
endif()
foreach(component IN LISTS components)
    install(TARGETS ${component_${component}}
        EXPORT dnnl_cache_${component}_targets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component}
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
            COMPONENT ${component} NAMELINK_COMPONENT Development
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
        FILE_SET public_headers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
            COMPONENT Development)
    install(EXPORT dnnl_cache_${component}_targets NAMESPACE dnnl_cache::
        DESTINATION "${package_dir}" COMPONENT Development)
endforeach()

install(FILES "$<TARGET_PROPERTY:dnnl_cache,DNNL_CACHE_LINKER_NAMES>"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/dnnl_cache" COMPONENT Development)

get_target_property(type dnnl_cache TYPE)
if(type STREQUAL "STATIC_LIBRARY")
    set(DNNL_CACHE_IS_STATIC TRUE)
else()
    set(DNNL_CACHE_IS_STATIC FALSE)
endif()

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/dnnl_cache-config.cmake.in"
    "${PROJECT_BINARY_DIR}/dnnl_cache-config.cmake"
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/dnnl_cache-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/dnnl_cache-config.cmake"
    "${PROJECT_BINARY_DIR}/dnnl_cache-config-version.cmake"
    DESTINATION "${package_dir}" COMPONENT Development)

# A static library needs its libraries named whoever links it, with
# pkg-config --static or without; a shared one brings them itself.
set(pc_requires "OpenCL")
set(pc_libs "-ldnnl_cache")
if(DNNL_CACHE_IS_STATIC)
    string(APPEND pc_requires " libxxhash libsodium libzstd")
    string(APPEND pc_libs " -pthread")
    foreach(lib IN LISTS CMAKE_DL_LIBS)
        string(APPEND pc_libs " -l${lib}")
    endforeach()
endif()
set(pc_cflags "")
if(NOT DNNL_CACHE_PRIMITIVES)
    set(pc_cflags " -DDNNL_CACHE_PRIMITIVES=0")
endif()
# Relative to the file itself, so that an installation may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# pc_file(NAME DESCRIPTION REQUIRES LIBS CFLAGS)
function(pc_file pc_name pc_description pc_requires pc_libs pc_cflags)
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/dnnl_cache.pc.in"
        "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT Development)
endfunction()

pc_file(dnnl_cache "${PROJECT_DESCRIPTION}" "${pc_requires}" "${pc_libs}"
    "${pc_cflags}")
pc_file(dnnl_cache_onednn_compat "dnnl_cache for code written for oneDNN"
    "dnnl_cache" "" " -I\${includedir}/dnnl_cache/onednn_compat")
if(DNNL_CACHE_STORES)
    set(pc_requires "dnnl_cache")
    set(pc_libs "-ldnnl_cache_stores")
    if(DNNL_CACHE_IS_STATIC)
        string(APPEND pc_requires " libxxhash libsodium")
        if(SQLITE_FOUND)
            string(APPEND pc_requires " sqlite3")
        endif()
        string(APPEND pc_libs " -pthread")
    endif()
    pc_file(dnnl_cache_stores "Stores of cache blobs on disk" "${pc_requires}"
        "${pc_libs}" "")
    pc_file(dnnl_cache_persistent_cache "A persistent cache with one call"
        "dnnl_cache dnnl_cache_stores" "-ldnnl_cache_persistent_cache" "")
    if("model" IN_LIST components)
        pc_file(dnnl_cache_model "ONNX models that start warm" "dnnl_cache"
            "-ldnnl_cache_model" "")
    endif()
endif()
