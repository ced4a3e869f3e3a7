// The two palettes of a motion: a cell per mode with its figure, frequency, amplitude and mark.
import { el, short_number } from '../dom';
import type { ServerEvent } from '../messages';
import type { Studio } from '../studio';
import { motion_of, type Mark, type ModeCell, type PaletteName } from './motion_messages';
import { ModePainter, type Paintable } from './mode_painter';

const marks: [Mark, string, string][] = [
  ['green', '✓', 'priority: kept by the training'], ['neutral', '○', 'allowed: the training may use it'], ['red', '✕', 'excluded'],
];
const first_shown = 12; // modes of a palette; the slow ones matter most

class Cell implements Paintable {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  visible = false;
  painted = false;
  hertz = 0;
  shape: number[] = [];
  private readonly slider: HTMLInputElement;
  private readonly number: HTMLInputElement;
  private readonly buttons = new Map<Mark, HTMLButtonElement>();
  private readonly frequency = el('span', { class: 'mode-hertz' });
  private readonly word = el('div', { class: 'mode-word' });
  private wanted: number | null = null; // amplitude that was not sent yet
  private sending = false;

  constructor(private readonly studio: Studio, private readonly cell: ModeCell, most: number, painter: ModePainter) {
    const { palette, mode } = cell;
    const label = `${palette} mode ${mode}, ${cell.word}`;
    this.canvas = painter.make_canvas();
    this.slider = el('input', { type: 'range', min: -most, max: most, step: 0.01, 'aria-label': `Amplitude of ${label}`, title: 'Amplitude; double click: none' });
    this.number = el('input', { type: 'number', min: -most, max: most, step: 0.01, 'aria-label': `Amplitude of ${label}` });
    this.slider.oninput = () => this.send(Number(this.slider.value));
    this.slider.ondblclick = () => this.send(0);
    this.number.onchange = () => this.send(Number(this.number.value));
    const group = el('span', { class: 'marks', role: 'group', 'aria-label': `Mark of ${label}` },
      ...marks.map(([mark, sign, what]) => {
        const button = el('button', { class: `mark ${mark}`, title: what, 'aria-label': `${mark}: ${what}`, onclick: () => this.mark(mark) }, sign);
        this.buttons.set(mark, button);
        return button;
      }));
    this.element = el('div', { class: 'mode', 'data-mode': `${cell.step} ${palette} ${mode}` },
      el('div', { class: 'mode-head' }, el('strong', {}, String(mode)), this.frequency), this.canvas,
      this.word, this.slider, el('div', { class: 'mode-foot' }, this.number, group));
    this.element.classList.toggle('fast', mode > first_shown);
    this.reshape(cell);
  }

  // The same mode of the figure in another rest pose, or with other springs.
  reshape(cell: ModeCell): void {
    this.hertz = cell.hertz;
    this.shape = cell.shape;
    this.frequency.textContent = cell.hertz > 0 ? `${cell.hertz.toFixed(2)} Hz` : '';
    this.word.textContent = cell.word;
    this.element.title = cell.about;
    this.take(cell.amplitude, cell.mark);
  }

  take(amplitude: number, mark: Mark): void {
    if (this.wanted === null && !this.sending) this.fill(amplitude, document.activeElement !== this.number);
    this.element.dataset.mark = mark;
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(name === mark));
  }

  private fill(amplitude: number, number_too = true): void {
    this.slider.value = String(amplitude);
    const part = (Number(this.slider.value) - Number(this.slider.min)) / (Number(this.slider.max) - Number(this.slider.min));
    // the middle of the thumb, which is 14 pixels wide
    this.slider.style.setProperty('--at', `calc(7px + ${part.toFixed(4)} * (100% - 14px))`);
    if (number_too) this.number.value = short_number(amplitude);
  }

  private send(value: number): void {
    if (!Number.isFinite(value)) return;
    this.fill(value);
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
  private readonly all = new Set<PaletteName>(); // palettes that show their fast modes too
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
    studio.on('opened', () => {
      this.step = 0;
      this.fill();
    });
    studio.on('reshaped', () => this.reshape());
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
      return [this.heading(palette, title, grid, step[palette].length), grid];
    };
    const feet = step.feet.map((f) => f.replace(/[._]/g, ' ')).join(', ');
    this.element.replaceChildren(...this.step_choice(motion.steps.length),
      ...row('air', 'Air'), ...row('ground', `Ground, on the ${feet}`));
    this.painter.cells = [...this.cells.values()];
    this.painter.run(this.front);
  }

  // Fast modes are seldom wanted: they show when they are asked for, or in use.
  private heading(palette: PaletteName, title: string, grid: HTMLElement, count: number): HTMLElement {
    const more = el('button', { 'data-do': `all-${palette}`, hidden: count <= first_shown });
    const show = (): void => {
      const all = this.all.has(palette);
      grid.classList.toggle('slow-only', !all);
      more.textContent = all ? `the slowest ${first_shown}` : `all ${count}`;
      more.title = all ? 'Show the slowest modes and those in use' : 'Show the fast modes too';
    };
    more.onclick = () => {
      if (!this.all.delete(palette)) this.all.add(palette);
      show();
    };
    show();
    return el('h3', { class: 'palette-head' }, title, more);
  }

  // The cells stay where they are, also while a joint is dragged.
  private reshape(): void {
    const motion = motion_of(this.studio.describe), model = this.studio.describe.model;
    const modes = motion?.steps.flatMap((step) => [...step.air, ...step.ground]) ?? [];
    const known = modes.filter((mode) => this.cells.has(`${mode.step} ${mode.palette} ${mode.mode}`));
    if (!motion || !model || known.length !== this.cells.size) {
      this.fill();
      return;
    }
    this.painter.show(model, motion.rest_coordinates);
    for (const mode of known) this.cells.get(`${mode.step} ${mode.palette} ${mode.mode}`)!.reshape(mode);
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
