#!/bin/sh
# measure.sh - what a change costs, for continuous integration: both commits are built and run in turn on this machine, since a profile of another day is of
# another machine.  Leaves in $OUT comment.md, for people; check.txt, which routines got worse; page.html; profiles/base.*, new.*.
# Status 0: nothing got worse; 1: something did; 2: it could not be told.
#
#     BASE=origin/main HEAD=HEAD BUILD='make CC=aprof-cc' RUN='./prog input' doc/ci/measure.sh
#
#     OUT          a folder, made if need be (aprof-ci)
#     ROUNDS       so many runs of each; empty: as many as it takes
#     MAX_REGRESS  growth of a routine's time that is allowed, in percent (5)
set -u
: "${BASE:?the commit to compare with}" "${BUILD:?a command that builds a commit}" "${RUN:?the program and its arguments}"
: "${HEAD:=HEAD}" "${OUT:=aprof-ci}" "${ROUNDS:=}" "${MAX_REGRESS:=5}"
mkdir -p "$OUT" || exit 2

# What the change itself did is asked: since it left the other branch, not what happened there meanwhile.
from=$(git merge-base "$BASE" "$HEAD") || exit 2
# shellcheck disable=SC2086 - RUN is several words.
aprof compare --git "$from" "$HEAD" --build="$BUILD" ${ROUNDS:+--rounds="$ROUNDS"} --markdown --keep="$OUT/profiles" -o "$OUT/page.html" -- $RUN >"$OUT/comment.md"
[ $? -le 1 ] && [ -s "$OUT/comment.md" ] || exit 2
aprof check --max-regress="$MAX_REGRESS%" "$OUT"/profiles/base.[0-9]* --against "$OUT"/profiles/new.[0-9]* >"$OUT/check.txt"
status=$?
cat "$OUT/check.txt"
exit $status
