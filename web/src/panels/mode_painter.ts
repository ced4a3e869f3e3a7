// Small looping figures: one renderer draws all cells, one after another, and each cell keeps a copy.
import { DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
import { Kinematics } from '../kinematics';
import type { Model } from '../messages';
import { Figure } from '../view/figure';

const width = 112, height = 84; // pixels of the page
const largest_turn = 0.61; // rad: 35 degrees
const interval = 50; // ms between two ticks
const slow_frame = 40; // ms
const most_at_once = 8; // cells a tick; fewer where the machine lags, so that the view goes on

export interface Paintable {
  canvas: HTMLCanvasElement;
  hertz: number;
  shape: number[];
  visible: boolean;
  painted: boolean; // at least once
}

// Rest coordinates moved along a velocity: q (+) amount * shape.
export function deflected(model: Model, rest: number[], shape: number[], amount: number, out: Float64Array): void {
  let v = 0;
  for (const { joint } of model.bodies) {
    let c = joint.first;
    for (let k = joint.slides.length + joint.turns.length; k > 0; --k) out[c] = rest[c++] + amount * shape[v++];
    if (!joint.ball) continue;
    const x = amount * shape[v], y = amount * shape[v + 1], z = amount * shape[v + 2];
    v += 3;
    const angle = Math.hypot(x, y, z), s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
    const b = [Math.cos(angle / 2), s * x, s * y, s * z], a = rest.slice(c, c + 4);
    out[c] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[c + 1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[c + 2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[c + 3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  }
}

export class ModePainter {
  cells: Paintable[] = [];
  painted = 0; // pictures so far
  private readonly ratio = Math.min(window.devicePixelRatio, 2);
  private renderer: WebGLRenderer | null = null; // made when there is something to paint
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(30, width / height, 0.05, 100);
  private figure: Figure | null = null;
  private kinematics: Kinematics | null = null;
  private model: Model | null = null;
  private rest: number[] = [];
  private q = new Float64Array(0);
  private next = 0;
  private batch = most_at_once;
  private last_frame = 0; // ms
  private last_tick = 0;
  private request = 0;

  constructor() {
    const sun = new DirectionalLight(0xffffff, 2.2), sky = new HemisphereLight(0xffffff, 0x8a8378, 1.7);
    sun.position.set(2, -3, 4);
    sky.position.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    this.scene.add(sun, sky);
  }

  show(model: Model, rest: number[]): void {
    if (!this.renderer) {
      this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
      this.renderer.setPixelRatio(this.ratio);
      this.renderer.setSize(width, height, false);
      this.renderer.setClearAlpha(0);
    }
    this.figure?.dispose();
    this.model = model;
    this.rest = rest;
    this.q = new Float64Array(model.coordinates);
    this.figure = new Figure(model, true);
    this.kinematics = new Kinematics(model);
    this.kinematics.update(rest);
    const { center, radius } = this.figure.extent(this.kinematics.poses);
    const distance = 0.8 * radius / Math.tan(15 * Math.PI / 180);
    this.camera.position.copy(center).addScaledVector(new Vector3(0.75, -1, 0.25).normalize(), distance);
    this.camera.lookAt(center);
    this.scene.add(this.figure.group);
  }

  make_canvas(): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(width * this.ratio);
    canvas.height = Math.floor(height * this.ratio);
    return canvas;
  }

  // By the frames of the page, not by a clock: where pixels are slow the view must not wait for the cells.
  run(on: boolean): void {
    cancelAnimationFrame(this.request);
    if (!on) return;
    const go_on = (now: number): void => {
      this.request = requestAnimationFrame(go_on);
      const frame = now - this.last_frame, slow = frame > slow_frame;
      this.last_frame = now;
      this.batch = slow ? Math.max(1, this.batch >> 1) : Math.min(most_at_once, this.batch + 1);
      const waits = this.cells.some((cell) => cell.visible && !cell.painted); // an empty cell is worse than a slow one
      if (now - this.last_tick < (slow && !waits ? 8 * frame : interval)) return;
      this.last_tick = now;
      this.tick(now / 1000);
    };
    this.request = requestAnimationFrame(go_on);
  }

  private tick(seconds: number): void {
    const visible = this.cells.filter((cell) => cell.visible), empty = visible.filter((cell) => !cell.painted);
    const seen = empty.length ? empty : visible;
    if (!this.renderer || !this.figure || !this.model) return;
    for (let n = Math.min(seen.length, empty.length ? most_at_once : this.batch); n > 0; --n) {
      const cell = seen[this.next++ % seen.length];
      cell.painted = true;
      const hertz = Math.min(Math.max(cell.hertz, 0.4), 1.25);
      deflected(this.model, this.rest, cell.shape, largest_turn * Math.sin(2 * Math.PI * hertz * seconds), this.q);
      this.kinematics!.update(this.q);
      this.figure.update(this.kinematics!.poses);
      this.renderer.render(this.scene, this.camera);
      const context = cell.canvas.getContext('2d')!;
      context.clearRect(0, 0, cell.canvas.width, cell.canvas.height);
      context.drawImage(this.renderer.domElement, 0, 0);
      this.painted += 1;
    }
  }
}
