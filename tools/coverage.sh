#!/usr/bin/env bash
# coverage.sh [PATTERN]: which lines of src/ and formats/ the tests reach; those of files that match are listed.
# A build of its own, without optimisation; below 95 % it fails. docs/reliability.md says why the others are not reached.
source "$(dirname "$0")/common.sh"
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh test-all
command -v gcovr >/dev/null || die 'gcovr is missing' 'On Debian and Ubuntu: apt-get install gcovr'
dir=build/coverage
CC=${CC:-gcc} configure $dir -Db_coverage=true -Doptimization=0 -Ddefault_library=static -Dpython=disabled -Dexamples=disabled
build $dir
find $dir -name '*.gcda' -delete
# One library of counts to a program, so that those of all are written; fault_storage reaches what fails in the system.
suites=(--suite quick --suite formats --suite golden --suite cross --suite api --suite fault)
meson test -C $dir --no-rebuild --num-processes "$jobs" -t 10 "${suites[@]}" --no-suite full --no-suite long >$dir.tests.log 2>&1 ||
    tail -n 30 $dir.tests.log
SINPOS_ISA=scalar meson test -C $dir --no-rebuild --num-processes "$jobs" -t 10 unit_work unit_rotate unit_arrays >>$dir.tests.log 2>&1 || true
gcovr --gcov-ignore-parse-errors --root "$root" --filter src/ --filter formats/ --json $dir.json $dir >$dir.gcovr.log 2>&1 ||
    { tail -n 20 $dir.gcovr.log >&2; die 'gcovr fails'; }
python3 tools/coverage.py $dir.json "$@"
