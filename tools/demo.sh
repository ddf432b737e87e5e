#!/usr/bin/env bash
# From a fresh clone to exact encodings on disk, and to what the usual code makes of them.
source "$(dirname "$0")/common.sh"
export LC_ALL=C
bash tools/deps.sh build
echo 'building (release) ...'
configure build/release -Dtests=disabled
build build/release

sinpos=$root/build/release/cli/sinpos
embed=$root/build/release/examples/example_embed
out=build/demo
rm -rf "$out"
mkdir -p "$out"
rows=32768 dim=1024 columns=768
bytes=$((rows * dim * 4))

# timed NAME COMMAND...: runs it, and puts its nanoseconds in the variable NAME.
timed() {
    local name=$1 before
    shift
    before=$(date +%s%N)
    "$@"
    printf -v "$name" %s $(($(date +%s%N) - before))
}

seconds() { printf '%d.%03d s' $(($1 / 1000000000)) $(($1 / 1000000 % 1000)); }
rate() { printf '%d.%02d GB/s' $(($1 / $2)) $(($1 * 100 / $2 % 100)); }   # bytes, nanoseconds
hash_of_last() { tail -c "$2" "$1" | sha256sum | cut -d' ' -f1; }         # file, bytes: the elements, not the header
number() { grep -o "\"$1\": *[^,}]*" | head -n 1 | sed 's/.*: *//; s/"//g'; }    # a field of a JSON object
to_null() { "$sinpos" table --length $rows --dim $dim -o - >/dev/null 2>&1; }

printf '\n== 1. A table of %d positions x %d columns, float32\n' $rows $dim
timed table_time "$sinpos" table --length $rows --dim $dim -o $out/table.npy
stream_time=$table_time
for _ in 1 2 3; do
    timed once to_null
    stream_time=$((once < stream_time ? once : stream_time))
done
echo "the same without the disk, best of three: $(seconds "$stream_time"), $(rate $bytes "$stream_time")"
table_hash=$(hash_of_last $out/table.npy $bytes)
stated_hash=$("$sinpos" table --length $rows --dim $dim --hash)
[ "$table_hash" = "$stated_hash" ] || die 'the table on disk is not the one that --hash describes' "$table_hash" "$stated_hash"
"$sinpos" table --start $((rows - 3)) --length 3 --dim $dim

printf '\n== 2. Word vectors of a text, and the encoding added to them\n'
echo "the text: this project's own documentation"
"$embed" $columns $out/embeddings.npy ./*.md docs/*.md
timed add_time "$sinpos" add $out/embeddings.npy -o $out/embeddings_with_positions.npy
"$sinpos" add $out/embeddings.npy -o $out/again.npy --isa scalar --threads 1
cmp $out/embeddings_with_positions.npy $out/again.npy || die 'the portable code gives other bytes'
rm $out/again.npy
add_bytes=$(($(stat -c %s $out/embeddings.npy) - 128))
add_hash=$(hash_of_last $out/embeddings_with_positions.npy $add_bytes)
echo 'the two files are the same: fast kernels on all threads, portable code on one'
"$sinpos" table --length $rows --dim $dim --isa scalar --threads 1 --hash | grep -qx "$table_hash" ||
    die 'the portable code gives another table'
echo "and so is the table of step 1: $table_hash"

printf '\n== 3. Tables made by the code of other projects, against the exact values\n'
summary=''
# audit TITLE FILE OPTION...
audit() {
    local title=$1 file=tests/data/golden/$2 status=0 json worst where='every element exact'
    shift 2
    printf '\n-- %s\n' "$title"
    "$sinpos" audit "$file" "$@" || status=$?
    [ $status -le 1 ] || die "the audit of $file did not run"
    json=$("$sinpos" audit "$file" "$@" --json) || [ $? = 1 ]
    worst=$(sed -n '/"worst": {/,/}/p' <<<"$json")
    [ -z "$worst" ] || printf -v where 'worst at position %s, column %s: off by %.1e, %.3g units' "$(number position <<<"$worst")" \
        "$(number column <<<"$worst")" "$(number abs_error <<<"$worst")" "$(number amplitude_ulp <<<"$worst")"
    summary+=$(printf '  %-44s %4s of %4s wrong, %s' "$title" "$(number wrong <<<"$json")" "$(number elements <<<"$json")" \
        "$where")$'\n'
}
audit 'Whisper, last rows of the 1500 x 384 table' whisper_sinusoids__c384_rows1496_1499.npy \
    --layout halves --divisor 191 --start 1496 --dim 384
audit 'Annotated Transformer, tail of 5000 rows' annotated_transformer__d6_len5000_tail.npy --start 4996 --dim 6
audit 'Tensor2Tensor, from position 5000' t2t_timing_1d__d16_pos5000.npy --layout halves --divisor 7 --start 5000 --dim 16
audit 'Diffusers, time steps 0 to 999' diffusers_timestep__default_d16.npy \
    --layout halves --divisor 7 --positions 0,1,7.5,250,999 --dim 16
audit 'Marian, made in float64 and then rounded' hf_marian__d8.npy --layout halves --dim 8

printf '\n== 4. A page about an encoding: definition, claims, curves, separation, base, errors\n'
timed report_time "$sinpos" report -o $out/report --dim 64 --length 2048 --quiet

cat <<END

== Summary ($("$sinpos" --version | head -n 1))
  table       $rows rows x $dim columns, $bytes bytes: $(seconds "$table_time") to disk ($(rate $bytes "$table_time")), $(seconds "$stream_time") without it ($(rate $bytes "$stream_time"))
              SHA-256 $table_hash
  embeddings  $((add_bytes / columns / 4)) rows x $columns columns, $add_bytes bytes: encoding added in $(seconds "$add_time") ($(rate "$add_bytes" "$add_time"))
              SHA-256 $add_hash
  every element above is the real number rounded once; other people's tables:
$summary  the page      $root/$out/report/index.html, made in $(seconds "$report_time"); open it in a browser
The files are in $out/. Next: build/release/cli/sinpos table --help
END
