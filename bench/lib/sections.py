"""A file of results is made of sections, each the tables of one command: `# TITLE` and what follows until the next."""
import os
import re

import recipe


def put(path, title, text):
    """Replace the section TITLE of the file PATH by TEXT, without its heading, or add it at the end."""
    old = ""
    if os.path.exists(path):
        with open(path) as file:
            old = file.read()
    parts = re.split(r"^(?=# )", old, flags=re.M)
    new = f"# {title}\n\n{text.rstrip()}\n"
    at = next((i for i, part in enumerate(parts) if part.startswith(f"# {title}\n")), None)
    if at is None:
        parts.append(("\n" if old else "") + new)
    else:
        parts[at] = new + ("\n" if at < len(parts) - 1 else "")
    recipe.write(path, "".join(parts))
