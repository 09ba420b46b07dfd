// The final scoring, step by step: a row for each, of which those to come are faint.
import { make } from "./telling.js";

export class Scoring {
  constructor(host, story, words) {
    Object.assign(this, { host, story, words });
    this.rows = [];
    host.hidden = true;
  }

  get steps() {
    return this.rows.length;
  }

  take(scoring) {
    if (!scoring.length) return;
    const names = [...this.story.seats, ...scoring[0].others];
    const head = make("tr", "", this.#head(""), ...names.map((name) => this.#head(name, "n")));
    this.rows = scoring.map((step) => this.#row(step));
    const caption = make("caption", "", this.words.scoring);
    const table = make("table", "figures", caption, make("thead", "", head), make("tbody", "", ...this.rows));
    this.host.replaceChildren(table);
  }

  // `count` steps are done; below 0 the game still goes on.
  show(count) {
    this.host.hidden = count < 0 || !this.steps;
    for (const [at, row] of this.rows.entries()) {
      row.classList.toggle("to-come", at >= count);
      row.classList.toggle("now-scored", at === count - 1);
    }
    const scored = this.rows[count - 1];
    if (!scored) this.host.scrollTop = 0;
    else this.host.scrollTop = Math.max(0, scored.offsetTop + scored.offsetHeight - this.host.clientHeight + 8);
  }

  #row(step) {
    const label = this.#head(step.label);
    label.scope = "row";
    if (step.note) label.append(make("small", "", step.note));
    const cells = step.sums.map((sum, at) => {
      const points = step.points[at];
      const change = points ? make("small", "change", points > 0 ? `+${points} ` : `−${-points} `) : null;
      return make("td", "n", change, String(sum).replace("-", "−"));
    });
    return make("tr", "", label, ...cells);
  }

  #head(text, classes) {
    const cell = make("th", classes, text);
    cell.scope = "col";
    return cell;
  }
}
