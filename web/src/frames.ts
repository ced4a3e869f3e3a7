// The binary frames of the server, little-endian: docs/studio.md.

export interface SceneFrame {
  kind: 'scene';
  flags: number;
  frame: number;
  t: number;
  coordinates: Float32Array;
}

export interface ContactsFrame {
  kind: 'contacts';
  t: number;
  contacts: Float32Array; // x y z, then the force, six numbers each
}

export interface PlotsFrame {
  kind: 'plots';
  t: number;
  values: Float32Array;
}

export interface WalkFrame {
  kind: 'walk';
  characters: number;
  frame: number;
  t: number;
  view: DataView;
  offset: number; // of the first character
}

// A second figure of the same model: the best candidate of a training.
export interface GhostFrame {
  kind: 'ghost';
  t: number;
  coordinates: Float32Array;
}

// Feet of walkers: for each where its joint shall be now, where it is, and eight points of the way
// that it shall go until it lands.
export interface FeetFrame {
  kind: 'feet';
  values: Float32Array;
}

export type Frame = SceneFrame | GhostFrame | ContactsFrame | PlotsFrame | WalkFrame | FeetFrame;

const header = 16;

function floats(view: DataView, offset: number): Float32Array {
  return new Float32Array(view.buffer, offset, (view.byteLength - offset) >> 2);
}

export function is_pose(view: DataView): boolean {
  return view.byteLength > 0 && (view.getUint8(0) === 1 || view.getUint8(0) === 4);
}

// Nothing for a frame of an unknown kind.
export function decode(view: DataView): Frame | null {
  if (view.byteLength < header) return null;
  const t = view.getFloat64(8, true);
  switch (view.getUint8(0)) {
    case 1:
      return { kind: 'scene', flags: view.getUint8(1), frame: view.getUint32(4, true), t,
               coordinates: floats(view, header) };
    case 2:
      return { kind: 'contacts', t, contacts: floats(view, header) };
    case 3:
      return { kind: 'plots', t, values: floats(view, header) };
    case 4:
      return { kind: 'walk', characters: view.getUint16(2, true), frame: view.getUint32(4, true), t,
               view, offset: header };
    case 5:
      return { kind: 'ghost', t, coordinates: floats(view, header) };
    case 6:
      return { kind: 'feet', values: floats(view, header) };
    default:
      return null;
  }
}
