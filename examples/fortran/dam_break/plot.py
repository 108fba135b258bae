#!/usr/bin/env python3
"""Picture of a dam_break run: moments of the collapse, and the front against experiments.

    plot.py FOLDER [PICTURE]

FOLDER is the run's output_dir; PICTURE defaults to FOLDER/dam_break.png.
"""

import csv
import itertools
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import EllipseCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba

WIDTH, HEAD, CHARTS, FOOT = 15, 1.25, 3.3, 0.75  # inches
NIGHT, PAPER, GREY, WALL = "#0b1420", "#e8eef4", "#8fa3b5", "#5d6f80"
WATER = LinearSegmentedColormap.from_list(
    "water", ["#12357a", "#1b62b5", "#2f9bd8", "#7fd3e6", "#f2f6e4", "#ffc857", "#f26b38"])
MARKS = {"Martin": ("o", "#ffc857"), "Koshizuka": ("s", "#7fd3e6")}


def read_vtp(path):
    """Arrays of a .vtp file as output_m.f90 writes it, by name."""
    data = path.read_bytes()
    head, _, _ = data.partition(b'<AppendedData encoding="raw">')
    start = data.index(b"_", len(head)) + 1
    order = "<" if b"LittleEndian" in head else ">"
    arrays = {}
    for kind, name, width, offset in re.findall(
            r'type="(\w+)" Name="(\w+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"',
            head.decode()):
        at = start + int(offset)
        size = int(np.frombuffer(data, order + "u4", 1, at)[0])
        scalar = order + {"Float32": "f4", "Int32": "i4"}[kind]
        values = np.frombuffer(data, scalar, size // 4, at + 4)
        arrays[name] = values.reshape(-1, 3) if width == "3" else values
    return arrays


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Run:
    """All that a picture needs of a run; lengths in units of the column width a, times as T."""

    def __init__(self, folder):
        self.folder = folder
        rows = read_csv(folder / "front.csv")
        self.table = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
        self.width = self.table["front"][0] / self.table["Z"][0]
        scale = self.table["T"][-1] / self.table["t"][-1]
        index = (folder / "dam_break.pvd").read_text()
        found = re.findall(r'timestep="([^"]+)".*?file="([^"]+)"', index)
        self.frames = [(float(t) * scale, folder / name) for t, name in found]
        self.speed_unit = scale * self.width  # sqrt(2 g a)
        first = read_vtp(self.frames[0][1])
        walls = first["position"][first["kind"] == 1] / self.width
        self.is_3d = np.ptp(walls[:, 2]) > 0
        self.is_periodic = self.is_3d and walls[:, 2].min() >= 0  # no walls beside the tank
        fluid = first["position"][first["kind"] == 0] / self.width
        self.spacing = np.diff(np.unique(np.round(fluid[:, 0], 4))).min()
        self.lo, self.hi = walls.min(axis=0), walls.max(axis=0)
        self.experiments = {}
        if (folder / "experiments.csv").exists():
            for row in read_csv(folder / "experiments.csv"):
                points = self.experiments.setdefault(row["experiment"], [])
                points.append((float(row["T"]), float(row["Z"])))

    def near(self, moment):
        return min(self.frames, key=lambda frame: abs(frame[0] - moment))

    def read(self, path):
        """Positions, speeds and kinds of one frame."""
        arrays = read_vtp(path)
        speed = np.linalg.norm(arrays["velocity"], axis=1) / self.speed_unit
        return arrays["position"] / self.width, speed, arrays["kind"]


def discs(axes, at, size, colors):
    axes.add_collection(EllipseCollection(
        size, size, 0, units="xy", offsets=at, offset_transform=axes.transData, facecolors=colors,
        linewidths=0))


def view_2d(run):
    """What a panel shows, as (left, bottom), (right, top)."""
    edge = run.spacing / 2
    return run.lo[:2] - edge, np.array([run.hi[0] + edge, min(run.hi[1] + edge, 2.12)])


def draw_2d(axes, run, frame, norm):
    """Every particle a disc, large enough to touch its neighbors."""
    at, speed, kind = run.read(frame[1])
    discs(axes, at[kind == 1, :2], 1.6 * run.spacing, WALL)
    wet = np.flatnonzero(kind == 0)
    wet = wet[np.argsort(speed[wet])]
    discs(axes, at[wet, :2], 1.8 * run.spacing, WATER(norm(speed[wet])))


def project(points):
    """A camera in front of the tank, to its right and above: picture plane, and nearness."""
    turn, tilt = np.radians(-28), np.radians(24)
    x, y, z = points[:, 0], points[:, 1], points[:, 2]
    across, depth = x * np.cos(turn) + z * np.sin(turn), -x * np.sin(turn) + z * np.cos(turn)
    return np.column_stack([across, y * np.cos(tilt) - depth * np.sin(tilt)]), \
        y * np.sin(tilt) + depth * np.cos(tilt)


def tank_box(run):
    """Corners of the tank's inside, which begins at 0; the walls are as thick as the floor."""
    inside = np.array([run.hi[0] + run.lo[0], run.hi[1] + run.spacing / 2, run.hi[2] + run.lo[2]])
    return np.array(list(itertools.product(*zip((0, 0, 0), inside))))


def view_3d(run):
    plane, _ = project(tank_box(run))
    return plane.min(axis=0) - 0.1, plane.max(axis=0) + 0.1


def draw_3d(axes, run, frame, norm):
    """Particles from back to front; of the walls only the floor's top layer and the obstacle."""
    at, speed, kind = run.read(frame[1])
    box = tank_box(run)
    inside = np.all((at > [0, -run.spacing, 0]) & (at < box.max(axis=0)), axis=1)
    shown = (kind == 0) | inside
    at, speed, wall = at[shown], speed[shown], kind[shown] == 1
    plane, near = project(at)
    colors = WATER(norm(speed))
    colors[wall] = to_rgba(WALL)
    colors[wall & (at[:, 1] < 0)] = to_rgba("#26343f")
    low, high = project(box)[1].min(), project(box)[1].max()
    colors[:, :3] *= np.clip(0.5 + 0.5 * (near - low) / (high - low), 0.4, 1)[:, None]
    corners, _ = project(box)
    for i, j in itertools.combinations(range(8), 2):
        if np.count_nonzero(box[i] != box[j]) == 1:
            axes.plot(*corners[[i, j]].T, color=WALL, linewidth=0.8, alpha=0.7, zorder=0)
    order = np.argsort(near)
    discs(axes, plane[order], 1.35 * run.spacing, colors[order])


def style(axes):
    axes.set_facecolor(NIGHT)
    axes.tick_params(colors=GREY, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_color(GREY)
        spine.set_visible(side in ("left", "bottom"))
    axes.grid(color=GREY, alpha=0.15)


def draw_front(axes, run):
    style(axes)
    axes.plot(run.table["T"], run.table["Z"], color="#2f9bd8", linewidth=2.5, label="this run")
    for name, points in run.experiments.items():
        mark, color = next(look for key, look in MARKS.items() if name.startswith(key))
        axes.plot(*zip(*points), mark, color=color, markersize=5.5, markeredgecolor=NIGHT,
                  label=name.split(",")[0])
    axes.set_xlabel(r"$T = t\,\sqrt{2g/a}$", color=PAPER)
    axes.set_title("front  $Z = x / a$", color=PAPER, loc="left", fontsize=11)
    axes.legend(frameon=False, labelcolor=PAPER, fontsize=9, loc="upper left")


def draw_energy(axes, run):
    style(axes)
    initial = run.table["total"][0]
    potential, kinetic = run.table["potential"] / initial, run.table["kinetic"] / initial
    axes.stackplot(run.table["T"], potential, kinetic, run.table["internal"] / initial,
                   colors=["#1b62b5", "#ffc857", "#f26b38"], alpha=0.9,
                   labels=["potential", "kinetic", "compression"])
    axes.axhline(1, color=PAPER, linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 1.05)
    axes.set_xlabel(r"$T$", color=PAPER)
    axes.set_title("energy  $E / E_0$", color=PAPER, loc="left", fontsize=11)
    axes.legend(frameon=False, labelcolor=PAPER, fontsize=9, loc="lower left")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    run = Run(Path(sys.argv[1]))
    picture = Path(sys.argv[2]) if len(sys.argv) == 3 else run.folder / "dam_break.png"
    last = run.frames[-1][0]
    moments = [run.near(last * part) for part in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    top = max(np.percentile(run.read(path)[1], 99.5) for _, path in moments)
    norm = Normalize(0, top)

    draw, (low, high) = (draw_3d, view_3d(run)) if run.is_3d else (draw_2d, view_2d(run))
    columns = 3 if run.is_3d else 2
    lines = 6 // columns
    across = 0.93 * WIDTH / (columns + 0.05 * (columns - 1))
    panel = across * (high[1] - low[1]) / (high[0] - low[0])
    height = HEAD + lines * (panel + 0.25) + 0.45 + CHARTS + FOOT
    figure = plt.figure(figsize=(WIDTH, height), facecolor=NIGHT)
    pictures = figure.add_gridspec(
        lines, columns, left=0.04, right=0.97, top=1 - HEAD / height,
        bottom=1 - (HEAD + lines * (panel + 0.25)) / height, hspace=0.25 / panel, wspace=0.05)
    charts = figure.add_gridspec(1, 2, left=0.04, right=0.97, top=(FOOT + CHARTS) / height,
                                 bottom=FOOT / height, wspace=0.1)
    for cell, frame in zip(pictures, moments):
        axes = figure.add_subplot(cell)
        draw(axes, run, frame, norm)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.axis("off")
        axes.text(0.93, 0.9, f"$T = {frame[0]:.1f}$", color=PAPER, fontsize=14, ha="right",
                  va="top", transform=axes.transAxes)
    draw_front(figure.add_subplot(charts[0]), run)
    draw_energy(figure.add_subplot(charts[1]), run)

    figure.text(0.04, 1 - 0.62 / height, "Dam break", color=PAPER, fontsize=24, weight="bold")
    space = "3D" if run.is_3d else "2D"
    if run.is_periodic:
        space += " with periodic sides"
    subtitle = (f"delta-SPH, {space}, {1 / run.spacing:.0f} particles across the column; "
                "neighbors by neargrid")
    figure.text(0.04, 1 - 0.93 / height, subtitle, color=GREY, fontsize=12)
    place = figure.add_axes([0.66, 1 - 0.58 / height, 0.31, 0.17 / height])
    bar = figure.colorbar(ScalarMappable(norm, WATER), cax=place, orientation="horizontal")
    bar.set_label(r"speed / $\sqrt{2 g a}$", color=PAPER, fontsize=11)
    bar.ax.tick_params(colors=GREY, labelsize=9)
    bar.outline.set_visible(False)
    figure.savefig(picture, dpi=110, facecolor=NIGHT)
    print(picture)


if __name__ == "__main__":
    main()
