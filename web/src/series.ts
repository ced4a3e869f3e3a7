// Values by time, in order of time whatever comes first.
const most_points = 20_000;

export class Series {
  readonly t: number[] = [];
  readonly values = new Map<string, (number | null)[]>();

  constructor(readonly columns: string[]) {
    for (const column of columns) this.values.set(column, []);
  }

  add(t: number, value: (column: string) => number | null): void {
    let at = this.t.length;
    while (at > 0 && this.t[at - 1] > t + 1e-9) at -= 1;
    const replace = at > 0 && Math.abs(this.t[at - 1] - t) <= 1e-9;
    if (replace) at -= 1;
    this.t.splice(at, replace ? 1 : 0, t);
    for (const column of this.columns) this.values.get(column)!.splice(at, replace ? 1 : 0, value(column));
    if (this.t.length > most_points) this.drop_before(this.t[Math.floor(most_points / 10)]);
  }

  // The last index that is not after a time; -1: there is none.
  at(t: number): number {
    let low = 0, high = this.t.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= t + 1e-6) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private drop_before(t: number): void {
    const count = this.t.findIndex((x) => x >= t);
    this.t.splice(0, count);
    for (const list of this.values.values()) list.splice(0, count);
  }

  // What comes later was forgotten by the run: a branch, or a new start.
  cut_after(t: number): void {
    let keep = this.t.length;
    while (keep > 0 && this.t[keep - 1] > t + 1e-9) keep -= 1;
    this.t.length = keep;
    for (const list of this.values.values()) list.length = keep;
  }
}
