// Ground and those who walk on it: chosen, by a formula or sculpted; steering by the arrow keys and
// way-points; the options of inverse kinematics, and how good the walk is.
import { by_id, el, short_number } from '../dom';
import type { ServerEvent, Terrain, Walker } from '../messages';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import { Walkers } from '../view/walkers';
import { formula_line } from './forces';
import { register } from './registry';
import { Brush } from './terrain_brush';

const turn_rate = 0.9; // rad/s while an arrow key is held
const switches: [string, string][] = [
  ['inverse_kinematics', 'inverse kinematics'], ['stride_correction', 'stride correction'], ['stride_validation', 'stride validation'],
];
const figures: [string, string][] = [
  ['slip_mean_mm', 'slip, mean, mm'], ['slip_most_mm', 'slip, most, mm'], ['penetration_heel_mm', 'heel in ground, mm'],
  ['penetration_toe_mm', 'toe in ground, mm'], ['hovering_heel_mm', 'heel above, mm'], ['hovering_toe_mm', 'toe above, mm'],
];
const everybody = '*';
const own_ground = 'of this walk', formula_ground = 'by the formula below';

function ground_name(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.terrain\.json$/, '').replaceAll('_', ' ');
}

class TerrainBench {
  private walkers: Walkers | null = null;
  private readonly held = new Set<string>();
  private readonly character = el('select', { 'aria-label': 'Who is steered' });
  private readonly ground = el('select', { 'aria-label': 'Ground' });
  private readonly elevation = el('div', {});
  private readonly options = el('div', {});
  private readonly feet = el('input', { type: 'checkbox', 'data-feet': true });
  private readonly table = el('table', { class: 'figures' });
  private readonly brush: Brush;

  constructor(private readonly studio: Studio, root: HTMLElement) {
    this.brush = new Brush(studio);
    root.append(el('h3', {}, 'Walk'),
      el('div', { class: 'line wide' }, el('span', {}, 'steer'), el('div', { class: 'row tight' }, this.character,
        el('button', { class: 'framed', 'data-add': true, title: 'One more of the kind, beside it', onclick: () => void this.add() }, '+ add'))),
      el('div', { class: 'row' }, this.pads(),
        el('button', { class: 'framed', 'data-rest': true, title: 'Stand still, forget the way-points', onclick: () => void this.send_to([], false) }, 'rest')),
      el('p', { class: 'soft' }, 'Arrow keys steer. Shift-click on the ground adds a way-point.'),
      el('h3', {}, 'Quality of the last 3 s'), this.table,
      el('h3', {}, 'Ground'), el('label', { class: 'line wide' }, el('span', {}, 'shape'), this.ground), this.elevation, ...this.brush.controls,
      el('h3', {}, 'Feet'), this.options,
      el('label', { class: 'switch' }, this.feet, 'ways of the feet', el('span', { class: 'key' }, 'W')),
      el('p', { class: 'soft' }, 'Green: where a foot shall go, with dots until it lands. Plain: where it went.'));
    this.feet.onchange = () => studio.toggle('feet', this.feet.checked);
    studio.on('toggled', () => this.show_feet());
    this.character.onchange = () => this.choose();
    this.ground.onchange = () => void this.choose_ground();
    studio.on('opened', () => this.open());
    studio.on('walk', (frame) => {
      this.walkers?.read(frame);
      studio.stage.touch();
    });
    studio.on('feet', (values) => this.walkers?.read_feet(values));
    studio.on('server', (event) => this.hear(event));
    this.keys();
    this.way_points();
  }

  private open(): void {
    this.held.clear();
    by_id('hint').textContent = '';
    const { describe, stage } = this.studio;
    this.walkers = Walkers.fits(describe)
      ? new Walkers(describe.characters!, describe.terrains ?? [], stage.theme, () => stage.home_on_guest()) : null;
    this.brush.paint_on(this.walkers);
    if (!this.walkers) return;
    this.show_feet();
    stage.receive(this.walkers);
    this.list_characters(describe.characters![0].name);
    by_id('hint').textContent = 'Arrow keys steer the character.';
    this.show_ground(describe.ground ?? '', describe.elevation ?? '');
    this.table.replaceChildren();
    this.choose();
    void this.studio.act({ do: 'quality', on: true });
  }

  private show_feet(): void {
    this.feet.checked = this.studio.is_on('feet');
    if (this.walkers) this.walkers.foot_curves = this.feet.checked;
  }

  private get characters(): Walker[] {
    return this.studio.describe.characters ?? [];
  }

  private list_characters(chosen: string): void {
    const names = this.characters.map((c) => c.name);
    this.character.replaceChildren(...names.map((name) => el('option', { value: name }, name)),
      ...(names.length > 1 ? [el('option', { value: everybody }, `all ${names.length}`)] : []));
    this.character.value = chosen;
  }

  // Who is steered, and what the switches say of it.
  private choose(): void {
    const index = Math.max(0, this.characters.findIndex((c) => c.name === this.character.value));
    if (this.walkers) {
      this.walkers.chosen = index;
      this.walkers.everybody = this.character.value === everybody;
    }
    this.studio.stage.jump();
    this.studio.stage.touch();
    const options = this.characters[index]?.options ?? {};
    const solver = el('select', { 'aria-label': 'Solver', onchange: () => void this.set('solver', solver.value) },
      ...((this.studio.describe.solvers ?? []) as string[]).map((word) => el('option', { value: word, selected: options.solver === word }, word.replace('_', ' '))));
    this.options.replaceChildren(...switches.map(([name, label]) => {
      const box = el('input', { type: 'checkbox', 'data-option': name, onchange: () => void this.set(name, box.checked) });
      box.checked = options[name] !== false;
      return el('label', { class: 'switch' }, box, label);
    }), el('label', { class: 'line wide' }, el('span', {}, 'solver'), solver));
  }

  private async set(option: string, value: unknown): Promise<void> {
    const answer = await this.studio.act({ do: 'options', character: this.character.value, [option]: value });
    if (answer) {
      for (const c of this.characters) if (this.steers(c)) c.options = { ...c.options, [option]: value };
    }
    this.choose(); // a refused one is switched back
  }

  private steers(character: Walker): boolean {
    return this.character.value === everybody || character.name === this.character.value;
  }

  // Beside the one that is chosen, so that nobody stands in another.
  private async add(): Promise<void> {
    const place = this.studio.stage.guest_place();
    if (!place) return;
    const n = this.characters.length, r = 1.1 * Math.sqrt(n), angle = 2.4 * n;
    const like = this.characters[this.walkers?.chosen ?? 0].name;
    const answer = await this.studio.act({ do: 'add', character: like, x: place.x + r * Math.cos(angle), y: place.y + r * Math.sin(angle) });
    if (answer && this.character.value !== everybody) this.character.value = String(answer.name);
    this.choose();
  }

  private show_ground(file: string, formula: string): void {
    const shown = file || (formula ? formula_ground : own_ground);
    const files = this.studio.describe.grounds ?? [];
    this.ground.replaceChildren(
      ...(file || files.includes(file) ? [] : [el('option', { value: shown, disabled: true }, shown)]),
      ...files.map((f) => el('option', { value: f }, ground_name(f))));
    this.ground.value = shown;
    this.elevation.replaceChildren(formula_line('elevation of x and y, m', formula, async (text) => {
      await this.studio.connection.ask({ do: 'terrain', elevation: text });
    }));
  }

  private async choose_ground(): Promise<void> {
    const { describe } = this.studio;
    const answer = await this.studio.act({ do: 'terrain', file: this.ground.value });
    if (!answer) this.show_ground(describe.ground ?? '', describe.elevation ?? '');
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
    void this.studio.act({ do: 'steer', character: this.character.value, walk, turn });
  }

  private keys(): void {
    const group = 'Terrain';
    shortcut({ key: 'arrows', label: '← ↑ → ↓', group, what: 'steer the character' });
    shortcut({ key: 'mouse way', label: 'Shift-click', group, what: 'walk there, after other way-points' });
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

  private way_points(): void {
    by_id<HTMLCanvasElement>('canvas').addEventListener('pointerdown', (event) => {
      if (!this.walkers || this.brush.on || event.button !== 0 || !event.shiftKey) return;
      const point = this.walkers.ground.pick(this.studio.stage.ray(event.clientX, event.clientY));
      if (!point) return;
      event.stopImmediatePropagation();
      void this.send_to([[point.x, point.y]], true);
    }, { capture: true });
  }

  private send_to(path: [number, number][], behind: boolean): Promise<unknown> {
    return this.studio.act({ do: 'goto', character: this.character.value, path, behind });
  }

  private hear(event: ServerEvent): void {
    const { walkers, studio } = this;
    if (!walkers) return;
    if (event.event === 'terrain') {
      studio.describe.ground = String(event.ground ?? '');
      studio.describe.elevation = String(event.elevation ?? '');
      this.show_ground(studio.describe.ground, studio.describe.elevation);
      void walkers.set_terrains(event.terrains as Terrain[]).then(() => studio.stage.touch());
    }
    if (event.event === 'character') {
      void walkers.add(event.character as Walker); // into the list of the description, too
      this.list_characters(this.character.value);
    }
    if (event.event === 'ways') walkers.marks.set(event.ways as [number, number][][]);
    if (event.event === 'quality') this.show_quality(event);
  }

  private show_quality(event: ServerEvent): void {
    const list = event.characters as Record<string, unknown>[];
    const mine = list.find((c) => c.name === this.character.value) ?? list[0];
    const adapted = (mine?.adapted ?? {}) as Record<string, number>;
    const alone = (mine?.unadapted ?? {}) as Record<string, number>;
    const cell = (value: number | undefined): HTMLElement => el('td', {}, value === undefined ? '–' : short_number(Number(value.toPrecision(3))));
    this.table.replaceChildren(
      el('thead', {}, el('tr', {}, el('th', {}), el('th', {}, 'adapted'), el('th', {}, 'clip alone'))),
      ...figures.filter(([key]) => key in adapted).map(([key, label]) =>
        el('tr', { 'data-figure': key }, el('th', {}, label), cell(adapted[key]), cell(alone[key]))),
      el('tr', { 'data-figure': 'microseconds' }, el('th', {}, 'µs a character'), cell(event.microseconds as number), cell(undefined)));
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
