// What a gait is worth, and how hard it may be pushed.
import { el, short_number } from '../dom';
import type { ServerEvent } from '../messages';
import type { Studio } from '../studio';
import type { PushesPart, Worth } from './motion_messages';
import { push_plot } from './push_plot';

export function worth_table(w: Worth): HTMLElement {
  const number = (value: number | null, unit = ''): string => (value === null ? '–' : `${short_number(value)}${unit}`);
  const rows: [string, string][] = [
    ['keeps its constraints', w.valid ? 'yes' : 'no'], ['speed', number(w.speed, ' m/s')],
    ['cost of transport', number(w.cost_of_transport)],
    [w.fell ? 'steps until it falls' : `steps in ${Math.round(w.seconds)} s`, w.fell ? String(w.steps) : `${w.steps}, on its feet`],
    ['cyclic error', number(w.cyclic_error, ' tolerances')], ['likeness to the sketch', number(w.likeness)],
    ['duty factor', number(w.duty_factor)], ['peak ground force', number(w.peak_force, ' × weight')],
  ];
  return el('table', { class: 'figures' }, ...rows.map(([name, value]) =>
    el('tr', {}, el('th', {}, name), el('td', { class: 'number' }, value))));
}

// The battery of pushes, which grows while it runs.
export class PushView {
  readonly element = el('div', { class: 'pushes' });
  private readonly begin = el('button', { class: 'framed', 'data-do': 'pushes', onclick: () => void this.run() }, 'Find out how hard');
  private readonly bar = el('progress', { max: 1, value: 0 });
  private readonly plot = el('div', {});

  // `mine`: is what is open what this one is about?
  constructor(private readonly studio: Studio, private readonly mine: () => boolean) {
    this.element.append(el('h3', {}, 'Pushes that it survives'), el('div', { class: 'row' }, this.begin, this.bar), this.plot);
    studio.on('server', (event: ServerEvent) => {
      if ((event.event === 'pushing' || event.event === 'pushes') && this.mine()) this.show(event as unknown as PushesPart);
    });
    this.show(null);
  }

  show(pushes: PushesPart | null): void {
    const running = pushes?.event === 'pushing';
    this.begin.disabled = running;
    this.bar.hidden = !running;
    this.bar.value = pushes ? pushes.settled / pushes.of : 0;
    this.element.dataset.state = running ? 'running' : pushes ? 'done' : '';
    this.plot.replaceChildren(...(pushes ? [push_plot(pushes)] : []));
  }

  private async run(): Promise<void> {
    this.show(null);
    this.begin.disabled = true;
    this.bar.hidden = false;
    this.element.dataset.state = 'running';
    if (!(await this.studio.act({ do: 'pushes' }))) this.show(null);
  }
}
