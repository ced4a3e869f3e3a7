// What server and page say to each other: docs/live.md and docs/studio.md.

export type Pose = number[]; // x y z, then the quaternion w x y z

export type JointType =
  | 'fixed' | 'revolute' | 'prismatic' | 'cylindrical' | 'universal' | 'spherical' | 'planar'
  | 'point_in_plane' | 'free';

export interface Shape {
  type: 'box' | 'sphere' | 'capsule' | 'cylinder' | 'mesh' | 'plane' | 'height_field';
  X_BS: Pose;
  color: number[];
  half?: number[];
  radius?: number;
  half_length?: number;
  vertices?: number[];
  triangles?: number[];
  columns?: number;
  rows?: number;
  dx?: number;
  dy?: number;
  heights?: number[];
}

export interface Joint {
  name: string;
  type: JointType;
  first: number; // coordinate
  size: number;
  X_PF: Pose; // its point on the parent, and the child's orientation there at zero
  p_BM: number[]; // its point on the child
  slides: number[][]; // axes of translations, in the parent
  turns: number[][]; // axes of rotations, in the child: none to two
  ball: boolean; // turns by a quaternion instead
  drives?: JointDrive[]; // one a freedom
}

// What acts along one freedom of a joint; what is not told is zero, or not there.
export interface JointDrive {
  stiffness?: number;
  rest?: number;
  kp?: number;
  target?: number;
  max_force?: number;
  lower?: number;
  upper?: number;
}

export interface Body {
  name: string;
  parent: number;
  joint: Joint;
  shapes: Shape[];
  mass: number;
  com: number[]; // centre of mass, in the body frame
  immobile: boolean;
}

export interface Spring {
  name: string;
  bodies: [number, number]; // -1: the world
  points: [number[], number[]];
}

export interface Model {
  bodies: Body[];
  coordinates: number;
  springs: Spring[];
  gravity?: number[];
}

export interface Variable {
  name: string;
  value: number;
  lower?: number;
  upper?: number;
}

export interface Force {
  name: string;
  body: string;
  force: string[];
  torque: string[];
}

export interface Column {
  name: string;
  unit: string;
}

export interface CameraPlace {
  position: number[];
  target: number[];
  fov_deg: number;
  goes_along?: boolean; // it is meant for where the figure stands
}

export interface Walker {
  name: string;
  asset: string | null;
  joints: string[];
  moving: number[]; // joints whose translation is in the frames
  feet?: number[]; // joints, one a leg
  way?: [number, number][]; // way-points that are left
  scale: number;
  options?: Record<string, unknown>;
}

export interface Terrain {
  name?: string;
  asset: string;
}

// The trained cycle of the feet of a gait, as the torso sees them.
export interface FootCycle {
  torso: number;
  bodies: number[];
  seconds: number;
  loops: number[][]; // three numbers a point, one list a foot
}

export interface Description {
  name?: string;
  description?: string;
  fps?: number;
  duration?: number;
  camera?: CameraPlace | null;
  plot?: string[];
  columns?: Column[]; // what can be plotted, where it is not told by the model
  model?: Model;
  variables?: Variable[];
  forces?: Force[];
  probes?: Column[];
  foot_cycle?: FootCycle;
  characters?: Walker[];
  terrains?: Terrain[];
  elevation?: string; // of x and y, where it is a formula
  ground?: string; // the file, where it is one
  grounds?: string[]; // files to choose from
  [more: string]: unknown;
}

export interface Status {
  t: number;
  frame: number;
  playing: boolean;
  speed: number;
  rate: number;
  begin: number;
  end: number;
  steps?: number;
  failure?: string;
  warnings?: string[];
}

export interface GalleryEntry {
  file: string;
  kind: string;
  topic: string;
  title: string;
  description: string;
  thumb: string | null;
}

export interface Answer {
  id?: number;
  error?: string;
  column?: number;
  [more: string]: unknown;
}

export interface ServerEvent {
  event: string;
  [more: string]: unknown;
}
