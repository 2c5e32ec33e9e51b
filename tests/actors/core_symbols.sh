#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The broker's core decides without socket, clock or randomness: what its objects call beside one
# another must stand in this list.
#
#   core_symbols.sh NM OBJECT…     objects of the broker, of which the pure ones are looked at
#   core_symbols.sh --only NAME NM OBJECT…     takes one more object for pure (to see it fail)
set -eu

pure='calls core deadline dispatch lane link message outbox peers principal registry spread table verdict'
allowed='malloc calloc realloc free
memcpy memmove memset memcmp strcmp strlen qsort
__assert_fail
entry_msg_clear catalogue_pack catalogue_unpack catalogue_free
uri_template_find'
# what compilers add, or make of memcmp
compiler='^(__asan_.*|__ubsan_.*|__tsan_.*|__sanitizer_.*|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|bcmp)$'

if [ "$1" = --only ]; then
    pure="$pure $2"
    shift 2
fi
nm=$1
shift

objects=
for name in $pure; do
    found=
    for object; do
        case $object in */"$name".c.o) found=$object ;; esac
    done
    [ -n "$found" ] || { echo "no object of $name.c"; exit 2; }
    objects="$objects $found"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ echo "$allowed" | tr ' ' '\n'; "$nm" --defined-only $objects | awk 'NF == 3 { print $3 }'; } |
    sort -u > "$work/known"
"$nm" -u $objects | awk 'NF == 2 { print $2 }' | grep -Ev "$compiler" | sort -u > "$work/called"
comm -13 "$work/known" "$work/called" > "$work/foreign"

[ -s "$work/called" ] || { echo "nothing is called: nm was misread"; exit 2; }
if [ -s "$work/foreign" ]; then
    echo "the core calls what it may not:"
    sed 's/^/    /' "$work/foreign"
    exit 1
fi
