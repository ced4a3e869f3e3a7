// The floor: a wide plane that takes shadows, and a grid whose lines fade with distance. Its spacing
// follows the camera: 1 cm to 100 m.
import { Color, Mesh, MeshLambertMaterial, PlaneGeometry, ShaderMaterial, Vector3, type Scene } from 'three';
import type { Theme } from './theme';

const grid_vertex = `
  varying vec3 place;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const grid_fragment = `
  varying vec3 place;
  uniform vec3 color, center;
  uniform float spacing, reach;
  float lines(float step) {
    vec2 at = place.xy / step;
    vec2 d = abs(fract(at - 0.5) - 0.5) / fwidth(at);
    return 1.0 - min(min(d.x, d.y), 1.0);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25 * reach, reach, length(place.xy - center.xy));
    float strength = max(0.35 * lines(spacing), 0.8 * lines(10.0 * spacing));
    gl_FragColor = vec4(color, strength * fade);
    #include <colorspace_fragment>
  }`;

// The floor lies a little behind its lines, also where it is seen from the side.
const behind_grid = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };

export class Ground {
  private readonly floor: Mesh<PlaneGeometry, MeshLambertMaterial>;
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;

  constructor(scene: Scene) {
    const plane = new PlaneGeometry(2, 2);
    this.floor = new Mesh(plane, new MeshLambertMaterial({ color: 0xffffff, ...behind_grid }));
    this.floor.receiveShadow = true;
    this.grid = new Mesh(plane, new ShaderMaterial({
      vertexShader: grid_vertex,
      fragmentShader: grid_fragment,
      transparent: true,
      depthWrite: false,
      side: 2,
      uniforms: {
        color: { value: new Color() }, center: { value: new Vector3() },
        spacing: { value: 1 }, reach: { value: 30 },
      },
    }));
    this.grid.renderOrder = 1;
    scene.add(this.floor, this.grid);
  }

  // Solid: bodies stand on it; otherwise only lines are drawn, at this height.
  place(height: number, solid: boolean, shown: boolean): void {
    this.floor.visible = shown && solid;
    this.grid.visible = shown;
    this.floor.position.z = height;
    this.grid.position.z = height;
  }

  paint(theme: Theme): void {
    this.floor.material.color.copy(theme.ground);
    this.grid.material.uniforms.color.value.copy(theme.line);
  }

  // Around the point looked at, from this distance.
  follow(center: Vector3, distance: number): void {
    const spacing = 10 ** Math.floor(Math.log10(Math.max(distance, 0.02) / 2.5));
    const reach = 12 * Math.max(distance, 0.05);
    const uniforms = this.grid.material.uniforms;
    uniforms.spacing.value = spacing;
    uniforms.reach.value = reach;
    uniforms.center.value.copy(center);
    for (const mesh of [this.floor, this.grid]) {
      mesh.position.x = center.x;
      mesh.position.y = center.y;
      mesh.scale.set(2 * reach, 2 * reach, 1);
    }
    this.grid.position.z = this.floor.position.z + 2e-4 * distance;
  }
}
