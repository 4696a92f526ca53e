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
    frame = profile.routines.to_pandas().head(10)
    frame.plot.barh(x="name", y="self", xerr=frame.self_error.fillna(0), legend=False)
    plot.gca().invert_yaxis()
    plot.xlabel(profile.routines.unit("self"))
    plot.savefig(args.picture, bbox_inches="tight")
