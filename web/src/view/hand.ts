// What the mouse does to bodies: choose by a click, pull with a spring (Ctrl-drag), push (Alt-click).
import { Plane, Vector3 } from 'three';
import { point_in_body, point_in_world } from '../kinematics';
import type { Studio } from '../studio';

const click_distance = 4; // pixels: farther is a drag of the camera

export class Hand {
  push_newtons = 0; // 0: by the mass
  stiffness = 0; // N/m; 0: by the mass
  private held: { body: number; point: number[]; plane: Plane; to: number[] } | null = null;
  private down: { x: number; y: number } | null = null;
  private sending = false;

  constructor(private readonly studio: Studio, private readonly canvas: HTMLCanvasElement) {
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.release(event), { capture: true });
    canvas.addEventListener('pointercancel', () => this.let_go());
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    studio.stage.before_draw.push(() => this.show_pull());
    studio.on('opened', () => (this.held = null));
  }

  // Newtons for a tenth of a second: 1 m/s for all that hangs on this body.
  private usual_push(body: number): number {
    return 10 * this.mass_with(body);
  }

  private usual_stiffness(body: number): number {
    return 60 * this.mass_with(body);
  }

  // Of the body and all that joints tie to it.
  private mass_with(body: number): number {
    const bodies = this.studio.describe.model?.bodies ?? [];
    const roots: number[] = [];
    bodies.forEach((b, i) => (roots[i] = b.parent < 0 ? i : roots[b.parent]));
    return Math.max(1e-3, bodies.reduce((sum, b, i) => sum + (roots[i] === roots[body] ? b.mass : 0), 0));
  }

  private pick(event: PointerEvent): { body: number; point: Vector3; direction: Vector3 } | null {
    const { stage } = this.studio;
    const ray = stage.ray(event.clientX, event.clientY);
    const hit = stage.figure?.pick(ray);
    return hit ? { ...hit, direction: ray.ray.direction.clone() } : null;
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.down = { x: event.clientX, y: event.clientY };
    if (!event.ctrlKey && !event.altKey && !event.metaKey) return;
    const hit = this.pick(event);
    const body = hit && this.studio.describe.model?.bodies[hit.body];
    if (!hit || !body || body.immobile) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.studio.select(hit.body);
    if (event.altKey) {
      this.push(hit.body, hit.point, hit.direction);
      this.down = null;
      return;
    }
    const { stage } = this.studio;
    const facing = stage.cameras.camera.getWorldDirection(new Vector3());
    const at = hit.point.toArray();
    this.held = {
      body: hit.body, point: point_in_body(stage.poses, hit.body, at), to: at,
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.pull();
  }

  private move(event: PointerEvent): void {
    if (!this.held) return;
    event.stopImmediatePropagation();
    const target = this.studio.stage.ray(event.clientX, event.clientY).ray
      .intersectPlane(this.held.plane, new Vector3());
    if (!target) return;
    this.held.to = target.toArray();
    this.pull();
  }

  private release(event: PointerEvent): void {
    if (this.held) {
      event.stopImmediatePropagation();
      this.let_go();
      return;
    }
    const { down } = this;
    this.down = null;
    if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > click_distance) return;
    const hit = this.pick(event);
    const movable = hit && !this.studio.describe.model?.bodies[hit.body]?.immobile;
    this.studio.select(hit && movable ? hit.body : -1);
  }

  private push(body: number, at: Vector3, direction: Vector3): void {
    const { studio } = this;
    const newtons = this.push_newtons || this.usual_push(body);
    const force = direction.multiplyScalar(newtons).toArray();
    const point = point_in_body(studio.stage.poses, body, at.toArray());
    studio.stage.overlays?.pushes.push({ from: at.toArray(), force, until: performance.now() + 350 });
    const name = studio.describe.model!.bodies[body].name;
    void studio.act({ do: 'push', body: name, point, force, seconds: 0.1 });
  }

  // One message at a time; the last place counts.
  private pull(): void {
    if (this.sending || !this.held) return;
    this.sending = true;
    const { body, point, to } = this.held;
    const name = this.studio.describe.model!.bodies[body].name;
    const stiffness = this.stiffness || this.usual_stiffness(body);
    void this.studio.act({ do: 'drag', body: name, point, to, stiffness }).then((answer) => {
      this.sending = false;
      if (!answer) {
        this.held = null; // what is open cannot be pulled
        this.studio.stage.touch();
        return;
      }
      if (this.held ? this.held.to !== to : true) {
        if (this.held) this.pull();
        else void this.studio.act({ do: 'drop' });
      }
    });
  }

  private let_go(): void {
    this.held = null;
    this.studio.stage.touch();
    if (!this.sending) void this.studio.act({ do: 'drop' });
  }

  private show_pull(): void {
    const { overlays, poses } = this.studio.stage;
    if (!overlays) return;
    overlays.pull = this.held
      ? { from: point_in_world(poses, this.held.body, this.held.point), to: this.held.to } : null;
  }
}
