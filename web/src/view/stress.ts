// How hard joints are loaded, from 0 to 1, and balls at the joints tinted by it. The load is the
// larger of
//
//   stop      the part of the last fifth of the way to a limit that is gone
//   torque    of springs and motors, |k (rest - q) + kp (target - q)|, against the most that the motor
//             can, or, where nothing bounds it, against the largest in the figure of late
import { Color, Group, InstancedMesh, Matrix4, MeshLambertMaterial, SphereGeometry } from 'three';
import { point_in_world } from '../kinematics';
import type { Body, JointDrive, Model } from '../messages';
import type { Theme } from './theme';

const stop_part = 0.2; // of the range, at its end
const forgotten_in = 10; // s, by which the largest torque is let go
const least_shown = 0.1;

function rotation_vector(c: ArrayLike<number>, at: number): number[] {
  const sign = c[at] < 0 ? -1 : 1;
  const [x, y, z] = [sign * c[at + 1], sign * c[at + 2], sign * c[at + 3]];
  const s = Math.hypot(x, y, z);
  const scale = s > 1e-9 ? 2 * Math.atan2(s, sign * c[at]) / s : 2;
  return [x * scale, y * scale, z * scale];
}

function near_a_stop({ lower, upper }: JointDrive, x: number): number {
  if (lower === undefined || upper === undefined || !(upper > lower)) {
    if (lower !== undefined && x <= lower) return 1;
    return upper !== undefined && x >= upper ? 1 : 0;
  }
  const margin = stop_part * 0.5 * (upper - lower);
  return Math.min(1, Math.max(0, 1 - Math.min(x - lower, upper - x) / margin));
}

// Half the thickness of a body where it is thinnest.
function thickness({ shapes }: Body): number {
  return shapes.reduce((least, s) => Math.min(least, s.radius ?? (s.half ? Math.min(...s.half) : Infinity)), Infinity);
}

interface Place {
  body: number;
  radius: number;
}

export class Stress {
  readonly group = new Group();
  readonly loads: Float64Array; // by body: of the joint to its parent
  private readonly places: Place[] = [];
  private readonly largest = { slide: 0, turn: 0 }; // N and N m
  private time = 0;
  private readonly balls: InstancedMesh;
  private readonly material = new MeshLambertMaterial();
  private readonly mild = new Color();
  private readonly severe = new Color();

  constructor(private readonly model: Model, size: number) {
    this.loads = new Float64Array(model.bodies.length);
    model.bodies.forEach((body, i) => {
      const drives = body.joint.drives ?? [];
      if (!drives.some((d) => d.stiffness || d.kp || d.lower !== undefined || d.upper !== undefined)) return;
      const parent = body.parent >= 0 ? thickness(model.bodies[body.parent]) : Infinity;
      const thin = Math.min(thickness(body), parent);
      this.places.push({ body: i, radius: 1.2 * (Number.isFinite(thin) ? thin : 0.02 * size) });
    });
    this.balls = new InstancedMesh(new SphereGeometry(1, 20, 14), this.material, Math.max(1, this.places.length));
    this.balls.frustumCulled = false;
    this.balls.setColorAt(0, this.mild);
    this.group.add(this.balls);
  }

  // Is there anything that can be loaded?
  get empty(): boolean {
    return this.places.length === 0;
  }

  paint(theme: Theme): void {
    this.mild.copy(theme.warn);
    this.severe.copy(theme.contact);
  }

  // A new frame.
  measure(t: number, coordinates: ArrayLike<number>): void {
    const kept = Math.exp(-Math.min(Math.abs(t - this.time), 1) / forgotten_in);
    this.time = t;
    this.largest.slide *= kept;
    this.largest.turn *= kept;
    const unbounded: { body: number; kind: 'slide' | 'turn'; torque: number }[] = [];
    for (const { body } of this.places) {
      const { joint } = this.model.bodies[body];
      const slides = joint.slides.length;
      const turns = joint.ball ? rotation_vector(coordinates, joint.first + slides) : null;
      this.loads[body] = 0;
      joint.drives!.forEach((drive, k) => {
        const x = turns && k >= slides ? turns[k - slides] : coordinates[joint.first + k];
        const torque = Math.abs((drive.stiffness ?? 0) * ((drive.rest ?? 0) - x) + (drive.kp ?? 0) * ((drive.target ?? 0) - x));
        let load = near_a_stop(drive, x);
        if (drive.max_force) load = Math.max(load, Math.min(1, torque / drive.max_force));
        else if (torque > 0) unbounded.push({ body, kind: k < slides ? 'slide' : 'turn', torque });
        this.loads[body] = Math.max(this.loads[body], load);
      });
    }
    for (const { kind, torque } of unbounded) this.largest[kind] = Math.max(this.largest[kind], torque);
    for (const { body, kind, torque } of unbounded) this.loads[body] = Math.max(this.loads[body], torque / this.largest[kind]);
  }

  show(poses: Float64Array): void {
    const matrix = new Matrix4(), color = new Color();
    let count = 0;
    for (const { body, radius } of this.places) {
      const load = this.loads[body];
      if (load < least_shown) continue;
      const [x, y, z] = point_in_world(poses, body, this.model.bodies[body].joint.p_BM);
      const r = radius * (0.9 + 0.25 * load);
      this.balls.setColorAt(count, color.copy(this.mild).lerp(this.severe, load));
      this.balls.setMatrixAt(count++, matrix.makeScale(r, r, r).setPosition(x, y, z));
    }
    this.balls.count = count;
    this.balls.instanceMatrix.needsUpdate = true;
    this.balls.instanceColor!.needsUpdate = true;
  }

  dispose(): void {
    this.balls.geometry.dispose();
    this.balls.dispose();
    this.material.dispose();
  }
}
