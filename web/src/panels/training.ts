// Train, cancel, resume; curves of objective and cyclic error; what came of it.
import uPlot from 'uplot';
import { el, short_number } from '../dom';
import type { ServerEvent } from '../messages';
import type { Studio } from '../studio';
import type { TrainingPart } from './motion_messages';

const height = 150;
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const says: Record<TrainingPart['state'], string> = {
  running: 'searching', cancelled: 'cancelled; the best so far is beside the sketch', found: 'found a gait that keeps all constraints',
  not_found: 'no gait found; the nearest is beside the sketch', failed: 'failed',
};

function duration(seconds: number): string {
  const s = Math.round(seconds);
  return s < 90 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

export class TrainingView {
  readonly element = el('div', { class: 'training' });
  private readonly train = el('button', { class: 'primary', 'data-do': 'train', onclick: () => this.act('train') }, 'Train');
  private readonly cancel = el('button', { 'data-do': 'cancel', hidden: true, onclick: () => this.act('cancel') }, 'Cancel');
  private readonly resume = el('button', { 'data-do': 'resume', hidden: true, onclick: () => this.act('resume') }, 'Resume');
  private readonly result = el('button', { 'data-do': 'result', hidden: true, title: 'Open what was trained on the ground' }, 'Result');
  private readonly text = el('div', { class: 'soft', role: 'status' });
  private readonly chart = el('div', { class: 'training-chart', hidden: true });
  private readonly legend = el('div', { class: 'legend', hidden: true });
  private plot: uPlot | null = null;
  private data: [number[], (number | null)[], (number | null)[]] = [[], [], []];
  private last: TrainingPart | null = null;

  constructor(private readonly studio: Studio) {
    this.element.append(el('div', { class: 'buttons' }, this.train, this.cancel, this.resume, this.result), this.text, this.legend, this.chart);
    this.result.onclick = () => this.last?.file && void studio.open(this.last.file);
    studio.on('opened', ({ describe }) => this.open((describe.training as TrainingPart | undefined) ?? null));
    studio.on('server', (event) => this.hear(event));
    dark.addEventListener('change', () => this.draw(true));
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height })).observe(this.chart);
  }

  private act(word: string): void {
    if (word === 'train') this.data = [[], [], []];
    void this.studio.act({ do: word });
  }

  private open(training: TrainingPart | null): void {
    this.data = [[], [], []];
    for (const [evaluations, objective, error] of training?.curve ?? []) this.add(evaluations, objective, error);
    this.tell(training);
  }

  private hear(event: ServerEvent): void {
    if (event.event !== 'training') return;
    const training = event as unknown as TrainingPart;
    this.add(training.evaluations, training.objective, training.cyclic_error);
    this.tell(training);
  }

  private add(evaluations: number | null, objective: number | null, error: number | null): void {
    const [x, a, b] = this.data;
    if (!evaluations || evaluations <= (x.at(-1) ?? 0)) return;
    x.push(evaluations);
    a.push(objective && objective > 0 ? objective : null);
    b.push(error && error > 0 ? error : null);
  }

  private tell(t: TrainingPart | null): void {
    this.last = t;
    const running = t?.state === 'running';
    this.train.hidden = running;
    this.train.textContent = t ? 'Train anew' : 'Train';
    this.cancel.hidden = !running;
    this.resume.hidden = !t || (t.state !== 'cancelled' && t.state !== 'not_found');
    this.result.hidden = !t?.file;
    this.element.dataset.state = t?.state ?? '';
    this.chart.hidden = this.legend.hidden = this.data[0].length < 2;
    if (!t) {
      this.text.textContent = 'The sketch floats. Training finds the pulses that carry it over the ground.';
      return;
    }
    const rate = `${short_number(Math.round(t.rate))} evaluations/s`;
    this.text.textContent = t.state === 'failed' ? t.error ?? says.failed
      : `${says[t.state]}: generation ${t.generation}${t.restart ? `, restart ${t.restart}` : ''}, ${t.evaluations} evaluations, ${rate}`
        + (running ? `, ${duration(t.left)} left at most` : '');
    this.legend.replaceChildren(
      el('span', { class: 'key-a' }, `objective ${short_number(t.objective ?? NaN)}`),
      el('span', { class: 'key-b' }, `cyclic error ${short_number(t.cyclic_error ?? NaN)}`), el('span', { class: 'soft' }, '1 is good'));
    this.draw();
  }

  private width(): number {
    return Math.max(this.chart.clientWidth, 100);
  }

  private draw(anew = false): void {
    if (this.chart.hidden) return;
    if (anew || !this.plot) this.make();
    this.plot!.setData(this.data);
  }

  private make(): void {
    this.plot?.destroy();
    const style = getComputedStyle(this.element);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: color('--soft'), font: '12px system-ui, "DejaVu Sans", sans-serif',
                   grid: { stroke: color('--edge'), width: 1 }, ticks: { show: false } };
    const plain = (_: uPlot, values: (number | null)[]): string[] => values.map((v) => (v === null ? '' : short_number(v)));
    this.plot = new uPlot({
      width: this.width(), height, legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { distr: 3 } },
      axes: [{ ...axis, size: 22, space: 70, values: plain }, { ...axis, size: 46, values: plain }],
      series: [{}, { stroke: color('--accent'), width: 1.5 }, { stroke: color('--contact'), width: 1.5 }],
    }, this.data, this.chart);
  }
}
