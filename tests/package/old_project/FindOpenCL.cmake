# SPDX-License-Identifier: Apache-2.0
# As projects had it before CMake came with a module of this name.
find_library(OLD_OPENCL_LIBRARIES NAMES OpenCL)
set(OPENCL_FOUND TRUE)
set(OpenCL_FOUND TRUE)
