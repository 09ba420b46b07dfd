// A match on its page: fetches what the viewer shows, and goes where the address says.
import { Viewer, wanted } from "./viewer.js";

const root = document.querySelector("[data-viewer]");
if (root?.dataset.frames) {
  const place = root.querySelector("[data-part=place]");
  place.textContent = root.dataset.telling;
  const answer = await fetch(root.dataset.frames);
  if (answer.ok) {
    const viewer = new Viewer(root, await answer.json());
    const asked = new URLSearchParams(location.search).get("ply");
    const start = location.hash || (asked === null ? "#ply=0" : `#ply=${asked}`);
    viewer.show(wanted(viewer, start));
    addEventListener("hashchange", () => viewer.show(wanted(viewer)));
    root.viewer = viewer;
    root.dataset.ready = "";
  } else {
    root.querySelector("[data-part=failed]").hidden = false;
    place.textContent = "";
  }
}
