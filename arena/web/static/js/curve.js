// Lets people look closer at a curve: figures under the pointer, a part enlarged by dragging, all of it by a double click.
// Without a script the drawing in the page says the same.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const HEIGHT = 260;

function show(figure) {
  const data = JSON.parse(figure.dataset.curve);
  const names = figure.dataset.names.split("|");
  const drawn = figure.querySelector("svg");
  const place = document.createElement("div");
  place.className = "plot";
  figure.insertBefore(place, drawn);
  const axis = () => ({ stroke: colour("--soft"), grid: { stroke: colour("--faint") }, ticks: { stroke: colour("--line") } });
  const [line, low, high] = [1, 2, 3];
  const accent = colour("--accent");
  const make = () =>
    new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        scales: { x: { time: false } },
        axes: [axis(), axis()],
        series: [
          { label: names[0] },
          { label: names[line], stroke: accent, width: 2, points: { show: false } },
          { label: names[low], stroke: accent + "00", points: { show: false } },
          { label: names[high], stroke: accent + "00", points: { show: false } },
        ],
        bands: [{ series: [high, low], fill: accent + "28" }],
        cursor: { drag: { x: true, y: false } },
      },
      data,
      place,
    );
  const plot = make();
  drawn.classList.add("hidden");
  figure.querySelector(".zoom-note")?.removeAttribute("hidden");
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
}

for (const figure of document.querySelectorAll("figure[data-curve]")) {
  if (JSON.parse(figure.dataset.curve)[0].length > 1) show(figure);
}
