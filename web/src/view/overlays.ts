// What can be switched on over the figure: joints and how hard they are loaded, frames, contacts,
// forces, centre of mass, trails, ghosts; and the springs, which are always shown.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, DynamicDrawUsage, Group, InstancedMesh,
  Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial,
  NearestFilter, SphereGeometry, SRGBColorSpace, type Scene,
} from 'three';
import { point_in_world, turn } from '../kinematics';
import type { FootCycle, Model } from '../messages';
import { Arrows } from './arrows';
import { Coils } from './coils';
import { Figure } from './figure';
import { FootLoops } from './foot_loops';
import { Stress } from './stress';
import type { Theme } from './theme';

export const toggle_names = [
  'joints', 'stress', 'frames', 'contacts', 'forces', 'center', 'feet', 'trails', 'ghosts',
] as const;
export type Toggle = (typeof toggle_names)[number];
export type Toggles = Record<Toggle, boolean>;

const most_contacts = 2000;
const trail_points = 240;
const most_trails = 24;
const ghost_count = 4;
const ghost_gap = 0.2; // s between ghosts

function lines(count: number, material: LineBasicMaterial, colors = false): LineSegments {
  const geometry = new BufferGeometry();
  const position = new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
  geometry.setAttribute('position', position);
  if (colors) geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * count), 3));
  const out = new LineSegments(geometry, material);
  out.frustumCulled = false;
  return out;
}

function checkered_ball(): Mesh {
  const canvas = document.createElement('canvas');
  canvas.width = 4;
  canvas.height = 2;
  const context = canvas.getContext('2d')!;
  for (let i = 0; i < 8; ++i) {
    context.fillStyle = (i % 4 + Math.floor(i / 4)) % 2 ? '#111' : '#fff';
    context.fillRect(i % 4, Math.floor(i / 4), 1, 1);
  }
  const map = new CanvasTexture(canvas);
  map.magFilter = map.minFilter = NearestFilter;
  map.colorSpace = SRGBColorSpace;
  const ball = new Mesh(new SphereGeometry(1, 24, 16), new MeshBasicMaterial({ map, depthTest: false }));
  ball.rotation.x = Math.PI / 2;
  ball.renderOrder = 5;
  return ball;
}

interface Past {
  t: number;
  poses: Float64Array;
}

export class Overlays {
  contacts: Float32Array = new Float32Array(0); // x y z and force, six numbers each
  pull: { from: number[]; to: number[] } | null = null; // of the hand
  readonly pushes: { from: number[]; force: number[]; until: number }[] = [];
  private readonly group = new Group();
  private readonly forces = new Arrows(most_contacts);
  private readonly hand = new Arrows(16);
  private readonly touch_points: InstancedMesh;
  private readonly joint_points: InstancedMesh;
  private readonly joint_material = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly touch_material = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly frame_lines: LineSegments;
  private readonly coils: Coils;
  readonly stress: Stress;
  readonly feet: FootLoops | null;
  private readonly center = checkered_ball();
  private readonly trails: Line[] = [];
  private readonly trail_bodies: number[];
  private readonly ghosts: Figure[] = [];
  private past: Past[] = [];
  private coordinates: ArrayLike<number> = []; // of the last frame
  private measured = true; // is its stress known?
  private readonly movers: number[];
  private readonly weight: number;
  private readonly force_scale: number;

  constructor(private readonly scene: Scene, private readonly model: Model, cycle: FootCycle | null,
              private readonly toggles: Toggles, private readonly size: number, theme: Theme) {
    const dot = new SphereGeometry(1, 12, 8);
    this.joint_points = new InstancedMesh(dot, this.joint_material, Math.max(1, model.bodies.length));
    this.touch_points = new InstancedMesh(dot, this.touch_material, most_contacts);
    for (const mesh of [this.joint_points, this.touch_points]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 4;
    }
    const axes = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.frame_lines = lines(6 * model.bodies.length, axes, true);
    this.frame_lines.renderOrder = 4;
    this.color_frames();
    this.movers = model.bodies.flatMap((b, i) => (b.immobile || !(b.mass > 0) ? [] : [i]));
    this.weight = 9.81 * this.movers.reduce((sum, i) => sum + model.bodies[i].mass, 0);
    this.force_scale = 0.9 * size / Math.max(this.weight, 1e-9);
    this.trail_bodies = this.choose_trails();
    this.coils = new Coils(model.springs ?? [], size);
    this.stress = new Stress(model, size);
    this.feet = cycle ? new FootLoops(model, cycle) : null;
    if (this.feet) scene.add(this.feet.group);
    this.make_trails();
    this.group.add(this.coils.group, this.stress.group, this.forces.group, this.hand.group, this.touch_points, this.joint_points,
      this.frame_lines, this.center);
    scene.add(this.group);
    this.paint(theme);
  }

  paint(theme: Theme): void {
    this.forces.paint(theme.contact);
    this.hand.paint(theme.accent);
    this.touch_material.color.copy(theme.contact);
    this.joint_material.color.copy(theme.accent);
    this.coils.paint(theme);
    this.stress.paint(theme);
    this.feet?.paint(theme);
    this.trails.forEach((trail, i) => {
      const color = new Color().setHSL((0.58 + 0.137 * i) % 1, 0.55, theme.dark ? 0.65 : 0.42);
      (trail.material as LineBasicMaterial).color.copy(color);
    });
  }

  // Bodies that carry no other ones show the motion best; with few bodies, all do.
  private choose_trails(): number[] {
    const parents = new Set(this.model.bodies.map((b) => b.parent));
    const tips = this.movers.filter((i) => !parents.has(i));
    return (this.movers.length <= 6 ? this.movers : tips).slice(0, most_trails);
  }

  private make_trails(): void {
    for (let k = 0; k < this.trail_bodies.length; ++k) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * trail_points), 3));
      const trail = new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.85 }));
      trail.frustumCulled = false;
      this.trails.push(trail);
      this.group.add(trail);
    }
  }

  private color_frames(): void {
    const colors = this.frame_lines.geometry.getAttribute('color') as BufferAttribute;
    const xyz = [[0.86, 0.24, 0.24], [0.2, 0.66, 0.3], [0.25, 0.45, 0.95]];
    for (let i = 0; i < colors.count; ++i) {
      const [r, g, b] = xyz[Math.floor((i % 6) / 2)];
      colors.setXYZ(i, r, g, b);
    }
  }

  // A new frame of the run; a jump in time forgets trails and ghosts.
  record(t: number, poses: Float64Array, coordinates: ArrayLike<number>): void {
    this.feet?.record(t, poses);
    this.measured = false;
    this.coordinates = coordinates;
    const last = this.past[this.past.length - 1];
    if (last && t === last.t) this.past.pop(); // the same moment again: a pause
    else if (last && (t < last.t || t > last.t + 1)) this.past = [];
    this.past.push({ t, poses: poses.slice() });
    while (this.past.length > trail_points) this.past.shift();
  }

  update(poses: Float64Array, now: number): void {
    const { toggles } = this;
    this.joint_points.visible = toggles.joints;
    this.frame_lines.visible = toggles.frames;
    this.touch_points.visible = toggles.contacts;
    this.forces.group.visible = toggles.forces && this.contacts.length > 0;
    this.center.visible = toggles.center && this.movers.length > 0;
    this.stress.group.visible = toggles.stress;
    if (toggles.joints) this.show_joints(poses);
    if (toggles.stress) this.show_stress(poses);
    if (this.feet) {
      this.feet.group.visible = toggles.feet;
      if (toggles.feet) this.feet.update(poses);
    }
    if (toggles.frames) this.show_frames(poses);
    if (toggles.contacts || toggles.forces) this.show_contacts();
    if (toggles.center) this.show_center(poses);
    this.coils.update(poses);
    for (const trail of this.trails) trail.visible = toggles.trails && this.past.length > 1;
    if (toggles.trails) this.show_trails();
    this.show_ghosts();
    this.show_hand(now);
  }

  center_of_mass(poses: Float64Array): number[] {
    const sum = [0, 0, 0];
    let mass = 0;
    for (const i of this.movers) {
      const { mass: m, com } = this.model.bodies[i];
      const p = point_in_world(poses, i, com ?? [0, 0, 0]);
      for (let k = 0; k < 3; ++k) sum[k] += m * p[k];
      mass += m;
    }
    return mass > 0 ? sum.map((s) => s / mass) : sum;
  }

  private show_joints(poses: Float64Array): void {
    const r = 0.013 * this.size;
    const matrix = new Matrix4();
    let count = 0;
    this.model.bodies.forEach((body, i) => {
      if (body.joint.type === 'free' || body.joint.type === 'fixed') return;
      const [x, y, z] = point_in_world(poses, i, body.joint.p_BM);
      this.joint_points.setMatrixAt(count++, matrix.makeScale(r, r, r).setPosition(x, y, z));
    });
    this.joint_points.count = count;
    this.joint_points.instanceMatrix.needsUpdate = true;
  }

  private show_stress(poses: Float64Array): void {
    if (!this.measured) this.stress.measure(this.past[this.past.length - 1].t, this.coordinates);
    this.measured = true;
    this.stress.show(poses);
  }

  private show_frames(poses: Float64Array): void {
    const out = this.frame_lines.geometry.getAttribute('position') as BufferAttribute;
    const array = out.array as Float32Array;
    const length = 0.09 * this.size, axis = [0, 0, 0];
    let o = 0;
    for (let i = 0; i < this.model.bodies.length; ++i) {
      for (let k = 0; k < 3; ++k) {
        axis[0] = axis[1] = axis[2] = 0;
        axis[k] = length;
        turn(poses, 7 * i + 3, axis, axis);
        for (let c = 0; c < 3; ++c) array[o++] = poses[7 * i + c];
        for (let c = 0; c < 3; ++c) array[o++] = poses[7 * i + c] + axis[c];
      }
    }
    out.needsUpdate = true;
  }

  private show_contacts(): void {
    const c = this.contacts, r = 0.009 * this.size, thick = 0.005 * this.size;
    const matrix = new Matrix4();
    const count = Math.min(most_contacts, Math.floor(c.length / 6));
    this.forces.clear();
    for (let i = 0; i < count; ++i) {
      const o = 6 * i;
      this.touch_points.setMatrixAt(i, matrix.makeScale(r, r, r).setPosition(c[o], c[o + 1], c[o + 2]));
      const s = this.arrow_scale(Math.hypot(c[o + 3], c[o + 4], c[o + 5]));
      this.forces.add(c[o], c[o + 1], c[o + 2], s * c[o + 3], s * c[o + 4], s * c[o + 5], thick);
    }
    this.forces.done();
    this.touch_points.count = count;
    this.touch_points.instanceMatrix.needsUpdate = true;
  }

  // Metres per newton: the whole weight is about as long as the figure; impacts are cut.
  private arrow_scale(force: number): number {
    return Math.min(this.force_scale, 1.5 * this.size / Math.max(force, 1e-12));
  }

  private show_center(poses: Float64Array): void {
    const [x, y, z] = this.center_of_mass(poses);
    this.center.position.set(x, y, z);
    this.center.scale.setScalar(0.04 * this.size);
  }

  private show_trails(): void {
    this.trails.forEach((trail, k) => {
      const body = this.trail_bodies[k];
      const com = this.model.bodies[body].com ?? [0, 0, 0];
      const out = trail.geometry.getAttribute('position') as BufferAttribute;
      this.past.forEach(({ poses }, i) => {
        const p = point_in_world(poses, body, com);
        out.setXYZ(i, p[0], p[1], p[2]);
      });
      out.needsUpdate = true;
      trail.geometry.setDrawRange(0, this.past.length);
    });
  }

  private show_ghosts(): void {
    if (this.toggles.ghosts && this.ghosts.length === 0) {
      for (let i = 0; i < ghost_count; ++i) {
        const ghost = new Figure(this.moving_model(), true, 0.25);
        this.ghosts.push(ghost);
        this.scene.add(ghost.group);
      }
    }
    const last = this.past[this.past.length - 1];
    this.ghosts.forEach((ghost, i) => {
      const t = last ? last.t - (i + 1) * ghost_gap : 0;
      const past = this.past.find((p) => p.t >= t);
      ghost.group.visible = this.toggles.ghosts && past !== undefined && past !== last &&
        this.past[0].t <= t;
      if (ghost.group.visible && past) ghost.update(past.poses);
    });
  }

  private moving_model(): Model {
    const bodies = this.model.bodies.map((b) => (b.immobile ? { ...b, shapes: [] } : b));
    return { ...this.model, bodies };
  }

  private show_hand(now: number): void {
    const thick = 0.007 * this.size;
    this.hand.clear();
    if (this.pull) {
      const { from: a, to: b } = this.pull;
      this.hand.add(a[0], a[1], a[2], b[0] - a[0], b[1] - a[1], b[2] - a[2], thick);
    }
    for (let i = this.pushes.length - 1; i >= 0; --i) {
      const { from, force, until } = this.pushes[i];
      if (until < now) {
        this.pushes.splice(i, 1);
        continue;
      }
      const s = 0.8 * this.size / Math.max(Math.hypot(...force), 1e-9);
      const d = force.map((f) => f * s);
      this.hand.add(from[0] - d[0], from[1] - d[1], from[2] - d[2], d[0], d[1], d[2], thick);
    }
    this.hand.done();
  }

  // Something in here moves by itself, even when the run stands still.
  get restless(): boolean {
    return this.pull !== null || this.pushes.length > 0;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((object) => {
      const mesh = object as Mesh;
      mesh.geometry?.dispose();
      if (mesh.material instanceof MeshStandardMaterial) mesh.material.dispose();
    });
    this.stress.dispose();
    this.feet?.dispose();
    for (const ghost of this.ghosts) ghost.dispose();
  }
}
