// Many arrows in two draw calls: shafts and heads.
import {
  ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial,
  Quaternion, Vector3, type Color,
} from 'three';

const up = new Vector3(0, 1, 0);

export class Arrows {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly direction = new Vector3();
  private readonly from = new Vector3();
  private readonly turn = new Quaternion();
  private count = 0;

  constructor(private readonly most: number) {
    const shaft = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const head = new ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
    this.shafts = new InstancedMesh(shaft, this.material, most);
    this.heads = new InstancedMesh(head, this.material, most);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  paint(color: Color): void {
    this.material.color.copy(color);
  }

  clear(): void {
    this.count = 0;
    this.shafts.count = this.heads.count = 0;
  }

  // From (x y z) along (dx dy dz), its whole length; `thick` is the radius of the shaft.
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, thick: number): void {
    const length = Math.hypot(dx, dy, dz);
    if (this.count >= this.most || !(length > 1e-6)) return;
    const head = Math.min(6 * thick, 0.5 * length);
    this.direction.set(dx / length, dy / length, dz / length);
    this.turn.setFromUnitVectors(up, this.direction);
    this.from.set(x, y, z);
    this.matrix.compose(this.from, this.turn, new Vector3(thick, length - head, thick));
    this.shafts.setMatrixAt(this.count, this.matrix);
    this.from.addScaledVector(this.direction, length - head);
    this.matrix.compose(this.from, this.turn, new Vector3(2.4 * thick, head, 2.4 * thick));
    this.heads.setMatrixAt(this.count, this.matrix);
    this.count += 1;
  }

  done(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
