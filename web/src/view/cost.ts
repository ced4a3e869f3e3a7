// What a picture costs in script: the medians of its parts, added up as if all fell into one frame.
// Where pictures are drawn slower than frames come, no part is counted twice.
const kept = 60;

export class Cost {
  private readonly parts = new Map<string, number[]>();

  add(part: string, begun: number): void {
    let list = this.parts.get(part);
    if (!list) this.parts.set(part, (list = []));
    list.push(performance.now() - begun);
    if (list.length > kept) list.shift();
  }

  median(part: string): number {
    const list = [...(this.parts.get(part) ?? [])].sort((a, b) => a - b);
    return list[list.length >> 1] ?? 0;
  }

  get sum(): number {
    return [...this.parts.keys()].reduce((sum, part) => sum + this.median(part), 0);
  }

  clear(): void {
    this.parts.clear();
  }
}
