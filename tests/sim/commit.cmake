# Writes OUT, which says what was built: a run that fails can be played again on the same sources.
execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit "no commit")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define SIM_COMMIT \"${commit}\"\n")
