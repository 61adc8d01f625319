# From what `syncmake update --json` prints to a list in Markdown; nothing where the lock is as it was.
def version: if . == null then "nothing" else "`\(.output.sha256[:12])` (\(.output.size) bytes)" end;
.changes[] | "- **\(.name)** \(.kind): \(.from | version) to \(.to | version)"
