#!/usr/bin/env bash
# convention.sh NAME...: builds the program, prints each convention, compares it with its golden cases, exact and
# published, and writes docs/conventions.md. For a stanza just added to conventions/.
source "$(dirname "$0")/common.sh"
[ $# -gt 0 ] || die "name at least one convention: tools/convention.sh NAME..."
[ -f build/check/build.ninja ] || configure build/check
build build/check cli/sinpos
sinpos=build/check/cli/sinpos
right=yes
for name in "$@"; do
    $sinpos conventions "$name"
    for test in "conventions.py --all" published.py; do
        echo "--- tests/golden/$test: $(sed -n '2s/^"""//p' "tests/golden/${test%% *}")"
        # shellcheck disable=SC2086 # a script and its option
        python3 tests/golden/$test --sinpos $sinpos --data tests/data/golden --only "$name" || right=no
    done
done
python3 tools/conventions-doc.py $sinpos >build/conventions.md
mv build/conventions.md docs/conventions.md
[ $right = yes ] || die "$*: wrong, as said above"
echo "$*: right, within the tolerances of both comparisons; docs/conventions.md is made anew"
