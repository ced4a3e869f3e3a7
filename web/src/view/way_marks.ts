// On the ground: poles where walkers shall go, and rings around those that are steered.
import { CylinderGeometry, Group, Mesh, MeshBasicMaterial, Raycaster, RingGeometry, SphereGeometry, Vector3 } from 'three';
import type { TerrainGround } from './terrain_ground';
import type { Theme } from './theme';

const pole = new CylinderGeometry(0.012, 0.012, 0.5, 8).rotateX(Math.PI / 2).translate(0, 0, 0.25);
const knob = new SphereGeometry(0.055, 16, 12).translate(0, 0, 0.5);
const circle = new RingGeometry(0.43, 0.455, 64);

export class WayMarks {
  readonly object = new Group();
  private readonly target = new MeshBasicMaterial();
  private readonly accent = new MeshBasicMaterial({ transparent: true, opacity: 0.8, depthTest: false });
  private ways: [number, number][][] = []; // of each character
  private readonly poles = new Group();
  private readonly rings = new Group();

  constructor(private readonly ground: TerrainGround) {
    this.object.add(this.poles, this.rings);
  }

  paint(theme: Theme): void {
    this.target.color.copy(theme.target);
    this.accent.color.copy(theme.accent);
  }

  get count(): number {
    return this.poles.children.length;
  }

  set(ways: [number, number][][]): void {
    this.ways = ways;
    this.plant();
  }

  // Once the ground is there, and when it has changed.
  plant(): void {
    this.poles.clear();
    const drawn = new Set<string>();
    for (const [x, y] of this.ways.flat()) {
      if (drawn.has(`${x} ${y}`)) continue;
      drawn.add(`${x} ${y}`);
      const point = this.ground.pick(new Raycaster(new Vector3(x, y, 1000), new Vector3(0, 0, -1)));
      const mark = new Group();
      mark.add(new Mesh(pole, this.target), new Mesh(knob, this.target));
      mark.position.set(x, y, point?.z ?? 0);
      this.poles.add(mark);
    }
  }

  // Where everybody stands, and who of them is steered; nobody: nothing to tell apart.
  update(places: (Vector3 | null)[], steered: number[]): void {
    while (this.rings.children.length < steered.length) {
      const ring = new Mesh(circle, this.accent);
      ring.renderOrder = 3;
      this.rings.add(ring);
    }
    this.rings.children.forEach((ring, k) => {
      const place = places[steered[k]];
      ring.visible = k < steered.length && !!place;
      if (place) ring.position.copy(place).setZ(place.z + 0.02);
    });
  }

  dispose(): void {
    this.target.dispose();
    this.accent.dispose();
    this.object.removeFromParent();
  }
}
