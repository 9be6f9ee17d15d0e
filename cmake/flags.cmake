# SPDX-License-Identifier: Apache-2.0
# Warnings and hardening for every target: link postern_flags.
add_library(postern_flags INTERFACE)
target_compile_definitions(postern_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(postern_flags INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wno-unused-parameter
  -fstack-protector-strong -fno-strict-aliasing)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported()
target_link_options(postern_flags INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed)
if(POSTERN_WERROR)
  target_compile_options(postern_flags INTERFACE -Werror)
endif()
if(POSTERN_SANITIZE)
  target_compile_options(postern_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  target_link_options(postern_flags INTERFACE -fsanitize=address,undefined)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(postern_flags INTERFACE -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
