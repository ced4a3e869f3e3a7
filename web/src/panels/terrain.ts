// Ground and those who walk on it: elevation as a formula or by a brush, steering by the arrow keys,
// the options of inverse kinematics, and how good the walk is.
import { Mesh, MeshBasicMaterial, RingGeometry } from 'three';
import { by_id, el, short_number } from '../dom';
import type { ServerEvent } from '../messages';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import { Walkers } from '../view/walkers';
import { formula_line } from './forces';
import { register } from './registry';

const turn_rate = 0.9; // rad/s while an arrow key is held
const sculpt_pause = 90; // ms between two strokes of the brush
const switches: [string, string][] = [
  ['inverse_kinematics', 'inverse kinematics'], ['stride_correction', 'stride correction'], ['stride_validation', 'stride validation'],
];
const figures: [string, string][] = [
  ['slip_mean_mm', 'slip, mean, mm'], ['slip_most_mm', 'slip, most, mm'], ['penetration_heel_mm', 'heel in ground, mm'],
  ['penetration_toe_mm', 'toe in ground, mm'], ['hovering_heel_mm', 'heel above, mm'], ['hovering_toe_mm', 'toe above, mm'],
];

function shown_value(slider: HTMLInputElement, unit: string): HTMLElement {
  const text = el('span', { class: 'soft number' }, `${slider.value} ${unit}`);
  slider.addEventListener('input', () => (text.textContent = `${slider.value} ${unit}`));
  return text;
}

class TerrainBench {
  private walkers: Walkers | null = null;
  private readonly held = new Set<string>();
  private readonly character = el('select', { 'aria-label': 'Character' });
  private readonly sculpt = el('input', { type: 'checkbox', 'data-sculpt': true });
  private readonly radius = el('input', { type: 'range', min: 0.2, max: 4, step: 0.1, value: 1, 'aria-label': 'Radius of the brush' });
  private readonly height = el('input', { type: 'range', min: 0.01, max: 0.3, step: 0.01, value: 0.06, 'aria-label': 'Height of a stroke' });
  private readonly curves = el('input', { type: 'checkbox', 'data-curves': true });
  private readonly elevation = el('div', {});
  private readonly options = el('div', {});
  private readonly table = el('table', { class: 'figures' });
  private readonly ring: Mesh;
  private stroke = 0;
  private sculpting = false;

  constructor(private readonly studio: Studio, root: HTMLElement) {
    this.ring = new Mesh(new RingGeometry(0.96, 1, 48), new MeshBasicMaterial({ depthTest: false, transparent: true }));
    this.ring.visible = false;
    this.ring.renderOrder = 6;
    studio.stage.scene.add(this.ring);
    root.append(el('h3', {}, 'Walk'), this.character, this.pads(),
      el('p', { class: 'soft' }, 'Arrow keys steer; Shift-click on the ground is a way-point.'),
      el('h3', {}, 'Feet'), this.options, el('label', { class: 'switch' }, this.curves, 'show the ways of the feet'), el('h3', {}, 'Ground'), this.elevation,
      el('label', { class: 'switch' }, this.sculpt, 'sculpt with the mouse', el('span', { class: 'key' }, 'S')),
      el('p', { class: 'soft' }, 'Drag raises, Shift-drag digs.'),
      el('label', { class: 'line' }, el('span', {}, 'radius'), this.radius, shown_value(this.radius, 'm')),
      el('label', { class: 'line' }, el('span', {}, 'stroke'), this.height, shown_value(this.height, 'm')),
      el('h3', {}, 'Quality, with and without'), this.table);
    this.curves.onchange = () => {
      if (this.walkers) this.walkers.foot_curves = this.curves.checked;
      studio.stage.touch();
    };
    this.character.onchange = () => this.choose(this.character.selectedIndex);
    studio.on('opened', () => this.open());
    studio.on('walk', (frame) => {
      this.walkers?.read(frame);
      studio.stage.touch();
    });
    studio.on('server', (event) => this.hear(event));
    this.keys();
    this.mouse();
  }

  private open(): void {
    this.walkers = null;
    this.held.clear();
    this.ring.visible = false;
    by_id('hint').textContent = '';
    const { describe, stage } = this.studio;
    if (!Walkers.fits(describe)) return;
    const walkers = new Walkers(describe.characters!, describe.terrains ?? [], stage.theme.ground,
      stage.theme.line, stage.theme.target, () => stage.home_on_guest());
    walkers.foot_curves = this.curves.checked;
    this.walkers = walkers;
    stage.receive(walkers);
    this.character.replaceChildren(...describe.characters!.map((c) => el('option', {}, c.name)));
    this.character.hidden = describe.characters!.length < 2;
    by_id('hint').textContent = 'Arrow keys steer the character.';
    this.elevation.replaceChildren(formula_line('elevation of x and y, m', String(describe.elevation ?? ''), async (text) => {
      await this.studio.connection.ask({ do: 'terrain', elevation: text });
    }));
    this.choose(0);
    void this.studio.act({ do: 'quality', on: true });
  }

  private choose(index: number): void {
    if (this.walkers) this.walkers.chosen = index;
    this.studio.stage.jump();
    const walker = this.studio.describe.characters?.[index];
    const options = walker?.options ?? {};
    const solver = el('select', { 'aria-label': 'Solver', onchange: () => this.set('solver', solver.value) },
      ...['adaptive', 'gradient_descent'].map((word) => el('option', { value: word, selected: options.solver === word }, word.replace('_', ' '))));
    this.options.replaceChildren(...switches.map(([name, label]) => {
      const box = el('input', { type: 'checkbox', 'data-option': name, onchange: () => this.set(name, box.checked) });
      box.checked = options[name] !== false;
      return el('label', { class: 'switch' }, box, label);
    }), ...(options.solver === undefined ? [] : [el('label', { class: 'line' }, el('span', {}, 'solver'), solver)]));
  }

  private set(option: string, value: unknown): void {
    void this.studio.act({ do: 'options', character: this.name(), [option]: value });
  }

  private name(): string {
    return this.studio.describe.characters?.[this.walkers?.chosen ?? 0]?.name ?? '';
  }

  private pads(): HTMLElement {
    const pad = (key: string, label: string): HTMLElement => el('button', {
      class: 'framed', 'data-steer': key, 'aria-label': key, onpointerdown: () => this.press(key, true), onpointerup: () => this.press(key, false),
      onpointerleave: () => this.press(key, false),
    }, label);
    return el('div', { class: 'pads' }, el('span', {}), pad('ArrowUp', '↑'), el('span', {}), pad('ArrowLeft', '←'), pad('ArrowDown', '↓'), pad('ArrowRight', '→'));
  }

  private press(key: string, down: boolean): void {
    if (!this.walkers || this.held.has(key) === down) return;
    if (down) this.held.add(key);
    else this.held.delete(key);
    const turn = turn_rate * (Number(this.held.has('ArrowLeft')) - Number(this.held.has('ArrowRight')));
    const walk = !this.held.has('ArrowDown') && (this.held.has('ArrowUp') || turn !== 0);
    void this.studio.act({ do: 'steer', character: this.name(), walk, turn });
  }

  private keys(): void {
    const group = 'Terrain';
    shortcut({ key: 'arrows', label: '← ↑ → ↓', group, what: 'steer the character' });
    shortcut({ key: 'mouse way', label: 'Shift-click', group, what: 'walk there' });
    shortcut({ key: 's', group, what: 'sculpt with the mouse', run: () => (this.sculpt.checked = !this.sculpt.checked) });
    const steer = (event: KeyboardEvent, down: boolean): void => {
      const typing = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
      if (!this.walkers || typing || !event.key.startsWith('Arrow') || event.target instanceof HTMLSelectElement) return;
      event.preventDefault();
      this.press(event.key, down);
    };
    window.addEventListener('keydown', (event) => steer(event, true));
    window.addEventListener('keyup', (event) => steer(event, false));
    window.addEventListener('blur', () => [...this.held].forEach((key) => this.press(key, false)));
  }

  private mouse(): void {
    const canvas = by_id<HTMLCanvasElement>('canvas');
    canvas.addEventListener('pointerdown', (event) => {
      if (!this.walkers || event.button !== 0) return;
      if (this.sculpt.checked) {
        event.stopImmediatePropagation();
        canvas.setPointerCapture(event.pointerId);
        this.sculpting = true;
        this.brush(event);
      } else if (event.shiftKey) {
        const point = this.walkers.pick_ground(this.studio.stage.ray(event.clientX, event.clientY));
        if (!point) return;
        event.stopImmediatePropagation();
        void this.studio.act({ do: 'goto', character: this.name(), path: [[point.x, point.y]] });
      }
    }, { capture: true });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.walkers || !this.sculpt.checked) {
        this.ring.visible = false;
        return;
      }
      if (this.sculpting) event.stopImmediatePropagation();
      this.brush(event);
    }, { capture: true });
    canvas.addEventListener('pointerup', () => (this.sculpting = false), { capture: true });
  }

  private brush(event: PointerEvent): void {
    const { stage } = this.studio;
    const point = this.walkers!.pick_ground(stage.ray(event.clientX, event.clientY));
    this.ring.visible = point !== null;
    if (!point) return;
    const radius = Number(this.radius.value);
    this.ring.position.copy(point);
    this.ring.scale.setScalar(radius);
    (this.ring.material as MeshBasicMaterial).color.copy(stage.theme.accent);
    stage.touch();
    const now = performance.now();
    if (!this.sculpting || now - this.stroke < sculpt_pause) return;
    this.stroke = now;
    const height = Number(this.height.value) * (event.shiftKey ? -1 : 1);
    void this.studio.act({ do: 'sculpt', x: point.x, y: point.y, radius, height });
  }

  private hear(event: ServerEvent): void {
    const { walkers } = this;
    if (event.event === 'terrain' && walkers) {
      const terrains = (event.terrains ?? []) as { asset: string }[];
      void Promise.all(terrains.map(({ asset }, i) => walkers.set_terrain(i, asset))).then(() => this.studio.stage.touch());
    }
    if (event.event === 'sculpted') {
      walkers?.sculpt(Number(event.x), Number(event.y), Number(event.radius), Number(event.height));
      this.studio.stage.touch();
    }
    if (event.event !== 'quality' || !this.walkers) return;
    const list = (event.characters ?? [event]) as Record<string, unknown>[];
    const mine = list.find((c) => c.name === this.name()) ?? list[0];
    if (mine) this.show_quality(mine, event.microseconds as number | undefined);
  }

  private show_quality(quality: Record<string, unknown>, micro: number | undefined): void {
    const adapted = (quality.adapted ?? {}) as Record<string, number>;
    const unadapted = (quality.unadapted ?? {}) as Record<string, number>;
    const cell = (value: number | undefined): HTMLElement => el('td', {}, value === undefined ? '–' : short_number(value));
    this.table.replaceChildren(
      el('thead', {}, el('tr', {}, el('th', {}), el('th', {}, 'adapted'), el('th', {}, 'clip'))),
      ...figures.filter(([key]) => key in adapted).map(([key, label]) =>
        el('tr', {}, el('th', {}, label), cell(adapted[key]), cell(unadapted[key]))),
      ...(micro === undefined ? [] : [el('tr', {}, el('th', {}, 'time per frame, µs'), cell(micro), cell(undefined))]));
  }
}

register({
  id: 'terrain',
  title: 'Terrain',
  key: 'e',
  fits: (studio) => Walkers.fits(studio.describe),
  mount(root, { studio }) {
    new TerrainBench(studio, root);
  },
});
