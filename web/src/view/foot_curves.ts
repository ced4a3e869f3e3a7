// The ways of the feet of a walker: where they went (ink), where they should have (green), and dots
// where they shall go until they land.
import {
  BufferAttribute, BufferGeometry, Group, InstancedMesh, Line, LineBasicMaterial, Matrix4, MeshBasicMaterial, SphereGeometry,
} from 'three';
import type { Theme } from './theme';

const plan_points = 8;
export const numbers_per_foot = 3 * (2 + plan_points); // of a frame
const points = 360; // six seconds at sixty frames
const farthest_step = 1; // m from frame to frame: farther is a jump in time

class Curve {
  readonly line: Line;
  private count = 0;

  constructor(material: LineBasicMaterial) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
    this.line = new Line(geometry, material);
    this.line.frustumCulled = false;
  }

  get length(): number {
    return this.count;
  }

  add(x: number, y: number, z: number): void {
    const position = this.line.geometry.getAttribute('position') as BufferAttribute;
    const array = position.array as Float32Array, last = 3 * (this.count - 1);
    if (last >= 0 && Math.hypot(x - array[last], y - array[last + 1], z - array[last + 2]) > farthest_step) this.count = 0;
    if (this.count === points) array.copyWithin(0, 3);
    else this.count += 1;
    array.set([x, y, z], 3 * (this.count - 1));
    position.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.count);
  }

  forget(): void {
    this.count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  // The last point.
  get end(): number[] {
    return [...(this.line.geometry.getAttribute('position').array as Float32Array).slice(3 * this.count - 3, 3 * this.count)];
  }
}

export class FootCurves {
  readonly group = new Group();
  private readonly feet: { real: Curve; target: Curve }[];
  private readonly real_material = new LineBasicMaterial();
  private readonly target_material = new LineBasicMaterial();
  private readonly dot_material = new MeshBasicMaterial();
  private readonly dots: InstancedMesh;
  private readonly matrix = new Matrix4();

  constructor(count: number) {
    this.feet = Array.from({ length: count }, () => ({ real: new Curve(this.real_material), target: new Curve(this.target_material) }));
    this.dots = new InstancedMesh(new SphereGeometry(1, 10, 8), this.dot_material, Math.max(1, plan_points * count));
    this.dots.frustumCulled = false;
    this.dots.count = 0;
    this.group.add(this.dots, ...this.feet.flatMap(({ real, target }) => [target.line, real.line]));
  }

  paint(theme: Theme): void {
    this.real_material.color.copy(theme.ink);
    this.target_material.color.copy(theme.target);
    this.dot_material.color.copy(theme.target);
  }

  forget(): void {
    for (const { real, target } of this.feet) {
      real.forget();
      target.forget();
    }
    this.dots.count = 0;
  }

  // Where each foot shall be, where it is, and points of its way until it lands; returns how far it
  // has read.
  record(values: Float32Array, at: number): number {
    let dot = 0;
    for (const { target, real } of this.feet) {
      target.add(values[at], values[at + 1], values[at + 2]);
      real.add(values[at + 3], values[at + 4], values[at + 5]);
      at += 6;
      const end = at + 3 * (plan_points - 1);
      const stands = Math.hypot(values[end] - values[at], values[end + 1] - values[at + 1], values[end + 2] - values[at + 2]) < 1e-3;
      for (let k = 0; k < plan_points; ++k, at += 3) {
        if (stands) continue;
        const r = k === plan_points - 1 ? 0.028 : 0.012;
        this.dots.setMatrixAt(dot++, this.matrix.makeScale(r, r, r).setPosition(values[at], values[at + 1], values[at + 2]));
      }
    }
    this.dots.count = dot;
    this.dots.instanceMatrix.needsUpdate = true;
    return at;
  }

  // How far the last real point of each foot is from its target, m.
  get misses(): number[] {
    return this.feet.flatMap(({ real, target }) => {
      if (!real.length || !target.length) return [];
      const [a, b] = [real.end, target.end];
      return [Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])];
    });
  }

  get planned(): number {
    return this.dots.count;
  }

  dispose(): void {
    for (const { real, target } of this.feet) {
      real.line.geometry.dispose();
      target.line.geometry.dispose();
    }
    this.dots.geometry.dispose();
    this.dots.dispose();
    for (const material of [this.real_material, this.target_material, this.dot_material]) material.dispose();
    this.group.removeFromParent();
  }
}
