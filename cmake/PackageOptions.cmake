# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each kind of package that it makes.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
else()
    # A tarball's files are put below any prefix.
    set(CPACK_PACKAGING_INSTALL_PREFIX "/")
endif()
