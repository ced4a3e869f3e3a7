// The ways of the feet of a walker over the ground, as lines that end where the feet are.
import {
  BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Vector3, type Color, type Object3D,
} from 'three';

const points = 360; // six seconds at sixty frames

// Left and right foot by the names that files use; toes and ends are none.
export function foot_joints(names: string[]): number[] {
  const feet = names.flatMap((name, i) => (/foot|ankle/i.test(name) && !/toe|end|ik|_?tip/i.test(name) ? [i] : []));
  return feet.slice(0, 8);
}

export class FootCurves {
  readonly group = new Group();
  private readonly curves: { joint: Object3D; line: Line; count: number }[];
  private readonly material: LineBasicMaterial;
  private readonly place = new Vector3();

  constructor(joints: Object3D[], color: Color) {
    this.material = new LineBasicMaterial({ color });
    this.curves = joints.map((joint) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
      const line = new Line(geometry, this.material);
      line.frustumCulled = false;
      this.group.add(line);
      return { joint, line, count: 0 };
    });
  }

  forget(): void {
    for (const curve of this.curves) curve.count = 0;
  }

  // Where the feet are drawn now.
  record(): void {
    for (const curve of this.curves) {
      const position = curve.line.geometry.getAttribute('position') as BufferAttribute;
      const array = position.array as Float32Array;
      curve.joint.getWorldPosition(this.place);
      if (curve.count === points) array.copyWithin(0, 3);
      else curve.count += 1;
      this.place.toArray(array, 3 * (curve.count - 1));
      position.needsUpdate = true;
      curve.line.geometry.setDrawRange(0, curve.count);
    }
  }

  dispose(): void {
    for (const { line } of this.curves) line.geometry.dispose();
    this.material.dispose();
  }
}
