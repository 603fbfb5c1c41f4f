"""
Inputs: scale, and the closest target
=====================================

With one input the two technologies can be drawn: multiples of every classifier (``crs``, for what
scales, as counts do) and mixtures alone (``vrs``, the default). What lies between the two is size
(``scale_efficiency``): *large* is past the best size. A closest target asks for the least change
(here straight, in shares of each range), wherever that leads."""

import pandas as pd
from _plane import GREEN, GREY, PINK, RED, arrow, db, dots, key, line, planes

agents = pd.DataFrame(
    {"gpu_hours": [1.0, 2.0, 6.0, 5.0], "solved": [12.0, 40.0, 85.0, 42.0]},
    index=["tiny", "small", "large", "mine"],
)
sides = {"outputs": ["solved"], "inputs": ["gpu_hours"]}
figure, (ax,) = planes(size=(5.8, 4.6))
line(ax, [(0, 0), (5, 100)], "multiples and mixtures (crs)", color=PINK, linestyle=(0, (5, 1.5)))
line(ax, [(1, 0), *agents.iloc[:3].to_numpy(), (8, 85)], "mixtures (vrs)")
mine = agents.loc["mine"]
for returns, colour, offset in (("vrs", RED, (6, -10)), ("crs", PINK, (-66, 6))):
    target = db.targets(
        agents.loc[["mine"]], agents, **sides, norm="l2", returns=returns, dominating=True
    ).targets.loc["mine"]
    arrow(
        ax,
        mine,
        target[["gpu_hours", "solved"]],
        f"closest ({returns})" if returns == "crs" else "closest",
        colour,
        offset,
    )
radial = db.rank(agents, **sides).scores["mine"]
arrow(
    ax,
    mine,
    (mine["gpu_hours"], mine["solved"] / radial),
    f"radial, 1/{radial:.2f}",
    GREEN,
    (6, -3),
)
scale = db.scale_efficiency(agents, inputs=["gpu_hours"]).frame["scale"]
dots(
    ax,
    agents.rename({"large": f"large (scale {scale['large']:.2f})"}),
    {"mine": (8, -8), "tiny": (8, -6), "small": (-34, 4)},
)
line(ax, [(mine["gpu_hours"], 0), mine], "", color=GREY, linewidth=0.6, linestyle=":")
ax.set(xlim=(0, 8), ylim=(0, 108), xlabel="gpu_hours (lower is better)")
key(ax, loc="lower right")
figure
