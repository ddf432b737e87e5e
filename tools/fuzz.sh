#!/usr/bin/env bash
# The fuzzers, FUZZ_SECONDS of a processor each (60), or those that are named; FUZZ_JOBS at once, one on each core. What they
# find is kept in build/fuzz/found; put it beside the other crashers.
source "$(dirname "$0")/common.sh"
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh test
command -v clang >/dev/null || die 'the fuzzers need clang'
CC=clang configure build/fuzz/build -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=true
seconds=${FUZZ_SECONDS:-60} at_once=${FUZZ_JOBS:-$jobs}
timeout=$((60 * (at_once + jobs - 1) / jobs)) # for one input, where they share cores
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then # files of journals need not wait for a disk
    TMPDIR=$(mktemp -d -p /dev/shm sinpos-fuzz-XXXXXX)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi
here=$root/build/fuzz # some fuzzers leave the folder that they begin in
seeds() { if [ "$1" = config ]; then echo tests/data/configs; else echo "tests/fuzz/corpus/$1"; fi; }

# What an error of the command line leaves behind stays until the process ends: it begins anew after so many inputs.
fuzz() {
    local name=$1 left=$seconds shell=$BASHPID
    : >"build/fuzz/$name.log"
    mkdir -p "build/fuzz/corpus/$name" build/fuzz/found
    while [ "$left" -gt 0 ]; do
        "$here/build/tests/fuzz/fuzz_$name" -max_total_time=$left -runs=200000 -timeout=$timeout -rss_limit_mb=4096 \
            -malloc_limit_mb=100000 -print_final_stats=1 -artifact_prefix="$here/found/$name-" \
            "$here/corpus/$name" "$root/$(seeds "$name")" >>"build/fuzz/$name.log" 2>&1 || return 1
        left=$((seconds - $(spent "$shell")))
    done
}

# Seconds of a processor that the programs a shell ran have taken.
spent() {
    awk '{ print int(($16 + $17) / hz) }' hz="$(getconf CLK_TCK)" "/proc/$1/stat"
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    names=(work tones formula npy gguf raw safetensors index options config parameters journal certificate diff)
fi
build build/fuzz/build "${names[@]/#/tests/fuzz/fuzz_}"

# A line about one of them, as it ends.
fuzz_and_report() {
    local name=$1 status=0 shell=$BASHPID
    fuzz "$name" || status=1
    awk -v name="$name" -v seconds="$(spent "$shell")" '
        /^stat::number_of_executed_units/ { runs += $2 }
        /^stat::peak_rss_mb/ { rss = $2 > rss ? $2 : rss }
        { if (match($0, /cov: [0-9]+/)) edges = substr($0, RSTART + 5, RLENGTH - 5) }
        END { printf "%s: %s s of a processor, %d inputs, %d edges, %d MB\n", name, seconds, runs, edges, rss }' "build/fuzz/$name.log"
    grep -E '^(SUMMARY|==[0-9]+==ERROR)' "build/fuzz/$name.log" || true
    return $status
}

status=0 running=0
for name in "${names[@]}"; do
    if [ $running -ge "$at_once" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz_and_report "$name" &
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
if [ $# -eq 0 ]; then
    echo "sinpos._core: $seconds s"
    bash tools/python-asan.sh /usr/bin/python3 tests/python/fuzz_core.py 1000000000 --seconds "$seconds" \
        >build/fuzz/core.log 2>&1 || status=1
    tail -n 3 build/fuzz/core.log
fi
[ $status -eq 0 ] || die 'a fuzzer found something' 'The inputs are in build/fuzz/found, the reports in build/fuzz/*.log.'
