// Names on a drawing that is seen from any distance: they keep their size on the screen, are shortened or left out
// where they would run into each other, and are gone where one is too far away to read.
import type { Point } from './net_messages';

const size = 13; // px
const too_far = 0.3; // scale below which nothing is written
// Letters, and whether over the node: the first that fits.
const ways: [letters: number, above: boolean][] = [[14, false], [14, true], [9, false], [9, true], [6, false], [6, true]];
const cell = 64;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Label {
  element: SVGTextElement;
  text: string;
  node: Point; // moves
  x: number; // of the text, from the node
  y: number; // baseline, or the top of a name
  kind: 'name' | 'start' | 'middle'; // hangs under its node, starts here, or stands with its middle here
}

// Boxes by the squares that they touch.
class Boxes {
  private readonly cells = new Map<number, Box[]>();

  private *near({ left, top, right, bottom }: Box): Generator<number> {
    for (let i = Math.floor(left / cell); i <= Math.floor(right / cell); ++i) {
      for (let k = Math.floor(top / cell); k <= Math.floor(bottom / cell); ++k) yield i * 1_000_003 + k;
    }
  }

  add(box: Box): void {
    for (const key of this.near(box)) {
      const list = this.cells.get(key);
      if (list) list.push(box);
      else this.cells.set(key, [box]);
    }
  }

  meets(box: Box): boolean {
    for (const key of this.near(box)) {
      for (const other of this.cells.get(key) ?? []) {
        if (box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom) return true;
      }
    }
    return false;
  }
}

const pen = document.createElement('canvas').getContext('2d')!;
const widths = new Map<string, number>();

function width_of(text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    pen.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    width = pen.measureText(text).width + 2;
    if (widths.size > 20_000) widths.clear();
    widths.set(text, width);
  }
  return width;
}

// Names often differ at their ends.
export function shortened(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

// Lays the labels out for a scale (px per unit); the first ones go first. `taken` is where nodes are.
export function place_labels(labels: Label[], taken: Box[], scale: number): void {
  const unit = 1 / Math.min(1, scale); // of a pixel of text
  const boxes = new Boxes();
  for (const box of taken) boxes.add(box);
  for (const label of labels) {
    const { element, text, node, x, y, kind } = label;
    if (!text) continue;
    let shown = '', above = false;
    for (const [most, higher] of scale < too_far ? [] : ways) {
      if (higher && kind !== 'name') continue;
      const words = shortened(text, most);
      const width = width_of(words) * unit, height = size * unit;
      const left = node.x + x - (kind === 'start' ? 0 : width / 2);
      const top = kind !== 'name' ? node.y + y - 0.8 * height : higher ? node.y - y - height : node.y + y;
      const box = { left, right: left + width, top, bottom: top + height };
      if (boxes.meets(box)) continue;
      boxes.add(box);
      [shown, above] = [words, higher];
      break;
    }
    if (element.textContent !== shown) element.textContent = shown;
    if (kind === 'name') element.setAttribute('y', String(above ? -y - size * unit : y));
  }
}

export const text_size = (scale: number): number => size / Math.min(1, scale);
