"""
More than one frontier
======================

``layers`` takes the frontier away and looks again. ``groups`` compares a family's frontier with
that of all classifiers: where they touch, its gap is 1. ``malmquist`` has the frontiers of two
tables: how much nearer *mine* came, and how far the frontier itself moved. ``order_m`` compares
with the best of m classifiers that are drawn: what is beyond it, one lucky run did."""

from _plane import BLUE, GREY, INK, PINK, RATES, RED, arrow, boundary, db, dots, key, line, planes

figure, (top_left, top_right, bottom_left, bottom_right) = planes(4, size=(9.6, 8.6), columns=2)
layers = db.layers(RATES).frame["layer"]
for layer, look in ((1, "-"), (2, (0, (5, 1.5)))):
    line(top_left, boundary(RATES[layers == layer]), f"layer {layer}", linestyle=look)
dots(top_left, RATES, {"eager": (6, -4), "mine": (6, 6)})
top_left.set_title("layers", loc="left", fontsize=10)

family = {
    "tree": "light",
    "logit": "light",
    "mine": "light",
    "forest": "heavy",
    "net": "heavy",
    "eager": "heavy",
}
gaps = db.groups(RATES, family).frame["gap"]
line(top_right, boundary(RATES), "frontier of all")
for name, colour in (("light", BLUE), ("heavy", RED)):
    line(
        top_right,
        boundary(RATES[[family[label] == name for label in RATES.index]]),
        f"{name}: its own frontier",
        color=colour,
        linestyle=(0, (5, 1.5)),
    )
dots(
    top_right,
    RATES.rename(lambda name: f"{name} (gap {gaps[name]:.2f})" if name == "mine" else name),
    {"eager": (6, -4), f"mine (gap {gaps['mine']:.2f})": (-62, -14)},
)
top_right.set_title("groups", loc="left", fontsize=10)

after = RATES * [0.97, 0.85]
after.loc["mine"] = (0.58, 0.62)
moved = db.malmquist(RATES, after).frame.loc["mine"]
line(bottom_left, boundary(RATES), "frontier before")
line(bottom_left, boundary(after), "frontier after", color=PINK, linestyle=(0, (5, 1.5)))
arrow(
    bottom_left,
    RATES.loc["mine"],
    after.loc["mine"],
    f"nearer × {moved['efficiency_change']:.2f}\nfrontier × {moved['technical_change']:.2f}",
    RED,
    (-50, 8),
)
dots(bottom_left, RATES, {"eager": (6, -4), "mine": (-12, -14)})
bottom_left.set_title("malmquist", loc="left", fontsize=10)

line(bottom_right, boundary(RATES, model="fdh"), "classifiers alone (fdh)")
for m, marker, colour in ((2, "x", PINK), (6, "+", INK)):
    scores = db.order_m(RATES, m).frame["efficiency"]
    reached = RATES.div(scores, axis=0)
    bottom_right.scatter(
        *reached.to_numpy().T,
        s=30,
        marker=marker,
        color=colour,
        zorder=5,
        label=f"where the best of {m} reach each",
    )
    for name in RATES.index if m == 2 else ():
        line(bottom_right, [RATES.loc[name], reached.loc[name]], "", color=GREY, linewidth=0.8)
dots(bottom_right, RATES, {"eager": (7, -4), "mine": (-12, -14)})
bottom_right.set_title("order_m", loc="left", fontsize=10)
for ax in (top_left, top_right, bottom_left, bottom_right):
    ax.set(xlim=(0, 1.15), ylim=(0, 1.15))
    key(ax, loc="lower left")
figure
