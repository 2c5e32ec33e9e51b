# Language, warnings and sanitizers: once, for everything.
set(PROOFARC_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
option(PROOFARC_TESTS "Build the tests" ON)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_compile_options(
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
    -Wno-unused-parameter -Wno-missing-field-initializers
    -fno-omit-frame-pointer -fno-strict-aliasing -fstack-protector-strong)
add_compile_definitions(_GNU_SOURCE PROOFARC_VERSION="${PROJECT_VERSION}")

# Asserts stay in every build: an impossible state must end the process.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO "${CMAKE_C_FLAGS_RELWITHDEBINFO}")

if(PROOFARC_SANITIZE)
    add_compile_options(-fsanitize=${PROOFARC_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${PROOFARC_SANITIZE})
endif()

# libjwt brings jansson, which has a json_object() as well: ours must not answer for it. Clang's
# sanitizers come as archives, and their malloc() has to answer for all libraries.
set(hidden ALL)
if(PROOFARC_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL Clang)
    set(hidden libcommon.a:libbroker.a:libresolver-svc.a:libworkers.a:libplatform.a:libagents.a:liblauncher.a:libtransports.a)
endif()
add_link_options(-Wl,--exclude-libs,${hidden})
