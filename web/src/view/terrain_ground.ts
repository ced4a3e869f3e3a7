// The ground of walkers: meshes of the server, sculpted in place as the server sculpts its heights.
import { BufferAttribute, BufferGeometry, Color, Group, Mesh, MeshStandardMaterial, type Raycaster, type Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import type { Theme } from './theme';

const loader = new GLTFLoader();
const cells_per_radius = 8; // of a mesh under the brush, at least
const most_refinements = 5;

// Lines every metre, so that slopes can be seen.
function lined_material(line: Color): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
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

// Splits the edges near (x, y) that are longer than `longest`. Both triangles of an edge split it
// at the same point, so that no gaps open. False: none was.
function refine(geometry: BufferGeometry, x: number, y: number, radius: number, longest: number): boolean {
  const old = geometry.getAttribute('position'), index = geometry.getIndex()!;
  const added: number[] = [];
  const middles = new Map<number, number>();
  const middle = (a: number, b: number): number => {
    const key = a < b ? a * old.count + b : b * old.count + a;
    const known = middles.get(key);
    if (known !== undefined) return known;
    const length = Math.hypot(old.getX(a) - old.getX(b), old.getY(a) - old.getY(b));
    const mx = 0.5 * (old.getX(a) + old.getX(b)), my = 0.5 * (old.getY(a) + old.getY(b));
    const splits = length > longest && Math.hypot(mx - x, my - y) < radius + length;
    middles.set(key, splits ? old.count + added.length / 3 : -1);
    if (splits) added.push(mx, my, 0.5 * (old.getZ(a) + old.getZ(b)));
    return middles.get(key)!;
  };
  const is_near = (corners: number[]): boolean => {
    const xs = corners.map((c) => old.getX(c)), ys = corners.map((c) => old.getY(c));
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const off = Math.hypot(Math.max(x0 - x, x - x1, 0), Math.max(y0 - y, y - y1, 0));
    return off < radius + Math.hypot(x1 - x0, y1 - y0);
  };
  const kept: number[] = [], made: number[] = [];
  for (let i = 0; i < index.count; i += 3) {
    let corners = [index.getX(i), index.getX(i + 1), index.getX(i + 2)];
    let halves = is_near(corners) ? corners.map((c, k) => middle(c, corners[(k + 1) % 3])) : [-1, -1, -1];
    const split = halves.filter((h) => h >= 0).length;
    if (split === 0) {
      kept.push(...corners);
      continue;
    }
    // turned so that the first edge is split, and of two the last is not
    while (halves[0] < 0 || (split === 2 && halves[2] >= 0)) {
      corners = [corners[1], corners[2], corners[0]];
      halves = [halves[1], halves[2], halves[0]];
    }
    const [a, b, c] = corners, [ab, bc, ca] = halves;
    if (split === 1) made.push(a, ab, c, ab, b, c);
    else if (split === 2) made.push(ab, b, bc, a, ab, bc, a, bc, c);
    else made.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
  }
  if (added.length === 0) return false;
  const points = new Float32Array(old.array.length + added.length);
  points.set(old.array);
  points.set(added, old.array.length);
  for (const name of Object.keys(geometry.attributes)) geometry.deleteAttribute(name);
  geometry.setAttribute('position', new BufferAttribute(points, 3));
  geometry.setIndex(kept.concat(made));
  return true;
}

export class TerrainGround {
  readonly object = new Group();
  private readonly line = new Color();
  private readonly material = lined_material(this.line);
  private latest = 0; // of the grounds that were asked for
  private disposed = false;

  paint(theme: Theme): void {
    this.material.color.copy(theme.ground);
    this.line.copy(theme.line);
  }

  // These meshes instead of all.
  async show(assets: string[]): Promise<void> {
    const asked = ++this.latest;
    const files = await Promise.all(assets.map((asset) => loader.loadAsync(asset)));
    if (this.disposed || asked !== this.latest) return;
    this.forget();
    for (const { scene } of files) {
      scene.traverse((object) => {
        if (!(object instanceof Mesh)) return;
        object.material = this.material;
        object.receiveShadow = true;
      });
      this.object.add(scene);
    }
  }

  // The brush of the server: h += height (1 - r^2/R^2)^2 for r < R.
  sculpt(x: number, y: number, radius: number, height: number): void {
    for (const mesh of this.meshes()) {
      for (let i = 0; i < most_refinements; ++i) {
        if (!mesh.geometry.getIndex() || !refine(mesh.geometry, x, y, radius, radius / cells_per_radius)) break;
      }
      const position = mesh.geometry.getAttribute('position');
      let changed = false;
      for (let i = 0; i < position.count; ++i) {
        const dx = position.getX(i) - x, dy = position.getY(i) - y;
        const part = 1 - (dx * dx + dy * dy) / (radius * radius);
        if (part <= 0) continue;
        position.setZ(i, position.getZ(i) + height * part * part);
        changed = true;
      }
      if (!changed) continue;
      position.needsUpdate = true;
      mesh.geometry.computeVertexNormals();
      mesh.geometry.computeBoundingSphere();
      mesh.geometry.computeBoundingBox();
    }
  }

  pick(ray: Raycaster): Vector3 | null {
    return ray.intersectObject(this.object, true)[0]?.point ?? null;
  }

  dispose(): void {
    this.disposed = true;
    this.forget();
    this.material.dispose();
  }

  private meshes(): Mesh[] {
    const list: Mesh[] = [];
    this.object.traverse((object) => {
      if (object instanceof Mesh) list.push(object);
    });
    return list;
  }

  private forget(): void {
    for (const mesh of this.meshes()) mesh.geometry.dispose();
    this.object.clear();
  }
}
