# SPDX-License-Identifier: Apache-2.0
# embed_files(TARGET GLOB NAME): the files become NAME[] = {{name, bytes, size}, ...}, sorted by name, in a generated source.
function(embed_files target glob name)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${glob})
  list(SORT files)
  set(out ${CMAKE_BINARY_DIR}/embedded_${name}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DNAME=${name} -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/embed-script.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed-script.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
