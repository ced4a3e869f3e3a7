// A brush that raises the ground, or digs with Shift, for as long as the button is held.
import { Mesh, MeshBasicMaterial, RingGeometry } from 'three';
import { by_id, el } from '../dom';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import type { Walkers } from '../view/walkers';

const pause = 90; // ms between two strokes

function shown_value(slider: HTMLInputElement, unit: string): HTMLElement {
  const text = el('span', { class: 'soft number' }, `${slider.value} ${unit}`);
  slider.addEventListener('input', () => (text.textContent = `${slider.value} ${unit}`));
  return text;
}

export class Brush {
  readonly controls: HTMLElement[];
  private readonly box = el('input', { type: 'checkbox', 'data-sculpt': true });
  private readonly radius = el('input', { type: 'range', min: 0.2, max: 4, step: 0.1, value: 1, 'aria-label': 'Radius of the brush' });
  private readonly height = el('input', { type: 'range', min: 0.01, max: 0.3, step: 0.01, value: 0.06, 'aria-label': 'Height of a stroke' });
  private readonly ring = new Mesh(new RingGeometry(0.96, 1, 48), new MeshBasicMaterial({ depthTest: false, transparent: true }));
  private walkers: Walkers | null = null;
  private at: { x: number; y: number } | null = null; // on the ground
  private digs = false;
  private timer = 0; // while the button is held

  constructor(private readonly studio: Studio) {
    this.ring.visible = false;
    this.ring.renderOrder = 6;
    studio.stage.scene.add(this.ring);
    this.controls = [
      el('div', { class: 'row' }, el('label', { class: 'switch' }, this.box, 'sculpt with the mouse', el('span', { class: 'key' }, 'S')),
        el('button', { class: 'framed', 'data-level': true, title: 'Take away all that was sculpted', onclick: () => void studio.act({ do: 'level' }) }, 'level')),
      el('p', { class: 'soft' }, 'Hold or drag to raise, with Shift to dig.'),
      el('label', { class: 'line' }, el('span', {}, 'radius'), this.radius, shown_value(this.radius, 'm')),
      el('label', { class: 'line' }, el('span', {}, 'stroke'), this.height, shown_value(this.height, 'm')),
    ];
    shortcut({ key: 's', group: 'Terrain', what: 'sculpt with the mouse', run: () => (this.box.checked = !this.box.checked) });
    studio.on('server', (event) => {
      if (event.event !== 'sculpted' || !this.walkers) return;
      this.walkers.ground.sculpt(Number(event.x), Number(event.y), Number(event.radius), Number(event.height));
      this.walkers.marks.plant();
      studio.stage.touch();
    });
    this.mouse();
  }

  get on(): boolean {
    return this.walkers !== null && this.box.checked;
  }

  paint_on(walkers: Walkers | null): void {
    this.stop();
    this.walkers = walkers;
    this.ring.visible = false;
  }

  private mouse(): void {
    const canvas = by_id<HTMLCanvasElement>('canvas');
    canvas.addEventListener('pointerdown', (event) => {
      if (!this.on || event.button !== 0) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      this.aim(event);
      this.stroke();
      this.timer = window.setInterval(() => this.stroke(), pause);
    }, { capture: true });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.on) {
        this.ring.visible = false;
        return;
      }
      if (this.timer) event.stopImmediatePropagation();
      this.aim(event);
    }, { capture: true });
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => this.stop(), { capture: true });
    canvas.addEventListener('pointerleave', () => (this.ring.visible = false));
  }

  private aim(event: PointerEvent): void {
    const { stage } = this.studio;
    const point = this.walkers!.ground.pick(stage.ray(event.clientX, event.clientY));
    this.at = point;
    this.digs = event.shiftKey;
    this.ring.visible = point !== null;
    stage.touch();
    if (!point) return;
    this.ring.position.copy(point);
    this.ring.scale.setScalar(Number(this.radius.value));
    this.ring.material.color.copy(this.digs ? stage.theme.contact : stage.theme.accent);
  }

  private stroke(): void {
    if (!this.at) return;
    const height = Number(this.height.value) * (this.digs ? -1 : 1);
    void this.studio.act({ do: 'sculpt', x: this.at.x, y: this.at.y, radius: Number(this.radius.value), height });
  }

  private stop(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
  }
}
