// All bodies of a model, drawn by instances: one draw call per kind of shape.
import {
  Color, DoubleSide, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3,
  type BufferGeometry, type Intersection, type Raycaster,
} from 'three';
import { matrix_of_quaternion } from '../kinematics';
import type { Model, Pose, Shape } from '../messages';
import { form_of } from './geometry';

interface Instance {
  body: number;
  local: Float64Array; // 3 x 4: X_BS times the scale, rows
  color: Color;
}

interface Batch {
  mesh: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
  instances: Instance[];
}

function local_matrix(X_BS: Pose, scale: [number, number, number]): Float64Array {
  const m = new Matrix4().compose(new Vector3(X_BS[0], X_BS[1], X_BS[2]),
    new Quaternion(X_BS[4], X_BS[5], X_BS[6], X_BS[3]), new Vector3(...scale));
  const e = m.elements;
  return Float64Array.of(e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]);
}

// A horizontal plane of the world at height zero of its shape: drawn as the ground, not as a body.
export function floor_height(model: Model): number | null {
  for (const body of model.bodies) {
    if (!body.immobile || body.parent >= 0) continue;
    for (const shape of body.shapes) {
      const [, x, y] = shape.X_BS.slice(3);
      const F = body.joint.X_PF;
      const level = [x, y, F[4], F[5]].every((v) => Math.abs(v) < 1e-9);
      if (shape.type === 'plane' && level) return F[2] - body.joint.p_BM[2] + shape.X_BS[2];
    }
  }
  return null;
}

export class Figure {
  readonly group = new Group();
  private readonly batches: Batch[] = [];
  private readonly rotation = new Float64Array(9);
  private highlighted = -1;

  // opacity < 1: a ghost, which casts no shadow.
  constructor(private readonly model: Model, skip_floor: boolean, private readonly opacity = 1) {
    const found = new Map<string, { geometry: BufferGeometry; shapes: [number, Shape, Float64Array][];
                                    alpha: number; terrain: boolean }>();
    model.bodies.forEach((body, index) => {
      for (const shape of body.shapes) {
        const alpha = shape.color[3] ?? 1;
        if (alpha <= 0 || (skip_floor && shape.type === 'plane')) continue;
        const form = form_of(shape);
        const key = `${form.key} ${alpha}`;
        const terrain = shape.type === 'height_field' || shape.type === 'plane';
        let entry = found.get(key);
        if (!entry) found.set(key, (entry = { geometry: form.make(), shapes: [], alpha, terrain }));
        entry.shapes.push([index, shape, local_matrix(shape.X_BS, form.scale)]);
      }
    });
    for (const { geometry, shapes, alpha, terrain } of found.values()) {
      this.add_batch(geometry, shapes, alpha * opacity, terrain);
    }
  }

  private add_batch(geometry: BufferGeometry, shapes: [number, Shape, Float64Array][], alpha: number,
                    terrain: boolean): void {
    const material = new MeshStandardMaterial({
      roughness: 0.62, metalness: 0, transparent: alpha < 1, opacity: alpha,
      side: terrain ? DoubleSide : 0, depthWrite: alpha === 1,
    });
    const mesh = new InstancedMesh(geometry, material, shapes.length);
    mesh.frustumCulled = false;
    mesh.castShadow = this.opacity === 1 && !terrain;
    mesh.receiveShadow = this.opacity === 1;
    const instances = shapes.map(([body, shape, local]) => ({
      body, local, color: new Color().setRGB(shape.color[0], shape.color[1], shape.color[2], 'srgb'),
    }));
    instances.forEach((instance, i) => mesh.setColorAt(i, instance.color));
    this.batches.push({ mesh, instances });
    this.group.add(mesh);
  }

  update(poses: Float64Array): void {
    const R = this.rotation;
    for (const { mesh, instances } of this.batches) {
      const out = mesh.instanceMatrix.array;
      for (let i = 0; i < instances.length; ++i) {
        const { body, local: L } = instances[i];
        const at = 7 * body, o = 16 * i;
        matrix_of_quaternion(poses, at + 3, R);
        for (let c = 0; c < 4; ++c) {
          const x = L[c], y = L[4 + c], z = L[8 + c];
          out[o + 4 * c] = R[0] * x + R[1] * y + R[2] * z;
          out[o + 4 * c + 1] = R[3] * x + R[4] * y + R[5] * z;
          out[o + 4 * c + 2] = R[6] * x + R[7] * y + R[8] * z;
        }
        out[o + 12] += poses[at];
        out[o + 13] += poses[at + 1];
        out[o + 14] += poses[at + 2];
        out[o + 15] = 1;
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // rays test it: it must be computed anew
    }
  }

  // The body in which the ray ends first, and where.
  pick(ray: Raycaster): { body: number; point: Vector3 } | null {
    const hits: Intersection[] = [];
    for (const { mesh } of this.batches) mesh.raycast(ray, hits);
    hits.sort((a, b) => a.distance - b.distance);
    const first = hits[0];
    if (!first || first.instanceId === undefined) return null;
    const batch = this.batches.find((b) => b.mesh === first.object);
    return batch ? { body: batch.instances[first.instanceId].body, point: first.point } : null;
  }

  highlight(body: number, accent: Color): void {
    if (body < 0 && this.highlighted < 0) return;
    this.highlighted = body;
    const tinted = new Color();
    for (const { mesh, instances } of this.batches) {
      instances.forEach((instance, i) => {
        const chosen = instance.body === body;
        mesh.setColorAt(i, chosen ? tinted.copy(instance.color).lerp(accent, 0.45) : instance.color);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  // Middle and half size of the bodies that may move (of all, when none may).
  extent(poses: Float64Array): { center: Vector3; radius: number; lowest: number } {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    for (const moving of [true, false]) {
      this.model.bodies.forEach((body, i) => {
        if (moving && body.immobile) return;
        let size = 0;
        for (const s of body.shapes) {
          if (s.type === 'plane' || s.type === 'height_field') continue;
          const reach = s.half ? Math.hypot(...s.half) : (s.radius ?? 0.1) + (s.half_length ?? 0);
          size = Math.max(size, reach + Math.hypot(s.X_BS[0], s.X_BS[1], s.X_BS[2]));
        }
        for (let k = 0; k < 3; ++k) {
          low.setComponent(k, Math.min(low.getComponent(k), poses[7 * i + k] - size));
          high.setComponent(k, Math.max(high.getComponent(k), poses[7 * i + k] + size));
        }
      });
      if (low.x <= high.x) break;
    }
    if (low.x > high.x) return { center: new Vector3(), radius: 1, lowest: 0 };
    return { center: low.clone().add(high).multiplyScalar(0.5),
             radius: Math.max(0.5 * low.distanceTo(high), 0.05), lowest: low.z };
  }

  dispose(): void {
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
    this.group.removeFromParent();
  }
}
