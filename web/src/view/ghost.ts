// A second figure of the same model beside the first, and what the two are called: the best candidate while
// it is searched for, at a quarter of its opacity, then the result.
import { Vector3 } from 'three';
import { by_id, el } from '../dom';
import { blend_poses, Kinematics } from '../kinematics';
import type { ServerEvent } from '../messages';
import type { Studio } from '../studio';
import { Figure } from './figure';

const candidate_opacity = 0.25;
const longest_blend = 100; // ms

export class Ghost {
  seen = 0; // frames
  private figure: Figure | null = null;
  private kinematics: Kinematics | null = null;
  private searching = true;
  private older = new Float64Array(0);
  private newer = new Float64Array(0);
  private drawn = new Float64Array(0);
  private arrived = 0;
  private interval = 33; // ms between frames, smoothed
  private root = 0; // body above which the names are
  private height = 0; // of the names above the ground
  private readonly own_name = el('div', { class: 'figure-name', hidden: true }, 'sketch');
  private readonly name = el('div', { class: 'figure-name', hidden: true });

  constructor(private readonly studio: Studio) {
    by_id('view').append(this.own_name, this.name);
    studio.on('opened', ({ describe }) => {
      this.forget();
      this.hear((describe.training as { state?: string } | undefined)?.state);
    });
    studio.on('reshaped', () => this.forget());
    studio.on('server', (event: ServerEvent) => event.event === 'training' && this.hear(event.state));
    studio.on('ghost', (coordinates) => this.show(coordinates));
    studio.stage.before_draw.push(() => this.draw());
  }

  private forget(): void {
    this.figure?.dispose();
    this.figure = this.kinematics = null;
    this.seen = 0;
    this.own_name.hidden = this.name.hidden = true;
  }

  private hear(state: unknown): void {
    const searching = state === 'running';
    this.name.textContent = searching ? 'best so far' : 'result';
    this.name.classList.toggle('candidate', searching);
    if (searching === this.searching) return;
    this.searching = searching;
    this.forget();
  }

  private show(coordinates: Float32Array): void {
    const { describe, stage } = this.studio;
    if (!describe.model || coordinates.length < describe.model.coordinates) return;
    if (!this.figure) this.appear(coordinates);
    const now = performance.now();
    [this.older, this.newer] = [this.newer, this.older];
    this.kinematics!.update(coordinates, this.newer);
    this.interval += 0.2 * (Math.min(now - this.arrived, longest_blend) - this.interval);
    this.arrived = now;
    this.seen += 1;
    stage.touch();
  }

  private appear(coordinates: Float32Array): void {
    const { stage } = this.studio, model = this.studio.describe.model!;
    this.figure = new Figure(model, true, this.searching ? candidate_opacity : 1);
    this.kinematics = new Kinematics(model);
    this.kinematics.update(coordinates);
    const { poses } = this.kinematics;
    this.newer = poses.slice();
    this.older = poses.slice();
    this.drawn = poses.slice();
    this.root = Math.max(model.bodies.findIndex((body) => !body.immobile), 0);
    const { center, lowest } = this.figure.extent(poses);
    this.height = center.z + 1.12 * (center.z - lowest); // a little above the head
    stage.scene.add(this.figure.group);
  }

  private draw(): void {
    if (!this.figure) return;
    const u = (performance.now() - this.arrived) / Math.max(this.interval, 1);
    blend_poses(this.older, this.newer, Math.min(Math.max(u, 0), 1), this.drawn);
    this.figure.update(this.drawn);
    this.put_above(this.own_name, this.studio.stage.poses);
    this.put_above(this.name, this.drawn);
  }

  private put_above(name: HTMLElement, poses: Float64Array): void {
    const { camera } = this.studio.stage.cameras, view = by_id('view');
    const p = new Vector3(poses[7 * this.root], poses[7 * this.root + 1], this.height).project(camera);
    name.hidden = p.z > 1;
    name.style.left = `${(100 * (p.x + 1) / 2).toFixed(2)}%`;
    name.style.top = `${Math.max(0.5 * view.clientHeight * (1 - p.y), name.offsetHeight).toFixed(1)}px`;
  }
}
