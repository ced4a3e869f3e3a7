// The two palettes of a motion: a cell per mode with its figure, frequency, amplitude and mark.
import { el, short_number } from '../dom';
import type { ServerEvent } from '../messages';
import type { Studio } from '../studio';
import { motion_of, type Mark, type ModeCell, type PaletteName } from './motion_messages';
import { ModePainter, type Paintable } from './mode_painter';

const marks: [Mark, string][] = [
  ['green', 'priority: kept by the training'], ['neutral', 'allowed: the training may use it'], ['red', 'excluded'],
];

class Cell implements Paintable {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  visible = false;
  hertz: number;
  shape: number[];
  private readonly slider: HTMLInputElement;
  private readonly number: HTMLInputElement;
  private readonly buttons = new Map<Mark, HTMLButtonElement>();
  private wanted: number | null = null; // amplitude that was not sent yet
  private sending = false;

  constructor(private readonly studio: Studio, private readonly cell: ModeCell, most: number, painter: ModePainter) {
    const { palette, mode, word } = cell;
    const label = `${palette} mode ${mode}, ${word}`;
    this.hertz = cell.hertz;
    this.shape = cell.shape;
    this.canvas = painter.make_canvas();
    this.slider = el('input', { type: 'range', min: -most, max: most, step: 0.01, 'aria-label': `Amplitude of ${label}` });
    this.number = el('input', { type: 'number', min: -most, max: most, step: 0.01, 'aria-label': `Amplitude of ${label}` });
    this.slider.oninput = () => this.send(Number(this.slider.value));
    this.slider.ondblclick = () => this.send(0);
    this.number.onchange = () => this.send(Number(this.number.value));
    const group = el('span', { class: 'marks', role: 'group', 'aria-label': `Mark of ${label}` },
      ...marks.map(([mark, what]) => {
        const button = el('button', { class: `mark ${mark}`, title: what, 'aria-label': `${mark}: ${what}`, onclick: () => this.mark(mark) });
        this.buttons.set(mark, button);
        return button;
      }));
    this.element = el('div', { class: 'mode', 'data-mode': `${cell.step} ${palette} ${mode}`, title: cell.about },
      this.canvas,
      el('div', { class: 'mode-head' }, el('strong', {}, String(mode)),
        el('span', { class: 'soft' }, cell.hertz > 0 ? `${cell.hertz.toFixed(2)} Hz` : ''), group),
      el('div', { class: 'mode-word' }, word), el('div', { class: 'mode-amplitude' }, this.slider, this.number));
    this.take(cell.amplitude, cell.mark);
  }

  take(amplitude: number, mark: Mark): void {
    if (this.wanted === null && !this.sending) {
      this.slider.value = String(amplitude);
      if (document.activeElement !== this.number) this.number.value = short_number(amplitude);
    }
    this.element.dataset.mark = mark;
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(name === mark));
  }

  private send(value: number): void {
    if (!Number.isFinite(value)) return;
    this.slider.value = String(value);
    this.number.value = short_number(value);
    this.wanted = value;
    void this.pass_on();
  }

  // One message at a time; the last amplitude counts.
  private async pass_on(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    while (this.wanted !== null) {
      const value = this.wanted;
      this.wanted = null;
      await this.studio.act({ do: 'amplitude', step: this.cell.step, palette: this.cell.palette, mode: this.cell.mode, value });
    }
    this.sending = false;
  }

  private mark(value: Mark): void {
    void this.studio.act({ do: 'mark', step: this.cell.step, palette: this.cell.palette, mode: this.cell.mode, value });
  }
}

export class Palettes {
  readonly element = el('div', { class: 'palettes' });
  private readonly painter = new ModePainter();
  private readonly cells = new Map<string, Cell>();
  private readonly seen: IntersectionObserver;
  private step = 0;
  private front = false;

  constructor(private readonly studio: Studio) {
    const owners = new WeakMap<Element, Cell>();
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const cell = owners.get(entry.target);
        if (cell) cell.visible = entry.isIntersecting;
      }
    }, { rootMargin: '40px' });
    this.watch = (cell) => {
      owners.set(cell.element, cell);
      this.seen.observe(cell.element);
    };
    studio.on('opened', () => ((this.step = 0), this.fill()));
    studio.on('reshaped', () => this.fill());
    studio.on('server', (event) => this.hear(event));
  }
  private readonly watch: (cell: Cell) => void;

  shown(visible: boolean): void {
    this.front = visible;
    this.painter.run(visible && this.cells.size > 0);
  }

  private fill(): void {
    this.seen.disconnect();
    this.cells.clear();
    const motion = motion_of(this.studio.describe), model = this.studio.describe.model;
    if (!motion || !model) {
      this.element.replaceChildren();
      this.painter.cells = [];
      this.painter.run(false);
      return;
    }
    this.painter.show(model, motion.rest_coordinates);
    const step = motion.steps[Math.min(this.step, motion.steps.length - 1)];
    const row = (palette: PaletteName, title: string): HTMLElement[] => {
      const grid = el('div', { class: 'modes', 'data-palette': palette });
      for (const mode of step[palette]) {
        const cell = new Cell(this.studio, mode, motion.most_amplitude, this.painter);
        this.cells.set(`${mode.step} ${palette} ${mode.mode}`, cell);
        this.watch(cell);
        grid.append(cell.element);
      }
      return [el('h3', {}, title), grid];
    };
    const feet = step.feet.map((f) => f.replace(/[._]/g, ' ')).join(', ');
    this.element.replaceChildren(...this.step_choice(motion.steps.length),
      ...row('air', `Air: ${step.air.length} modes`), ...row('ground', `Ground: ${step.ground.length} modes on the ${feet}`));
    this.painter.cells = [...this.cells.values()];
    this.painter.run(this.front);
  }

  private step_choice(count: number): HTMLElement[] {
    if (count < 2) return [];
    const choice = el('select', { 'aria-label': 'Step', onchange: () => ((this.step = choice.selectedIndex), this.fill()) },
      ...Array.from({ length: count }, (_, i) => el('option', { selected: i === this.step }, `step ${i + 1}`)));
    return [el('label', { class: 'line' }, el('span', {}, 'step'), choice)];
  }

  private hear(event: ServerEvent): void {
    if (event.event !== 'mode') return;
    const { step, palette, mode, amplitude, mark } = event as unknown as ModeCell;
    const known = motion_of(this.studio.describe)?.steps[step - 1]?.[palette][mode - 1];
    if (known) Object.assign(known, { amplitude, mark });
    this.cells.get(`${step} ${palette} ${mode}`)?.take(amplitude, mark);
  }
}
