// The feet of a gait as its torso sees them: the cycle that it was trained to (green), and the last
// one that it made (ink). Both go along with the torso.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from 'three';
import { point_in_world } from '../kinematics';
import type { FootCycle, Model } from '../messages';
import type { Theme } from './theme';

const most_points = 400;

function curve(points: number, material: LineBasicMaterial): Line {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
  const line = new Line(geometry, material);
  line.frustumCulled = false;
  line.renderOrder = 4;
  return line;
}

export class FootLoops {
  readonly group = new Group();
  readonly made: { t: number; feet: number[] }[] = []; // from the torso, three numbers a foot
  private readonly planned = new LineBasicMaterial({ depthTest: false, transparent: true });
  private readonly real = new LineBasicMaterial({ depthTest: false, transparent: true });
  private readonly lines: Line[];

  constructor(private readonly model: Model, private readonly cycle: FootCycle) {
    for (const loop of cycle.loops) {
      const line = curve(loop.length / 3, this.planned);
      (line.geometry.getAttribute('position').array as Float32Array).set(loop);
      this.group.add(line);
    }
    this.lines = cycle.bodies.map(() => curve(most_points, this.real));
    for (const line of this.lines) this.group.add(line);
  }

  paint(theme: Theme): void {
    this.planned.color.copy(theme.target);
    this.real.color.copy(theme.ink);
  }

  // A new frame.
  record(t: number, poses: Float64Array): void {
    const { made, cycle } = this;
    const last = made[made.length - 1];
    if (last && (t <= last.t || t > last.t + 0.5)) made.length = 0;
    const torso = 7 * cycle.torso;
    const feet = cycle.bodies.flatMap((body) =>
      point_in_world(poses, body, this.model.bodies[body].com).map((x, k) => x - poses[torso + k]));
    made.push({ t, feet });
    while (made.length > most_points || made[0].t < t - cycle.seconds) made.shift();
  }

  update(poses: Float64Array): void {
    const torso = 7 * this.cycle.torso;
    this.group.position.set(poses[torso], poses[torso + 1], poses[torso + 2]);
    this.lines.forEach((line, i) => {
      const out = line.geometry.getAttribute('position') as BufferAttribute;
      this.made.forEach(({ feet }, k) => out.setXYZ(k, feet[3 * i], feet[3 * i + 1], feet[3 * i + 2]));
      out.needsUpdate = true;
      line.geometry.setDrawRange(0, this.made.length);
    });
  }

  // The largest distance of what was made from the trained cycle, m.
  get miss(): number {
    return this.made.reduce((most, { feet }) => this.cycle.loops.reduce((worst, loop, i) => {
      let nearest = Infinity;
      for (let k = 0; k < loop.length; k += 3) {
        nearest = Math.min(nearest, Math.hypot(loop[k] - feet[3 * i], loop[k + 1] - feet[3 * i + 1], loop[k + 2] - feet[3 * i + 2]));
      }
      return Math.max(worst, nearest);
    }, most), 0);
  }

  dispose(): void {
    for (const line of this.group.children as Line[]) line.geometry.dispose();
    this.planned.dispose();
    this.real.dispose();
    this.group.removeFromParent();
  }
}
