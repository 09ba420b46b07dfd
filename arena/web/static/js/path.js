// What is chosen step by step: the actions that are still open, and the steps that lead on. No page is touched here.
//
// Where only one step is possible, but several actions are behind it, it is taken by itself.
export class Path {
  constructor(actions) {
    this.actions = actions;
    this.taken = [];
    this.chosen = []; // of the steps taken: how many there were before each that a person chose
    this.#skip();
  }

  get open() {
    return this.actions.filter((one) => this.taken.every((id, at) => one.path[at] === id));
  }

  get next() {
    return new Set(this.open.map((one) => one.path[this.taken.length]).filter((id) => id !== undefined));
  }

  // The steps that a person chose.
  get steps() {
    return this.chosen.map((at) => this.taken[at]);
  }

  // The action that is meant, or null while several are possible.
  get action() {
    const { open } = this;
    return this.chosen.length && open.length === 1 ? open[0] : null;
  }

  step(id) {
    this.chosen.push(this.taken.length);
    this.taken.push(id);
    this.#skip();
  }

  undo() {
    if (!this.chosen.length) return;
    this.taken.length = this.chosen.pop();
  }

  // The label of the only action that a step leads to, if it is the only one.
  whole(id) {
    const led = this.open.filter((one) => one.path[this.taken.length] === id);
    return led.length === 1 ? led[0].label : null;
  }

  #skip() {
    while (this.open.length > 1 && this.next.size === 1) this.taken.push([...this.next][0]);
  }
}
