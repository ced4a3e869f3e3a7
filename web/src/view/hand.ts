// What the mouse does to bodies: choose by a click, pull with a spring (Ctrl-drag), push (Alt-click
// into the view, Alt-drag along the arrow that is drawn).
import { Plane, Vector3 } from 'three';
import { point_in_body, point_in_world } from '../kinematics';
import type { Studio } from '../studio';

const click_distance = 4; // pixels: farther is a drag of the camera

// From where a push comes when no arrow is drawn.
export const push_directions = {
  'into the view': null, 'forward, +x': [1, 0, 0], 'back, −x': [-1, 0, 0], 'left, +y': [0, 1, 0], 'right, −y': [0, -1, 0],
  'up, +z': [0, 0, 1], 'down, −z': [0, 0, -1],
} as const;
export type PushDirection = keyof typeof push_directions;

export class Hand {
  push_newtons = 0; // 0: by the mass
  push_seconds = 0.1;
  push_direction: PushDirection = 'into the view';
  stiffness = 0; // N/m; 0: by the mass
  private held: { body: number; point: number[]; plane: Plane; to: number[] } | null = null;
  private aimed: { body: number; at: Vector3; view: Vector3; plane: Plane; to: Vector3; moved: boolean } | null = null;
  private down: { x: number; y: number } | null = null;
  private sending = false;

  constructor(private readonly studio: Studio, private readonly canvas: HTMLCanvasElement) {
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.release(event), { capture: true });
    canvas.addEventListener('pointercancel', () => {
      this.aimed = null;
      this.let_go();
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    studio.stage.before_draw.push(() => this.show_pull());
    studio.on('opened', () => (this.held = this.aimed = null));
  }

  // Newtons that give all that hangs on this body 1 m/s.
  newtons(body: number): number {
    return this.push_newtons || this.mass_with(body) / this.push_seconds;
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
    const { stage } = this.studio;
    const facing = stage.cameras.camera.getWorldDirection(new Vector3());
    this.canvas.setPointerCapture(event.pointerId);
    if (event.altKey) {
      this.aimed = {
        body: hit.body, at: hit.point, view: hit.direction, to: hit.point.clone(), moved: false,
        plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      };
      return;
    }
    const at = hit.point.toArray();
    this.held = {
      body: hit.body, point: point_in_body(stage.poses, hit.body, at), to: at,
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
    };
    this.pull();
  }

  private move(event: PointerEvent): void {
    const { held, aimed } = this;
    if (!held && !aimed) return;
    event.stopImmediatePropagation();
    const { stage } = this.studio;
    const target = stage.ray(event.clientX, event.clientY).ray.intersectPlane((held ?? aimed)!.plane, new Vector3());
    if (!target) return;
    if (held) {
      held.to = target.toArray();
      this.pull();
    } else if (aimed && this.down) {
      aimed.to = target;
      aimed.moved ||= Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) > click_distance;
      stage.touch();
    }
  }

  private release(event: PointerEvent): void {
    const { aimed } = this;
    if (aimed) {
      event.stopImmediatePropagation();
      this.aimed = this.down = null;
      this.push(aimed.body, aimed.at, aimed.moved ? aimed.to.clone().sub(aimed.at) : this.chosen_direction(aimed.view));
      return;
    }
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

  private chosen_direction(view: Vector3): Vector3 {
    const direction = push_directions[this.push_direction];
    return direction ? new Vector3(...direction) : view.clone();
  }

  // The chosen body, at its centre of mass.
  push_selected(): void {
    const { stage, describe } = this.studio;
    const body = describe.model?.bodies[stage.selected];
    if (!body) return;
    const at = new Vector3(...point_in_world(stage.poses, stage.selected, body.com));
    this.push(stage.selected, at, this.chosen_direction(stage.cameras.camera.getWorldDirection(new Vector3())));
  }

  private push(body: number, at: Vector3, direction: Vector3): void {
    const { studio } = this;
    const force = direction.normalize().multiplyScalar(this.newtons(body)).toArray();
    const point = point_in_body(studio.stage.poses, body, at.toArray());
    studio.stage.overlays?.pushes.push({ from: at.toArray(), force, until: performance.now() + 350 });
    studio.stage.touch();
    const name = studio.describe.model!.bodies[body].name;
    void studio.act({ do: 'push', body: name, point, force, seconds: this.push_seconds });
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
    const { held, aimed } = this;
    overlays.pull = held ? { from: point_in_world(poses, held.body, held.point), to: held.to }
      : aimed?.moved ? { from: aimed.at.toArray(), to: aimed.to.toArray() } : null;
  }
}
