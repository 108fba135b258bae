# Sourced by what takes minutes: nothing is silent for long, also where its output goes to a file.
#
#   said LOG                 the last line of LOG, short
#   logged LOG COMMAND...    runs COMMAND with its output in LOG, and says every 20 seconds where it is
#   plain                    copies a log without the bars of cargo
# shellcheck shell=bash

pace=20 # seconds between two such lines

# cargo says "Compiling" when a crate begins, which for the last ones is minutes before they end. Its bar names those at work.
export CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100

# Terminals get colors and moving lines, a log gets the last text of them.
said() {
    tail -c 4096 "$1" 2>/dev/null | tr '\r' '\n' | sed -E 's/\x1b\[[0-9;]*[A-Za-z]//g; s/^ +//; s/ +$//
        s/^Building \[[=> ]*\] ([0-9]+)\/([0-9]+): (.*)/compiling \3 (\1 of \2 done)/' |
        grep -v '^$' | tail -n 1 | cut -c 1-100 || true
}

plain() { sed -E 's/.*\r//; s/^\x1b\[K//'; }

# every COMMAND...: runs it every 20 seconds, in the background, while this shell lives
every() {
    while sleep $pace >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do "$@"; done
}

minutes() { printf '%3d:%02d' $(($1 / 60)) $(($1 % 60)); }

logged() {
    local log=$1 status=0 clock begin=$SECONDS
    shift
    mkdir -p "$(dirname "$log")"
    : >"$log"
    local command=$*
    tell() {
        local now
        now=$(said "$log")
        printf '%s  %s\n' "$(minutes $((SECONDS - begin)))" "${now:-${command:0:100}}" >&2
    }
    every tell &
    clock=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    kill "$clock" && wait "$clock" 2>/dev/null || true
    return $status
}
