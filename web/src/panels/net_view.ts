// What part of a drawing is seen, and how large: fitted, zoomed, moved, going along with what happens.
import type { Point } from './net_messages';

interface Frame {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const readable = 0.55; // scale that is chosen where all of it would be smaller than
const least = 0.38; // where all of it is chosen; in a picture, which cannot be moved, even smaller
const least_in_picture = 0.15;
const largest = 1.5;
const margin = { side: 46, top: 36, bottom: 52 }; // around nodes: names stand under them

export function frame_of(points: Point[]): Frame {
  const frame = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    frame.left = Math.min(frame.left, x - margin.side);
    frame.right = Math.max(frame.right, x + margin.side);
    frame.top = Math.min(frame.top, y - margin.top);
    frame.bottom = Math.max(frame.bottom, y + margin.bottom);
  }
  return frame;
}

export class NetView {
  x = 0;
  y = 0;
  scale = 1; // px per unit
  private width = 0; // px
  private height = 0;

  constructor(private readonly root: SVGSVGElement, private readonly changed: (scaled: boolean) => void) {}

  // The room on the page. False where there is none yet.
  measure(): boolean {
    const { width, height } = this.root.getBoundingClientRect();
    this.width = width;
    this.height = height;
    return width > 0 && height > 0;
  }

  // All of it where it can be read, else from its left end on; with `all` whatever it takes.
  fit(points: Point[], all: boolean): void {
    if (!points.length || !this.measure()) return;
    const f = frame_of(points);
    const whole = Math.min(this.width / (f.right - f.left), this.height / (f.bottom - f.top), largest);
    const enough = document.body.classList.contains('bare') ? least_in_picture : least;
    this.scale = all || whole >= enough ? whole : readable;
    const w = this.width / this.scale, h = this.height / this.scale;
    this.x = w < f.right - f.left ? f.left : (f.left + f.right - w) / 2;
    this.y = h < f.bottom - f.top ? f.top : (f.top + f.bottom - h) / 2;
    this.apply(true);
  }

  zoom(factor: number, about?: Point): void {
    const p = about ?? { x: this.x + this.width / this.scale / 2, y: this.y + this.height / this.scale / 2 };
    const scale = Math.min(Math.max(this.scale * factor, 0.03), 4);
    this.x = p.x - (p.x - this.x) * this.scale / scale;
    this.y = p.y - (p.y - this.y) * this.scale / scale;
    this.scale = scale;
    this.apply(true);
  }

  move_to(x: number, y: number): void {
    this.x = x;
    this.y = y;
    this.apply(false);
  }

  // Closer, by a part of the way, to where all of these are seen, or the nearest of them. False: they are.
  go_along(points: Point[], part: number): boolean {
    if (!points.length) return false;
    const w = this.width / this.scale, h = this.height / this.scale;
    let f = frame_of(points);
    if (f.right - f.left > w || f.bottom - f.top > h) {
      const middle = { x: this.x + w / 2, y: this.y + h / 2 };
      const far = (p: Point): number => Math.hypot(p.x - middle.x, p.y - middle.y);
      f = frame_of([points.reduce((a, b) => (far(b) < far(a) ? b : a))]);
    }
    const dx = Math.min(0, f.left - this.x) + Math.max(0, f.right - this.x - w);
    const dy = Math.min(0, f.top - this.y) + Math.max(0, f.bottom - this.y - h);
    if (Math.hypot(dx, dy) * this.scale < 1) return false;
    this.move_to(this.x + part * dx, this.y + part * dy);
    return true;
  }

  to_net(event: { clientX: number; clientY: number }): Point {
    const box = this.root.getBoundingClientRect();
    return { x: this.x + (event.clientX - box.left) / this.scale, y: this.y + (event.clientY - box.top) / this.scale };
  }

  apply(scaled: boolean): void {
    if (!this.measure()) return;
    this.root.setAttribute('viewBox', `${this.x} ${this.y} ${this.width / this.scale} ${this.height / this.scale}`);
    this.changed(scaled);
  }
}
