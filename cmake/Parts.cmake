# Whole programs in one: their names meet there, so each becomes one object of which only some names
# are seen. part(PREFIX FOLDER KEPT SOURCES…) puts its file at the end of the list PREFIX_parts.
function(part prefix folder kept)
    add_library(${prefix}-${folder} OBJECT ${ARGN})
    target_link_libraries(${prefix}-${folder} PRIVATE ${folder})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${prefix}-${folder}.o)
    list(TRANSFORM kept PREPEND --keep-global-symbol=)
    add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_LINKER} -r -o ${out}.all $<TARGET_OBJECTS:${prefix}-${folder}>
        COMMAND ${CMAKE_OBJCOPY} ${kept} ${out}.all ${out}
        DEPENDS $<TARGET_OBJECTS:${prefix}-${folder}> COMMAND_EXPAND_LISTS VERBATIM)
    set(${prefix}_parts ${${prefix}_parts} ${out} PARENT_SCOPE)
endfunction()
