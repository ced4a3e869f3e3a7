// Springs between points, drawn as coils of lines.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from 'three';
import { point_in_world } from '../kinematics';
import type { Spring } from '../messages';
import type { Theme } from './theme';

const turns = 9;
const points = 14 * turns;

export class Coils {
  readonly group = new Group();
  private readonly material = new LineBasicMaterial();
  private readonly lines: Line[];

  constructor(private readonly springs: Spring[], private readonly size: number) {
    this.lines = springs.map(() => {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
      const line = new Line(geometry, this.material);
      line.frustumCulled = false;
      return line;
    });
    for (const line of this.lines) this.group.add(line);
  }

  paint(theme: Theme): void {
    this.material.color.copy(theme.ink);
  }

  update(poses: Float64Array): void {
    this.lines.forEach((line, i) => this.wind(line, this.springs[i], poses));
  }

  private wind(line: Line, { bodies, points: ends }: Spring, poses: Float64Array): void {
    const a = point_in_world(poses, bodies[0], ends[0]), b = point_in_world(poses, bodies[1], ends[1]);
    const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const length = Math.hypot(...d) || 1e-9;
    const n = d.map((v) => v / length);
    const side = Math.abs(n[2]) < 0.9 ? [-n[1], n[0], 0] : [0, -n[2], n[1]];
    const s = 1 / Math.hypot(...side);
    const u = side.map((v) => v * s);
    const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
    const out = line.geometry.getAttribute('position') as BufferAttribute;
    const radius = Math.min(0.025 * this.size, 0.2 * length);
    for (let i = 0; i < points; ++i) {
      const part = i / (points - 1);
      const r = radius * Math.min(1, 8 * part, 8 * (1 - part));
      const angle = 2 * Math.PI * turns * part;
      const x = r * Math.cos(angle), y = r * Math.sin(angle);
      out.setXYZ(i, a[0] + d[0] * part + u[0] * x + v[0] * y, a[1] + d[1] * part + u[1] * x + v[1] * y,
        a[2] + d[2] * part + u[2] * x + v[2] * y);
    }
    out.needsUpdate = true;
  }
}
