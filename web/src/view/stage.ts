// The 3D view: one renderer, one world with z up, and who is in it.
import {
  Box3, DirectionalLight, Fog, HemisphereLight, PCFShadowMap, Raycaster, Scene, Vector2, Vector3,
  WebGLRenderer, type Object3D,
} from 'three';
import { blend_poses, Kinematics } from '../kinematics';
import type { Description } from '../messages';
import { Cameras, type Side } from './cameras';
import { Cost } from './cost';
import { Figure, floor_height } from './figure';
import { Ground } from './ground';
import { Overlays, type Toggle, type Toggles } from './overlays';
import { dark_preferred, read_theme, type Theme } from './theme';

// Something that is not a scene of bodies and draws itself: walkers on a terrain.
export interface Guest {
  object: Object3D;
  // What came last is shown as it is.
  settle(): void;
  // Returns the point to follow, if there is one.
  update(seconds: number): Vector3 | null;
  place(): Vector3 | null;
  extent(): { center: Vector3; radius: number };
  paint(theme: Theme): void;
  dispose(): void;
}

export class Stage {
  readonly scene = new Scene();
  readonly cameras: Cameras;
  readonly renderer: WebGLRenderer;
  theme: Theme;
  overlays: Overlays | null = null;
  figure: Figure | null = null;
  selected = -1;
  poses = new Float64Array(0); // as drawn
  readonly cost = new Cost(); // of a picture, in ms of script
  drawn = 0;
  manual = false; // pictures are drawn only when asked for: draw_now
  readonly before_draw: ((seconds: number) => void)[] = [];
  private guest: Guest | null = null;
  private readonly ground: Ground;
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8378, 1.5);
  private kinematics: Kinematics | null = null;
  private older = new Float64Array(0);
  private newer = new Float64Array(0);
  private arrived = 0;
  private interval = 33; // ms between frames, smoothed
  private settled = true;
  private dirty = true;
  private last_draw = 0;
  private size = 1;
  private keep_view = false; // the camera stays where it is
  private fresh = false; // no frame of this model has come yet
  private readonly toggles: Toggles = {
    joints: false, stress: false, frames: false, contacts: false, forces: false, center: false,
    feet: false, trails: false, ghosts: false,
  };

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.theme = read_theme();
    this.cameras = new Cameras(canvas);
    this.cameras.controls.addEventListener('change', () => this.touch());
    this.ground = new Ground(this.scene);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.02;
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.sun, this.sun.target, this.sky);
    this.scene.fog = new Fog(0xffffff, 10, 100);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    dark_preferred.addEventListener('change', () => this.paint());
    this.paint();
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  touch(): void {
    this.dirty = true;
  }

  toggle(name: Toggle, on: boolean): void {
    this.toggles[name] = on;
    this.touch();
  }

  toggled(name: Toggle): boolean {
    return this.toggles[name];
  }

  open(description: Description, keep_view = false): void {
    this.keep_view = keep_view;
    if (!keep_view) this.cameras.begin();
    this.close();
    const model = description.model;
    if (!model) return;
    const floor = floor_height(model);
    this.kinematics = new Kinematics(model);
    this.figure = new Figure(model, floor !== null);
    this.scene.add(this.figure.group);
    const rest = new Float64Array(model.coordinates);
    for (const { joint } of model.bodies) if (joint.ball) rest[joint.first + joint.slides.length] = 1;
    this.kinematics.update(rest);
    this.poses = this.kinematics.poses.slice();
    this.older = this.poses.slice();
    this.newer = this.poses.slice();
    this.fresh = true;
    this.settle_in(description, floor);
    this.touch();
  }

  // The figure in another rest pose, seen from where one is.
  replace(description: Description): void {
    const { selected } = this;
    this.open(description, true);
    if (selected >= 0) this.select(selected);
  }

  // Camera, ground and overlays by where the bodies are now.
  private settle_in(description: Description, floor: number | null): void {
    const { center, radius, lowest } = this.figure!.extent(this.poses);
    this.size = Math.min(radius, 12);
    const fields = description.model!.bodies.some((b) => b.shapes.some((s) => s.type === 'height_field'));
    this.ground.place(floor ?? Math.min(0, lowest - 0.2 * radius), floor !== null, !fields);
    this.overlays?.dispose();
    this.overlays = new Overlays(this.scene, description.model!, description.foot_cycle ?? null, this.toggles, this.size, this.theme);
    if (this.keep_view) return;
    this.cameras.home(description.camera ?? null, center, radius);
    this.cameras.follow_from(this.followed_point());
  }

  receive(guest: Guest): void {
    this.close();
    this.guest = guest;
    this.scene.add(guest.object);
    this.ground.place(0, false, false);
    this.touch();
  }

  home_on_guest(): void {
    if (!this.guest) return;
    const { center, radius } = this.guest.extent();
    this.size = radius;
    this.cameras.home(null, center, radius);
    const place = this.guest.place();
    if (place) this.cameras.follow_from(place);
    this.touch();
  }

  // Where the guest that is followed stands.
  guest_place(): Vector3 | null {
    return this.guest?.place() ?? null;
  }

  show(t: number, coordinates: Float32Array, description: Description): void {
    const model = description.model;
    if (!this.kinematics || !model || coordinates.length < model.coordinates) return;
    const now = performance.now();
    if (this.fresh) {
      this.kinematics.update(coordinates, this.newer);
      this.older.set(this.newer);
      this.poses.set(this.newer);
      this.fresh = false;
      this.settle_in(description, floor_height(model));
    } else {
      [this.older, this.newer] = [this.newer, this.older];
      this.kinematics.update(coordinates, this.newer);
      this.interval += 0.2 * (Math.min(now - this.arrived, 100) - this.interval);
    }
    this.arrived = now;
    this.settled = false;
    this.overlays!.record(t, this.newer, coordinates);
  }

  // After a jump in time the camera is there at once.
  jump(): void {
    this.cameras.jump();
  }

  look_from(side: Side): void {
    const { center, radius } = this.guest ? this.guest.extent()
      : this.figure ? this.figure.extent(this.poses) : { center: new Vector3(), radius: 1 };
    this.cameras.look_from(side, center, radius);
    const point = this.guest ? this.guest.place() : this.figure ? this.followed_point() : null;
    if (point) this.cameras.follow_from(point);
    this.touch();
  }

  select(body: number): void {
    this.selected = body;
    this.figure?.highlight(body, this.theme.accent);
    if (this.overlays) this.cameras.follow_from(this.followed_point());
    this.touch();
  }

  ray(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height),
      this.cameras.camera);
    return ray;
  }

  paint(): void {
    this.theme = read_theme();
    this.scene.background = this.theme.background;
    (this.scene.fog as Fog).color.copy(this.theme.background);
    this.ground.paint(this.theme);
    this.overlays?.paint(this.theme);
    this.guest?.paint(this.theme);
    this.figure?.highlight(this.selected, this.theme.accent);
    this.sky.intensity = this.theme.dark ? 1.1 : 1.5;
    this.sun.intensity = this.theme.dark ? 1.8 : 2.1;
    this.touch();
  }

  private close(): void {
    this.figure?.dispose();
    this.overlays?.dispose();
    this.guest?.dispose();
    this.figure = this.overlays = this.guest = this.kinematics = null;
    this.selected = -1;
    this.cost.clear();
  }

  // As large as its place in the page; while pictures are drawn by hand it has the size of these.
  private resize(): void {
    if (!this.manual) this.fit();
  }

  fit(): void {
    const parent = this.canvas.parentElement!;
    const width = parent.clientWidth, height = parent.clientHeight;
    this.renderer.setSize(width, height, false);
    this.cameras.resize(width, height);
    this.touch();
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    if (this.manual) return;
    const begin = performance.now();
    const seconds = Math.min((now - this.last_draw) / 1000, 1);
    this.cameras.controls.update();
    if (!this.dirty && this.settled && !this.guest && !this.overlays?.restless) return;
    this.last_draw = now;
    this.draw(begin, seconds);
    this.cost.add('draw', begin);
  }

  // What was shown last, as it is, `seconds` after the picture before.
  draw_now(seconds: number): void {
    this.older.set(this.newer);
    this.guest?.settle();
    this.cameras.controls.update();
    this.draw(performance.now(), seconds);
  }

  private draw(now: number, seconds: number): void {
    for (const hook of this.before_draw) hook(seconds);
    this.pose_figure(now, seconds);
    this.light();
    this.cameras.update();
    this.ground.follow(this.cameras.controls.target, this.cameras.distance);
    this.dirty = false;
    this.renderer.render(this.scene, this.cameras.camera);
    this.drawn += 1;
  }

  private pose_figure(now: number, seconds: number): void {
    if (this.guest) {
      const point = this.guest.update(seconds);
      if (point) this.cameras.follow(point, seconds);
      return;
    }
    if (!this.figure || !this.overlays) return;
    const u = Math.min(1, (now - this.arrived) / Math.max(this.interval, 1));
    blend_poses(this.older, this.newer, Math.max(u, 0), this.poses);
    if (u >= 1) this.settled = true;
    this.figure.update(this.poses);
    this.overlays.update(this.poses, now);
    this.cameras.follow(this.followed_point(), seconds);
  }

  // The chosen body, else the centre of mass.
  private followed_point(): Vector3 {
    const at = this.selected >= 0 ? this.poses.subarray(7 * this.selected, 7 * this.selected + 3)
      : this.overlays!.center_of_mass(this.poses);
    return new Vector3(at[0], at[1], at[2]);
  }

  // The sun goes along, so that shadows are fine where one looks.
  private light(): void {
    const target = this.cameras.controls.target, d = this.cameras.distance;
    const reach = Math.min(Math.max(2.2 * this.size, 0.6 * d), 1.5 * d);
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(new Vector3(-0.45, -0.6, 1.2).normalize().multiplyScalar(3 * reach));
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -reach;
    box.right = box.top = reach;
    box.near = 0.1 * reach;
    box.far = 6 * reach;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.01 * reach;
    const fog = this.scene.fog as Fog;
    fog.near = 4 * d;
    fog.far = 14 * d;
  }
}

export function box_extent(object: Object3D): { center: Vector3; radius: number } {
  const box = new Box3().setFromObject(object);
  const center = box.getCenter(new Vector3());
  return { center, radius: Math.max(0.5 * box.getSize(new Vector3()).length(), 0.1) };
}
