// Objective and cyclic error over the evaluations of a training, on a logarithmic scale.
import uPlot from 'uplot';
import { el, short_number } from '../dom';

const height = 150;
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export class TrainingChart {
  readonly element = el('div', { hidden: true });
  private readonly legend = el('div', { class: 'legend' });
  private readonly chart = el('div', { class: 'training-chart' });
  private plot: uPlot | null = null;
  // evaluations, objective, cyclic error, and the error that is good enough
  private data: [number[], (number | null)[], (number | null)[], number[]] = [[], [], [], []];

  constructor() {
    this.element.append(this.legend, this.chart);
    dark.addEventListener('change', () => this.draw(true));
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height })).observe(this.chart);
  }

  get points(): number {
    return this.data[0].length;
  }

  clear(): void {
    this.data = [[], [], [], []];
    this.draw();
  }

  add(evaluations: number | null, objective: number | null, error: number | null): void {
    const [x, a, b, good] = this.data, last = x.at(-1) ?? 0;
    if (!evaluations || evaluations === last) return;
    if (evaluations < last) {
      this.clear(); // somebody trains it anew
      this.add(evaluations, objective, error);
      return;
    }
    x.push(evaluations);
    a.push(objective && objective > 0 ? objective : null);
    b.push(error && error > 0 ? error : null);
    good.push(1);
  }

  draw(anew = false): void {
    this.element.hidden = this.points < 2;
    if (this.element.hidden) return;
    if (anew || !this.plot) this.make();
    this.plot!.setData(this.data);
    const [, a, b] = this.data, number = (value: number | null | undefined): string => short_number(value ?? NaN);
    this.legend.replaceChildren(el('span', { class: 'key-a' }, `objective ${number(a.at(-1))}`),
      el('span', { class: 'key-b' }, `cyclic error ${number(b.at(-1))}`), el('span', { class: 'soft' }, 'below 1 is good'));
  }

  private width(): number {
    return Math.max(this.chart.clientWidth, 100);
  }

  private make(): void {
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: color('--soft'), font: '12px system-ui, "DejaVu Sans", sans-serif',
                   grid: { stroke: color('--edge'), width: 1 }, ticks: { show: false } };
    const plain = (_: uPlot, values: (number | null)[]): string[] => values.map((v) => (v === null ? '' : short_number(v)));
    const line = { width: 1.5, points: { show: false } };
    this.plot = new uPlot({
      width: this.width(), height, legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false }, y: { distr: 3 } },
      axes: [{ ...axis, size: 22, space: 70, values: plain }, { ...axis, size: 46, values: plain }],
      series: [{}, { ...line, stroke: color('--accent') }, { ...line, stroke: color('--contact') },
        { ...line, width: 1, dash: [4, 4], stroke: color('--soft') }],
    }, this.data, this.chart);
  }
}
