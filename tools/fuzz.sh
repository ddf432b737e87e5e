#!/usr/bin/env bash
# The fuzzers, FUZZ_SECONDS each (60). What they find is kept in build/fuzz/found; put it beside the other crashers.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
command -v clang >/dev/null || die 'the fuzzers need clang'
CC=clang configure build/fuzz/build -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=true
build build/fuzz/build
status=0
ran=0
for fuzzer in build/fuzz/build/tests/fuzz/fuzz_*; do
    [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    mkdir -p "build/fuzz/corpus/$name" build/fuzz/found
    echo "== $name, ${FUZZ_SECONDS:-60} s"
    "$fuzzer" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1 || status=1
    grep -E '^(stat::number_of_executed_units|SUMMARY|==[0-9]+==ERROR)' "build/fuzz/$name.log" || true
    ran=$((ran + 1))
done
echo "== sinpos._core, ${FUZZ_SECONDS:-60} s"
bash tools/python-asan.sh /usr/bin/python3 tests/python/fuzz_core.py 1000000000 --seconds "${FUZZ_SECONDS:-60}" \
    >build/fuzz/core.log 2>&1 || status=1
tail -n 3 build/fuzz/core.log
[ $ran -gt 0 ] || die 'no fuzzer was built' 'See build/fuzz/build.setup.log.'
[ $status -eq 0 ] || die 'a fuzzer found something' 'The inputs are in build/fuzz/found, the reports in build/fuzz/*.log.'
