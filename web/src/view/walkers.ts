// Skinned characters on a terrain: files of the server, posed by its binary frames.
//
// A frame holds for each character its placement (x y z, quaternion w x y z), its scale, the turn of
// each joint as four int16 / 32767, and where those joints are that move against their parents.
import {
  Group, Mesh, MeshStandardMaterial, Quaternion, Vector3, type Color, type Object3D, type Raycaster,
} from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import type { WalkFrame } from '../frames';
import type { Description, Terrain, Walker } from '../messages';
import { foot_joints, FootCurves } from './foot_curves';
import { box_extent, type Guest } from './stage';

const loader = new GLTFLoader();

// Lines every metre on the terrain, so that slopes can be seen.
function terrain_material(ground: Color, line: Color): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ color: ground, roughness: 0.95, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.line_color = { value: line };
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 terrain_place;')
      .replace('#include <begin_vertex>',
        '#include <begin_vertex>\nterrain_place = (modelMatrix * vec4(position, 1.0)).xyz;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 terrain_place;\nuniform vec3 line_color;')
      .replace('#include <color_fragment>', `#include <color_fragment>
        vec2 steps = abs(fract(terrain_place.xy - 0.5) - 0.5) / fwidth(terrain_place.xy);
        float near_line = 1.0 - min(min(steps.x, steps.y), 1.0);
        float crowded = max(fwidth(terrain_place.x), fwidth(terrain_place.y));
        diffuseColor.rgb = mix(diffuseColor.rgb, line_color, 0.4 * near_line * (1.0 - smoothstep(0.1, 0.4, crowded)));`);
  };
  return material;
}

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
  chosen = 0;
  foot_curves = false;
  private readonly ground = new Group();
  private actors: (Actor | null)[];
  private arrived = 0;
  private interval = 33;
  private readonly material: MeshStandardMaterial;
  private disposed = false;
  private loaded = false;
  private announced = false;
  private fresh = false; // a frame came since the last picture

  constructor(private readonly walkers: Walker[], private readonly terrains: Terrain[], ground: Color,
              line: Color, private readonly curve_color: Color,
              // all is loaded and placed: the camera may go there
              private readonly ready: () => void) {
    this.actors = walkers.map(() => null);
    this.material = terrain_material(ground, line);
    this.object.add(this.ground);
    void this.load();
  }

  static fits(describe: Description): boolean {
    return (describe.characters?.length ?? 0) > 0;
  }

  private async load(): Promise<void> {
    await Promise.all([
      ...this.terrains.map((terrain, i) => this.set_terrain(i, terrain.asset)),
      ...this.walkers.map((walker, i) => this.load_actor(walker, i)),
    ]);
    this.loaded = true;
  }

  async set_terrain(index: number, asset: string): Promise<void> {
    const { scene } = await loader.loadAsync(asset);
    if (this.disposed) return;
    scene.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.material = this.material;
      object.receiveShadow = true;
      object.castShadow = false;
    });
    scene.name = `terrain ${index}`;
    const old = this.ground.getObjectByName(scene.name);
    old?.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    old?.removeFromParent();
    this.ground.add(scene);
  }

  // The brush of the server: h += height (1 - r^2/R^2)^2 for r < R.
  sculpt(x: number, y: number, radius: number, height: number): void {
    this.ground.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      const position = object.geometry.getAttribute('position');
      let changed = false;
      for (let i = 0; i < position.count; ++i) {
        const dx = position.getX(i) - x, dy = position.getY(i) - y;
        const part = 1 - (dx * dx + dy * dy) / (radius * radius);
        if (part <= 0) continue;
        position.setZ(i, position.getZ(i) + height * part * part);
        changed = true;
      }
      if (!changed) return;
      position.needsUpdate = true;
      object.geometry.computeVertexNormals();
      object.geometry.computeBoundingSphere();
      object.geometry.computeBoundingBox();
    });
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
    const feet = new FootCurves(foot_joints(walker.joints).map((i) => joints[i]), this.curve_color);
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
    this.fresh = true;
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
      else if (this.fresh) actor.feet.record();
    }
    this.fresh = false;
    return this.place();
  }

  // Where the chosen character stands.
  place(): Vector3 | null {
    const actor = this.actors[this.chosen];
    return actor?.root.visible ? actor.root.position : null;
  }

  pick_ground(ray: Raycaster): Vector3 | null {
    return ray.intersectObject(this.ground, true)[0]?.point ?? null;
  }

  extent(): { center: Vector3; radius: number } {
    const place = this.place();
    if (!place) return box_extent(this.ground);
    return { center: place.clone().add(new Vector3(0, 0, 0.9)), radius: 2.2 };
  }

  dispose(): void {
    this.disposed = true;
    this.object.removeFromParent();
    this.object.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    for (const actor of this.actors) actor?.feet.dispose();
    this.material.dispose();
  }
}
