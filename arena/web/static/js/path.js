// What is chosen step by step: the actions that are still open, and the steps that lead on. No page is touched here.
export class Path {
  constructor(actions) {
    this.actions = actions;
    this.taken = [];
  }

  get open() {
    return this.actions.filter((one) => this.taken.every((id, at) => one.path[at] === id));
  }

  get next() {
    return new Set(this.open.map((one) => one.path[this.taken.length]).filter((id) => id !== undefined));
  }

  // The action that is meant, or null while several are possible.
  get action() {
    const { open } = this;
    return this.taken.length && open.length === 1 ? open[0].id : null;
  }

  step(id) {
    this.taken.push(id);
  }

  undo() {
    this.taken.pop();
  }

  // The label of the only action that a step leads to, if it is the only one.
  whole(id) {
    const led = this.open.filter((one) => one.path[this.taken.length] === id);
    return led.length === 1 ? led[0].label : null;
  }
}
