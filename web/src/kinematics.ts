// Poses of bodies from joint coordinates.
//
//   p_M = p_P + R_P (p_PF + sum_k slide_k c_k)      R = R_P R_PF turn      p = p_M - R p_BM
//
// with turn = Rot(turn_0, c_s) Rot(turn_1, c_s+1), or the quaternion of a ball.
import type { Joint, Model } from './messages';

type Matrix = Float64Array; // 3 x 3, rows

export function matrix_of_quaternion(q: ArrayLike<number>, at: number, out: Matrix): void {
  const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
  out[0] = 1 - 2 * (y * y + z * z); out[1] = 2 * (x * y - w * z); out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z); out[4] = 1 - 2 * (x * x + z * z); out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y); out[7] = 2 * (y * z + w * x); out[8] = 1 - 2 * (x * x + y * y);
}

function multiply_quaternions(a: ArrayLike<number>, at: number, b: ArrayLike<number>): number[] {
  const w = a[at], x = a[at + 1], y = a[at + 2], z = a[at + 3];
  return [
    w * b[0] - x * b[1] - y * b[2] - z * b[3],
    w * b[1] + x * b[0] + y * b[3] - z * b[2],
    w * b[2] - x * b[3] + y * b[0] + z * b[1],
    w * b[3] + x * b[2] - y * b[1] + z * b[0],
  ];
}

// v turned by the quaternion at q[at..].
export function turn(q: ArrayLike<number>, at: number, v: ArrayLike<number>, out: number[]): void {
  const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  const a = v[0] + w * tx + y * tz - z * ty;
  const b = v[1] + w * ty + z * tx - x * tz;
  const c = v[2] + w * tz + x * ty - y * tx;
  out[0] = a; out[1] = b; out[2] = c;
}

export class Kinematics {
  private readonly links: { parent: number; joint: Joint }[];
  readonly poses: Float64Array; // seven numbers a body
  private readonly q = [1, 0, 0, 0];

  constructor(model: Model) {
    this.links = model.bodies.map(({ parent, joint }) => ({ parent, joint }));
    this.poses = new Float64Array(7 * this.links.length);
  }

  // Fills `poses` (or `out`), x y z and the quaternion w x y z of each body.
  update(coordinates: ArrayLike<number>, out: Float64Array = this.poses): void {
    for (let i = 0; i < this.links.length; ++i) {
      this.place(i, this.links[i].parent, this.links[i].joint, coordinates, out);
    }
  }

  private place(i: number, above: number, joint: Joint, c: ArrayLike<number>, out: Float64Array): void {
    const F = joint.X_PF;
    let x = F[0], y = F[1], z = F[2];
    let at = joint.first;
    for (const axis of joint.slides) {
      const d = c[at++];
      x += axis[0] * d; y += axis[1] * d; z += axis[2] * d;
    }
    const q = this.q;
    for (let k = 0; k < 4; ++k) q[k] = F[3 + k];
    if (joint.ball) {
      this.multiply(c[at], c[at + 1], c[at + 2], c[at + 3]);
    } else {
      for (const axis of joint.turns) {
        const half = 0.5 * c[at++], s = Math.sin(half);
        this.multiply(Math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s);
      }
    }
    const p = [x, y, z];
    if (above >= 0) {
      const parent = 7 * above;
      turn(out, parent + 3, p, p);
      p[0] += out[parent]; p[1] += out[parent + 1]; p[2] += out[parent + 2];
      const turned = multiply_quaternions(out, parent + 3, q);
      for (let k = 0; k < 4; ++k) q[k] = turned[k];
    }
    const back = [0, 0, 0];
    turn(q, 0, joint.p_BM, back);
    const o = 7 * i;
    out[o] = p[0] - back[0]; out[o + 1] = p[1] - back[1]; out[o + 2] = p[2] - back[2];
    const scale = 1 / Math.hypot(q[0], q[1], q[2], q[3]);
    for (let k = 0; k < 4; ++k) out[o + 3 + k] = q[k] * scale;
  }

  private multiply(w: number, x: number, y: number, z: number): void {
    const [a, b, c, d] = this.q;
    this.q[0] = a * w - b * x - c * y - d * z;
    this.q[1] = a * x + b * w + c * z - d * y;
    this.q[2] = a * y - b * z + c * w + d * x;
    this.q[3] = a * z + b * y - c * x + d * w;
  }
}

// The point p of a body (-1: the world) in the world.
export function point_in_world(poses: ArrayLike<number>, body: number, p: ArrayLike<number>): number[] {
  if (body < 0) return [p[0], p[1], p[2]];
  const out = [0, 0, 0], at = 7 * body;
  turn(poses, at + 3, p, out);
  return [out[0] + poses[at], out[1] + poses[at + 1], out[2] + poses[at + 2]];
}

// A point of the world in the frame of a body.
export function point_in_body(poses: ArrayLike<number>, body: number, p: ArrayLike<number>): number[] {
  const at = 7 * body, out = [p[0] - poses[at], p[1] - poses[at + 1], p[2] - poses[at + 2]];
  turn([poses[at + 3], -poses[at + 4], -poses[at + 5], -poses[at + 6]], 0, out, out);
  return out;
}

// out = a + (b - a) u for positions; the shorter way for rotations.
export function blend_poses(a: Float64Array, b: Float64Array, u: number, out: Float64Array): void {
  for (let i = 0; i < b.length; i += 7) {
    for (let k = 0; k < 3; ++k) out[i + k] = a[i + k] + (b[i + k] - a[i + k]) * u;
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += a[i + k] * b[i + k];
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let k = 3; k < 7; ++k) {
      const value = sign * a[i + k] * (1 - u) + b[i + k] * u;
      out[i + k] = value;
      norm += value * value;
    }
    const scale = 1 / Math.sqrt(norm);
    for (let k = 3; k < 7; ++k) out[i + k] *= scale;
  }
}
