# What a solver with a shell can do to find what is gone: look everywhere, with every tool at hand.
# On stdin come the needles, one a line: "w name", "f fixed string", "k tokens without white space".
# What is found is printed, one a line, behind the name of the tool that found it.
set -u
cd /tmp
cat > all
sed -n 's/^w //p' all > words
sed -n 's/^f //p' all > fixed
sed -n 's/^k //p' all > grams
rm all
interpreter=$(dirname "$(dirname "$(readlink -f /env/bin/python)")")
places="${*:-/workspace /env /home $interpreter}"

matches() {  # of what comes in; $1 names the tool
    cat > seen
    {
        grep -aowF -f words seen
        grep -aoF -f fixed seen
        tr -d ' \t\r\n' < seen | grep -aoF -f grams
    } | sort -u | sed "s/^/$1: /" >&3
}

{
    # the text of the whole machine, and the bytes of what a task brings along
    grep -rIhowF -f words / --exclude-dir=proc --exclude-dir=sys --exclude-dir=tmp 2>/dev/null |
        sort -u | sed 's/^/grep: /' >&3
    find $places -type f -print0 2>/dev/null | xargs -0 cat | matches bytes
    find / -path /proc -prune -o -path /tmp -prune -o -print 2>/dev/null | matches find

    git -C /workspace log --all --reflog -p 2>/dev/null | sed "s/^[-+ ]//" | matches git-log
    git -C /workspace stash list -p 2>/dev/null | sed "s/^[-+ ]//" | matches git-stash
    git -C /workspace cat-file --batch-all-objects --batch --unordered 2>/dev/null | matches git-objects

    find $places -type f \( -name '*.so*' -o -perm -1 \) -print0 2>/dev/null |
        xargs -0 strings -a -f | matches strings
    find $places -type f -size -4M -print0 2>/dev/null | xargs -0 strings -a -e l | matches strings-16

    find /workspace /env -name '*.pyc' -print 2>/dev/null | /env/bin/python -c '
import dis, marshal, sys
for line in sys.stdin:
    with open(line.rstrip("\n"), "rb") as file:
        file.seek(16)
        try:
            dis.dis(marshal.load(file))
        except (EOFError, TypeError, ValueError):
            pass
' | matches dis
    find /workspace -name '*.py' -type f -exec /env/bin/python -m dis {} \; 2>/dev/null | matches dis-source

    find $places -type f -print 2>/dev/null | while read -r file; do
        case $(head -c 15 "$file" | tr -d '\0') in
            'SQLite format 3') sqlite3 -readonly "$file" .dump 2>/dev/null ;;
        esac
    done | matches sqlite3

    find $places -type f \( -name '*.zip' -o -name '*.whl' -o -name '*.egg' -o -name '*.jar' \) -print \
        2>/dev/null | while read -r file; do unzip -l "$file"; unzip -p "$file"; done 2>/dev/null |
        matches unzip
    find $places -type f \( -name '*.gz' -o -name '*.tgz' \) -print0 2>/dev/null |
        xargs -0 -r zcat -f | matches gunzip
} 3>&1 >/dev/null 2>&1
