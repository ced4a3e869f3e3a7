// Train, cancel, resume; how the search goes; what came of it, to be looked at, pushed and saved.
import { own_address } from '../address';
import { el, short_number } from '../dom';
import type { Answer } from '../messages';
import type { Studio } from '../studio';
import { motion_of, type PushesPart, type TrainingPart } from './motion_messages';
import { PushView, worth_table } from './result';
import { TrainingChart } from './training_chart';

const says: Record<TrainingPart['state'], string> = {
  running: 'Searching', cancelled: 'Cancelled; the best so far runs beside the sketch', found: 'Found a gait that keeps all constraints',
  not_found: 'No gait found; the nearest runs beside the sketch', failed: 'Failed',
};

function duration(seconds: number): string {
  const s = Math.round(seconds);
  return s < 90 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

const whole = (count: number): string => Math.round(count).toLocaleString('en').replaceAll(',', '\u202f');

// A file that the server makes, saved.
async function save_export(studio: Studio, what: string): Promise<void> {
  const done = new Map<unknown, string[]>();
  const stop = studio.on('server', (event) => event.event === 'done' && done.set(event.job, [String(event.asset), String(event.name)]));
  const answer: Answer | null = await studio.act({ do: 'export', what });
  for (let waited = 0; answer && !done.has(answer.job) && waited < 100; ++waited) await new Promise((go) => setTimeout(go, 50));
  stop();
  const file = answer && done.get(answer.job);
  if (file) el('a', { href: own_address(file[0]), download: file[1] }).click();
}

export class TrainingView {
  readonly element = el('div', { class: 'training' });
  private readonly train = this.button('train', 'Train', 'primary', 'Search for pulses that carry the sketch over the ground');
  private readonly cancel = this.button('cancel', 'Cancel', 'framed', 'Stop; the best so far is kept, and can be resumed');
  private readonly resume = this.button('resume', 'Resume', 'framed', 'Go on with the search where it stopped');
  private readonly open_result = el('button', { class: 'framed', 'data-do': 'result', title: 'Look at it on the ground' }, 'Open as a gait');
  private readonly save_result = el('a', { class: 'framed button', 'data-do': 'save-gait', title: 'What molejo gait replays' }, 'Save gait');
  private readonly text = el('div', { class: 'soft', role: 'status' });
  private readonly chart = new TrainingChart();
  private readonly worth = el('div', {});
  private readonly pushes: PushView;
  private readonly result = el('div', { class: 'result', hidden: true });
  private last: TrainingPart | null = null;
  private news: TrainingPart | null = null; // not shown yet

  constructor(private readonly studio: Studio) {
    this.pushes = new PushView(studio, () => studio.kind === 'motion');
    this.result.append(el('h3', {}, 'Result'), this.worth,
      el('div', { class: 'row' }, this.open_result, this.save_result), this.pushes.element);
    this.element.append(
      el('div', { class: 'row' }, this.train, this.cancel, this.resume, el('span', { class: 'gap' }),
        el('button', { class: 'framed', 'data-do': 'save-motion', title: 'The motion as it is now, for molejo train', onclick: () => void save_export(studio, 'motion') }, 'Save motion'),
        el('button', { 'data-do': 'original', title: 'All amplitudes, marks and joints as in the file', onclick: () => this.act('original') }, 'Original')),
      this.text, this.chart.element, this.result);
    this.open_result.onclick = () => this.last?.file && void studio.open(this.last.file);
    studio.on('opened', ({ kind, describe }) => {
      if (kind !== 'motion') return;
      const training = (describe.training as TrainingPart | undefined) ?? null;
      this.chart.clear();
      for (const [evaluations, objective, error] of training?.curve ?? []) this.chart.add(evaluations, objective, error);
      this.pushes.show((describe.pushes as PushesPart | undefined) ?? null);
      this.tell(training);
    });
    studio.on('server', (event) => {
      if (event.event !== 'training') return;
      const training = event as unknown as TrainingPart;
      this.chart.add(training.evaluations, training.objective, training.cyclic_error);
      this.tell_soon(training);
    });
  }

  // News come faster than a slow page draws, and none is dropped on the way: only the last one is shown.
  private tell_soon(training: TrainingPart): void {
    const waits = this.news !== null;
    this.news = training;
    if (!waits) requestAnimationFrame(() => this.news && this.tell(this.news));
  }

  private button(word: string, label: string, look: string, title: string): HTMLButtonElement {
    return el('button', { class: look, 'data-do': word, title, onclick: () => this.act(word) }, label);
  }

  private act(word: string): void {
    if (word === 'train') this.chart.clear();
    if (word === 'train' || word === 'resume') this.pushes.show(null);
    void this.studio.act({ do: word });
  }

  private tell(t: TrainingPart | null): void {
    this.last = t;
    this.news = null;
    const running = t?.state === 'running';
    this.train.hidden = running;
    this.train.textContent = t ? 'Train anew' : 'Train';
    this.cancel.hidden = !running;
    this.resume.hidden = !t || (t.state !== 'cancelled' && t.state !== 'not_found');
    this.element.dataset.state = t?.state ?? '';
    this.text.textContent = t ? this.sentence(t) : 'The sketch floats. Training finds the pulses that carry it over the ground.';
    this.text.title = t ? `Kept in ${t.kept}` : '';
    this.chart.draw();
    this.result.hidden = !t?.file || !t.worth;
    if (!t?.file || !t.worth) return;
    this.save_result.href = own_address(t.asset!);
    this.save_result.download = t.asset!.replace(/^.*\//, '');
    this.worth.replaceChildren(worth_table(t.worth), ...this.pace(t));
  }

  private sentence(t: TrainingPart): string {
    if (t.state === 'failed') return t.error ?? says.failed;
    const parts = [`generation ${t.generation}${t.restart ? ` of restart ${t.restart}` : ''}`, `${whole(t.evaluations)} evaluations`];
    if (t.rate > 0) parts.push(`${whole(t.rate)}/s`);
    if (t.state === 'running' && t.left > 0) parts.push(`${duration(t.left)} left at most`);
    const unsaved = t.unsaved ? ` It is not saved: ${t.unsaved}.` : '';
    return `${says[t.state]}: ${parts.join(', ')}.${unsaved}`;
  }

  // In the view both swing at the pace of the sketch.
  private pace(t: TrainingPart): HTMLElement[] {
    const sketch = motion_of(this.studio.describe)?.period;
    if (!sketch || !t.period || Math.abs(t.period / sketch - 1) < 0.01) return [];
    return [el('p', { class: 'soft' }, `Beside the sketch it runs in step with it: at ${short_number(Number((t.period / sketch).toFixed(2)))} of its own pace.`)];
  }
}
