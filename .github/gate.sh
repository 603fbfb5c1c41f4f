#!/usr/bin/env bash
# Run `deabench gate` with the inputs of the action: the text goes to the summary of the job and to
# a file for a comment, the verdict to the outputs. Exit code 0: the job is green.
set -uo pipefail

# One file, pattern or option per line; deabench itself reads the patterns.
files=()
while IFS= read -r line; do
  [ -z "$line" ] || files+=("$line")
done <<<"$GATE_FILES"
options=(--candidate "$GATE_CANDIDATE" --at-least "$GATE_AT_LEAST" --format md)
[ -z "$GATE_LEDGER" ] || options+=(--ledger "$GATE_LEDGER")
while IFS= read -r line; do
  [ -z "$line" ] || options+=("$line")
done <<<"$GATE_ARGUMENTS"

comment="$RUNNER_TEMP/deabench-gate.md"
deabench gate "${options[@]}" -- "${files[@]}" >"$comment"
status=$?
case $status in
  0) verdict=passes ;;
  3) verdict=fails ;;
  4) verdict=open ;;
  *)
    echo "::error::deabench gate could not decide (exit code $status); its message stands above"
    exit "$status"
    ;;
esac
# With a ledger nothing but the status may leave the job.
if [ -n "$GATE_LEDGER" ] && [ "$status" != 0 ]; then
  verdict="no pass"
fi
cat "$comment" >>"$GITHUB_STEP_SUMMARY"
{
  echo "verdict=$verdict"
  echo "comment=$comment"
} >>"$GITHUB_OUTPUT"
# Of a ledger's gates nobody is told whether one failed or stayed open, so that none is let through.
if [ "$verdict" = open ] && [ "$GATE_OPEN_PASSES" = true ]; then
  exit 0
fi
exit "$status"
