"""Every commit of a range carries a Signed-off-by line of its author.

python scripts/dco.py [--repository PATH] BASE..HEAD
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys


def unsigned(repository: str, commits: str) -> list[str]:
    """One line per commit whose sign-off is missing or of somebody else; merges are exempt."""
    log = subprocess.run(
        ["git", "-C", repository, "log", "--no-merges", "--format=%H%x1f%an <%ae>%x1f%s%x1f%B%x1e", commits], check=True, capture_output=True, text=True
    ).stdout
    found = []
    for entry in filter(str.strip, log.split("\x1e")):
        commit, author, subject, body = entry.strip().split("\x1f", 3)
        signers = re.findall(r"^Signed-off-by: (.+ <.+>)$", body, re.MULTILINE)
        if author not in signers:
            said = f"signed off by {', '.join(signers)}" if signers else "no Signed-off-by line"
            found.append(f"{commit[:12]} {subject}: {said}, wanted one of the author. Mend it with `git rebase --signoff`")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("range")
    parser.add_argument("--repository", default=".")
    args = parser.parse_args()
    found = unsigned(args.repository, args.range)
    print("\n".join(found) or "every commit is signed off")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
