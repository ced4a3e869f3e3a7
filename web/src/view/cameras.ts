// Where the viewer stands: orbit and pan by mouse, named places, and a camera that goes along.
import { PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { CameraPlace } from '../messages';

export type Side = 'side' | 'front' | 'three-quarter' | 'scene';
export const is_side = (text: string | undefined): text is Side =>
  text === 'scene' || (text !== undefined && text in directions);

const usual_fov = 40; // degrees

// From the figure to the viewer; figures look along x.
const directions: Record<Exclude<Side, 'scene'>, Vector3> = {
  side: new Vector3(0, -1, 0.12),
  front: new Vector3(1, 0, 0.12),
  'three-quarter': new Vector3(0.72, -1, 0.45),
};

export class Cameras {
  readonly camera = new PerspectiveCamera(usual_fov, 1, 0.05, 500);
  readonly controls: OrbitControls;
  following = true;
  next: Side | null = null; // asked for before the file that it is for is open
  private chosen: Side | null = null; // for what is open, instead of its own
  private readonly followed = new Vector3();
  private have_followed = false;
  private at_once = false; // the next step of the followed point
  private scene_place: CameraPlace | null = null;

  constructor(canvas: HTMLElement) {
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(4, -6, 3);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.set(0, 0, 1);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.update();
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  // Another file is open.
  begin(): void {
    this.chosen = this.next;
    this.next = null;
  }

  // First what was chosen, then what the scene gives, then what shows all.
  home(place: CameraPlace | null, center: Vector3, radius: number): void {
    this.scene_place = place;
    this.have_followed = false;
    this.place_at(this.chosen ?? 'scene', center, radius);
  }

  look_from(side: Side, center: Vector3, radius: number): void {
    this.chosen = side;
    this.place_at(side, center, radius);
  }

  private place_at(side: Side, center: Vector3, radius: number): void {
    const { camera, controls } = this;
    if (side === 'scene' && this.scene_place) {
      const { position, target, fov_deg, goes_along } = this.scene_place;
      camera.fov = fov_deg;
      camera.position.set(position[0], position[1], position[2]);
      controls.target.set(target[0], target[1], target[2]);
      if (goes_along) this.go_to(center);
    } else {
      const direction = directions[side === 'scene' ? 'three-quarter' : side];
      camera.fov = usual_fov;
      const fit = 1.25 * radius / Math.sin(0.5 * camera.fov * Math.PI / 180);
      controls.target.copy(center);
      camera.position.copy(center).addScaledVector(direction.clone().normalize(), fit);
    }
    controls.update();
    this.fit_depth();
  }

  // Moved over the ground, so that it looks at where the figure has got to.
  private go_to(center: Vector3): void {
    const dx = center.x - this.controls.target.x, dy = center.y - this.controls.target.y;
    for (const place of [this.controls.target, this.camera.position]) {
      place.x += dx;
      place.y += dy;
    }
    this.controls.update();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  // What is looked at now stands at this point: it is gone along with from here on.
  follow_from(point: Vector3): void {
    this.followed.copy(point);
    this.have_followed = true;
  }

  // The point to go along with is now here. Far from where it was, nothing is left to look at: the
  // camera is there at once.
  follow(point: Vector3, seconds: number): void {
    if (!this.have_followed) this.follow_from(point);
    const step = point.clone().sub(this.followed);
    const at_once = this.at_once || step.length() > 0.3 * this.distance;
    if (!at_once) step.multiplyScalar(1 - Math.exp(-12 * seconds));
    this.at_once = false;
    this.followed.add(step);
    if (!this.following) return;
    this.controls.target.add(step);
    this.camera.position.add(step);
  }

  // The next point is not reached by a motion from the last one: a jump in time, another figure.
  jump(): void {
    this.at_once = true;
  }

  update(): void {
    this.controls.update();
    this.fit_depth();
  }

  private fit_depth(): void {
    const d = Math.max(this.distance, 0.01);
    this.camera.near = d / 60;
    this.camera.far = d * 60;
    this.camera.updateProjectionMatrix();
  }
}
