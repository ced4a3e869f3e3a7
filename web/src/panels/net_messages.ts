// What server and page say to each other about nets: docs/studio.md.

export interface NetPlace {
  name: string;
  delay: string; // s, "0.5" or "1/3"
  tokens: number; // at the start
  action: string;
  x: number;
  y: number;
  acts?: boolean; // moves something in a show
  more?: boolean; // has arcs to nodes that are not drawn
}

export interface NetTransition {
  name: string;
  priority: number;
  event: string;
  x: number;
  y: number;
  more?: boolean;
}

export type ArcKind = 'input' | 'output' | 'inhibitor' | 'interrupter';

export interface NetArc {
  kind: ArcKind;
  place: number;
  transition: number;
  weight: number;
  bends?: number[]; // x y x y ...
}

export interface Net {
  name: string;
  places: NetPlace[];
  transitions: NetTransition[];
  arcs: NetArc[];
  properties: string[];
  timed: boolean;
  whole: boolean; // false: a part of one that is too large to be drawn
  size: [places: number, transitions: number, arcs: number];
}

// What the net does in the frame that is shown.
export interface NetNow {
  t: number;
  frame: number;
  went_on?: boolean;
  marking: [place: number, tokens: number, ready: number][];
  serving: [place: number, start: number, due: number][];
  fired: [transition: number, t: number][];
  allowed: number[];
}

export type SentenceGroup = 'asked' | 'end' | 'tokens' | 'firing' | 'time' | 'sums' | 'returns' | 'siphons';

export interface Sentence {
  sign: 'good' | 'bad' | 'unknown' | 'remark';
  group: SentenceGroup;
  text: string;
  trace?: number;
  places?: string[]; // that it is about
  transitions?: string[];
  property?: string;
}

// A transition fires, an awaited action is over, a token is put from outside, or time passes.
export interface TraceStep {
  fire?: string;
  finish?: string;
  put?: string;
  time?: number | string; // s; "7/3"
}

export interface Analysis {
  sentences: Sentence[];
  traces: TraceStep[][]; // the beginning of each
  trace_lengths: number[];
  markings: number;
  complete: boolean;
  seconds: number;
}

export interface Chart {
  until: number;
  rows: { name: string; bars: [start: number, end: number | null, kind: number][] }[];
  fired: number[]; // s
}

// A place or a transition.
export interface NodeId {
  of: 'place' | 'transition';
  index: number;
}

export interface Point {
  x: number;
  y: number;
}

export type NetEdit = Record<string, string | number | boolean>;
