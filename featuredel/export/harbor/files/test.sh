#!/bin/sh
# Grades /workspace. Only a grading that came to its end leaves a reward: Harbor takes a trial
# without one for an error, not for a zero.
set -eu
logs=/logs/verifier
home=${FEATUREDEL_HOME:-/opt/featuredel}
submission=/workspace

# what is graded runs as another user, who is to see nothing of this
umask 077
chmod 700 "$logs"
rm -f "$logs/reward.json" "$logs/reward.txt" "$logs/report.json"

# the agent may empty this directory but not remove it: without it the trial itself has failed
[ -d "$submission" ] || { echo "$submission did not arrive" >&2; exit 3; }
if [ "${FEATUREDEL_SANDBOX:-auto}" = account ]; then
    chmod 700 /logs
    submission=$(mktemp -d /root/submission.XXXXXX) # that sandbox runs things in /workspace
    mv /workspace "$submission/tree"
    submission=$submission/tree
fi

"$home/bin/featuredel" grade /tests/dataset "$(cat /tests/task)" "$submission" \
    --sandbox "${FEATUREDEL_SANDBOX:-auto}" --work "${FEATUREDEL_WORK:-/var/lib/featuredel}" \
    >"$logs/report.partial"
mv "$logs/report.partial" "$logs/report.json"
"$home/bin/python" - "$logs" <<'PROGRAM'
import json, pathlib, sys

logs = pathlib.Path(sys.argv[1])
report = json.loads((logs / "report.json").read_text())
names = {"reward": "reward", "f2p": "f2p_rate", "p2p": "p2p_rate"}
rewards = {name: float(report[column]) for name, column in names.items()}
(logs / "reward.partial").write_text(json.dumps(rewards))
(logs / "reward.partial").rename(logs / "reward.json")
PROGRAM
