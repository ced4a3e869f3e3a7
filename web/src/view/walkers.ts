// Skinned characters on a terrain: files of the server, posed by its binary frames.
//
// A frame holds for each character its placement (x y z, quaternion w x y z), its scale, the turn of
// each joint as four int16 / 32767, and where those joints are that move against their parents.
import { Box3, Group, Mesh, Quaternion, Vector3, type Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import type { WalkFrame } from '../frames';
import type { Description, Terrain, Walker } from '../messages';
import { FootCurves, numbers_per_foot } from './foot_curves';
import { box_extent, type Guest } from './stage';
import { TerrainGround } from './terrain_ground';
import type { Theme } from './theme';
import { WayMarks } from './way_marks';

const loader = new GLTFLoader();

interface Actor {
  root: Group;
  joints: Object3D[];
  moving: number[];
  feet: FootCurves;
  // two frames, between which is blended
  from: { place: Vector3; turn: Quaternion; turns: Quaternion[] };
  to: { place: Vector3; turn: Quaternion; turns: Quaternion[]; moves: Vector3[]; scale: number };
}

function blank(joints: number): Actor['from'] {
  return { place: new Vector3(), turn: new Quaternion(),
           turns: Array.from({ length: joints }, () => new Quaternion()) };
}

export class Walkers implements Guest {
  readonly object = new Group();
  readonly ground = new TerrainGround();
  readonly marks = new WayMarks(this.ground);
  chosen = 0; // whom the camera follows
  everybody = false; // is steered, not only the chosen one
  foot_curves = false;
  private readonly actors: (Actor | null)[];
  private arrived = 0;
  private interval = 33;
  private disposed = false;
  private loaded = false;
  private announced = false;

  constructor(private readonly walkers: Walker[], terrains: Terrain[], private theme: Theme,
              // all is loaded and placed: the camera may go there
              private readonly ready: () => void) {
    this.actors = walkers.map(() => null);
    this.object.add(this.ground.object, this.marks.object);
    this.paint(theme);
    this.marks.set(walkers.map((walker) => walker.way ?? []));
    void this.load(terrains);
  }

  paint(theme: Theme): void {
    this.theme = theme;
    this.ground.paint(theme);
    this.marks.paint(theme);
    for (const actor of this.actors) actor?.feet.paint(theme);
  }

  static fits(describe: Description): boolean {
    return (describe.characters?.length ?? 0) > 0;
  }

  private async load(terrains: Terrain[]): Promise<void> {
    await Promise.all([
      this.set_terrains(terrains), ...this.walkers.map((walker, i) => this.load_actor(walker, i)),
    ]);
    this.loaded = true;
  }

  async set_terrains(terrains: Terrain[]): Promise<void> {
    await this.ground.show(terrains.map(({ asset }) => asset));
    this.marks.plant();
  }

  // One more; it is seen with its first frame.
  async add(walker: Walker): Promise<void> {
    this.actors.push(null);
    this.walkers.push(walker);
    await this.load_actor(walker, this.walkers.length - 1);
  }

  private async load_actor(walker: Walker, index: number): Promise<void> {
    if (!walker.asset) return;
    const { scene, parser } = await loader.loadAsync(walker.asset);
    // node i of the file is joint i
    const joints = await Promise.all(walker.joints.map((_, i) => parser.getDependency('node', i) as Promise<Object3D>));
    if (this.disposed) return;
    scene.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.castShadow = object.receiveShadow = true;
      object.frustumCulled = false;
    });
    const root = new Group();
    root.add(scene);
    root.visible = false; // until a frame says where
    this.object.add(root);
    const feet = new FootCurves((walker.feet ?? []).length);
    feet.paint(this.theme);
    this.object.add(feet.group);
    const moves = (walker.moving ?? []).map(() => new Vector3());
    this.actors[index] = {
      root, joints, moving: walker.moving ?? [], feet, from: blank(joints.length),
      to: { ...blank(joints.length), moves, scale: 1 },
    };
  }

  read({ view, offset, characters }: WalkFrame): void {
    const now = performance.now();
    this.interval += 0.2 * (Math.min(now - this.arrived, 100) - this.interval);
    this.arrived = now;
    let at = offset;
    const f32 = (): number => {
      at += 4;
      return view.getFloat32(at - 4, true);
    };
    const i16 = (): number => {
      at += 2;
      return view.getInt16(at - 2, true) / 32767;
    };
    for (let c = 0; c < Math.min(characters, this.walkers.length); ++c) {
      const actor = this.actors[c];
      const joints = this.walkers[c].joints.length, moving = (this.walkers[c].moving ?? []).length;
      if (!actor) {
        at += 32 + 8 * joints + 12 * moving;
        continue;
      }
      const first = !actor.root.visible;
      this.keep(actor);
      actor.to.place.set(f32(), f32(), f32());
      const [w, x, y, z] = [f32(), f32(), f32(), f32()];
      actor.to.turn.set(x, y, z, w);
      actor.to.scale = f32();
      for (const turn of actor.to.turns) {
        const [qw, qx, qy, qz] = [i16(), i16(), i16(), i16()];
        turn.set(qx, qy, qz, qw).normalize();
      }
      for (const move of actor.to.moves) move.set(f32(), f32(), f32());
      actor.root.visible = true;
      if (first) this.keep(actor);
    }
    if (!this.loaded || this.announced || this.disposed) return;
    this.announced = true;
    this.update();
    this.ready();
  }

  read_feet(values: Float32Array): void {
    let at = 0;
    this.walkers.forEach((walker, c) => {
      const actor = this.actors[c];
      if (actor) at = actor.feet.record(values, at);
      else at += numbers_per_foot * (walker.feet ?? []).length;
    });
  }

  private keep({ from, to }: Actor): void {
    from.place.copy(to.place);
    from.turn.copy(to.turn);
    from.turns.forEach((turn, i) => turn.copy(to.turns[i]));
  }

  settle(): void {
    for (const actor of this.actors) if (actor) this.keep(actor);
  }

  update(): Vector3 | null {
    const u = Math.min(1, (performance.now() - this.arrived) / Math.max(this.interval, 1));
    for (const actor of this.actors) {
      if (!actor?.root.visible) continue;
      const { root, from, to } = actor;
      root.position.lerpVectors(from.place, to.place, u);
      root.quaternion.slerpQuaternions(from.turn, to.turn, u);
      root.scale.setScalar(to.scale);
      actor.joints.forEach((joint, i) => joint.quaternion.slerpQuaternions(from.turns[i], to.turns[i], u));
      actor.moving.forEach((joint, i) => actor.joints[joint].position.copy(to.moves[i]));
      actor.feet.group.visible = this.foot_curves;
      if (!this.foot_curves) actor.feet.forget();
    }
    const steered = this.actors.length < 2 ? [] : this.everybody ? this.actors.map((_, i) => i) : [this.chosen];
    this.marks.update(this.actors.map((actor) => (actor?.root.visible ? actor.root.position : null)), steered);
    return this.place();
  }

  // Where the chosen character stands.
  place(): Vector3 | null {
    const actor = this.actors[this.chosen];
    return actor?.root.visible ? actor.root.position : null;
  }

  // Of the chosen one.
  feet(): FootCurves | null {
    return this.actors[this.chosen]?.feet ?? null;
  }

  extent(): { center: Vector3; radius: number } {
    const actor = this.actors[this.chosen];
    if (!actor?.root.visible) return box_extent(this.ground.object);
    const box = new Box3();
    for (const joint of actor.joints) box.expandByPoint(joint.getWorldPosition(new Vector3()));
    return { center: box.getCenter(new Vector3()), radius: Math.max(0.9 * box.getSize(new Vector3()).length(), 0.3) };
  }

  dispose(): void {
    this.disposed = true;
    this.object.removeFromParent();
    this.object.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    for (const actor of this.actors) actor?.feet.dispose();
    this.ground.dispose();
    this.marks.dispose();
  }
}
