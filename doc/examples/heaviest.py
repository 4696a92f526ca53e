"""heaviest.py [PROFILE] - the ten heaviest routines of a profile, as `aprof report` has them, its ten heaviest contexts, the callee first; and, with
--picture FILE.svg, where matplotlib is, the routines as a picture."""
import argparse

import aprof

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("profile", nargs="?", default="amon.out")
parser.add_argument("--picture")
args = parser.parse_args()
profile = aprof.open(args.profile)
listed = [r for r in profile.routines[:10] if r.listed]

for routine in listed:
    print(routine.self, routine.name, sep="\t")
for node in sorted(profile.tree.nodes(), key=lambda node: -node.self)[:10]:
    print(node.self, *(n.name for n in node.path()), sep="\t")
if args.picture:
    import matplotlib.pyplot as plot
    plot.barh([r.name for r in listed], [r.self for r in listed], xerr=[r.self_error or 0 for r in listed])
    plot.gca().invert_yaxis()
    plot.xlim(left=0)
    plot.xlabel(f"time of its own, {profile.routines.unit('self')}, and by how much it may be off")
    plot.savefig(args.picture, bbox_inches="tight")
