// What the server says of motions and gaits: docs/studio.md.
import type { Description } from '../messages';

export type Mark = 'green' | 'neutral' | 'red';
export type PaletteName = 'air' | 'ground';

export interface ModeCell {
  step: number;
  palette: PaletteName;
  mode: number;
  amplitude: number;
  mark: Mark;
  hertz: number;
  damping?: number;
  word: string;
  about: string;
  shape: number[]; // a velocity of the model; the largest turn of a joint is 1 rad
}

export interface RestJoint {
  joint: string;
  body: number;
  partner: string;
  turn: number[]; // degrees
  axes: number;
}

export interface MotionPart {
  steps: ({ feet: string[] } & Record<PaletteName, ModeCell[]>)[];
  rest_coordinates: number[];
  rest: RestJoint[];
  mirrored: boolean;
  period: number;
  most_amplitude: number;
  stiffness: number | null;
  relaxation: number;
}

export interface Worth {
  valid: boolean;
  speed: number | null;
  cost_of_transport: number | null;
  steps: number;
  seconds: number;
  fell: boolean;
  feedback: boolean;
  cyclic_error: number | null;
  likeness: number | null;
  peak_force: number | null;
  duty_factor: number | null;
}

export interface TrainingPart {
  state: 'running' | 'cancelled' | 'found' | 'not_found' | 'failed';
  restart: number;
  run: number;
  generation: number;
  evaluations: number;
  objective: number | null;
  cyclic_error: number | null;
  easy: number | null;
  rate: number;
  left: number;
  kept: string; // where the motion lies that is trained, and its checkpoint beside it
  period?: number; // of the best candidate, s
  file?: string; // the result, to be opened
  asset?: string; // to be saved
  worth?: Worth;
  error?: string;
  unsaved?: string; // why the search could not be saved
  curve?: (number | null)[][];
}

export interface PushesPart {
  event: 'pushing' | 'pushes';
  settled: number;
  of: number;
  directions: number;
  phases: number;
  mass: number;
  push_seconds: number;
  least: number;
  impulse: number[]; // N s/kg, phases of the first direction, then of the next
}

export function motion_of(describe: Description): MotionPart | null {
  return (describe.motion as MotionPart | undefined) ?? null;
}
