// Triangles of molejo's shapes. Shapes that differ only by a scale along their axes share one
// geometry, so that a thousand boxes are one draw call.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, PlaneGeometry,
  SphereGeometry,
} from 'three';
import type { Shape } from '../messages';

export interface Form {
  key: string; // same key, same geometry
  scale: [number, number, number];
  make: () => BufferGeometry;
}

function upright<G extends BufferGeometry>(geometry: G): G {
  geometry.rotateX(Math.PI / 2); // three's axes of round shapes are y, ours z
  return geometry;
}

function polyhedron(shape: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(shape.vertices ?? []), 3));
  geometry.setIndex(shape.triangles ?? []);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function height_field(shape: Shape): BufferGeometry {
  const columns = shape.columns ?? 2, rows = shape.rows ?? 2;
  const dx = shape.dx ?? 1, dy = shape.dy ?? 1, heights = shape.heights ?? [];
  const positions = new Float32Array(3 * columns * rows);
  const triangles: number[] = [];
  for (let j = 0; j < rows; ++j) {
    for (let i = 0; i < columns; ++i) {
      const k = j * columns + i;
      positions[3 * k] = (i - (columns - 1) / 2) * dx;
      positions[3 * k + 1] = (j - (rows - 1) / 2) * dy;
      positions[3 * k + 2] = heights[k] ?? 0;
      if (i + 1 < columns && j + 1 < rows) {
        triangles.push(k, k + 1, k + columns + 1, k, k + columns + 1, k + columns);
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(triangles);
  geometry.computeVertexNormals();
  return geometry;
}

let unique = 0;

export function form_of(shape: Shape): Form {
  const r = shape.radius ?? 0.1, h = shape.half_length ?? 0;
  switch (shape.type) {
    case 'box': {
      const [x, y, z] = shape.half ?? [0.5, 0.5, 0.5];
      return { key: 'box', scale: [2 * x, 2 * y, 2 * z], make: () => new BoxGeometry(1, 1, 1) };
    }
    case 'sphere':
      return { key: 'sphere', scale: [r, r, r], make: () => new SphereGeometry(1, 32, 20) };
    case 'cylinder':
      return { key: 'cylinder', scale: [r, r, 2 * h],
               make: () => upright(new CylinderGeometry(1, 1, 1, 32)) };
    case 'capsule': {
      const ratio = Math.max(h / r, 1e-3);
      return { key: `capsule ${ratio.toFixed(4)}`, scale: [r, r, r],
               make: () => upright(new CapsuleGeometry(1, 2 * ratio, 8, 24)) };
    }
    case 'plane':
      return { key: 'plane', scale: [20, 20, 1], make: () => new PlaneGeometry(1, 1) };
    case 'height_field':
      return { key: `field ${unique++}`, scale: [1, 1, 1], make: () => height_field(shape) };
    case 'mesh':
      return { key: `mesh ${unique++}`, scale: [1, 1, 1], make: () => polyhedron(shape) };
  }
}
