// Tokens on their way along arcs, and the flash of the transition that sends them, in step with the time of the run.
import { svg } from './net_shapes';

const lasts = 0.36; // s, to the transition and on from there
const most = 200; // at once

interface Dot {
  path: SVGPathElement;
  first: boolean; // on its way to the transition
  length: number;
  circle: SVGCircleElement;
}

interface Flight {
  transition: number;
  t: number;
  seen: number; // ms of wall time when it was told
  after_jump: boolean;
  flash: SVGRectElement;
  dots: Dot[];
}

export class NetFlights {
  readonly layer = svg('g', { class: 'flights' });
  private flights: Flight[] = [];

  get transitions(): number[] {
    return this.flights.map((f) => f.transition);
  }

  add(transition: number, t: number, after_jump: boolean, flash: SVGRectElement, ways: { path: SVGPathElement; first: boolean }[]): void {
    if (this.flights.length > most) return;
    const dots = ways.map(({ path, first }) => {
      const circle = svg('circle', { r: 4, class: 'flying', visibility: 'hidden' });
      this.layer.append(circle);
      return { path, first, length: path.getTotalLength(), circle };
    });
    this.flights.push({ transition, t, seen: performance.now(), after_jump, flash, dots });
  }

  end(): void {
    for (const { flash } of this.flights) flash.setAttribute('opacity', '0');
    this.flights = [];
    this.layer.replaceChildren();
  }

  // True: something moves though the run stands still. There tokens arrive all the same, unless one looks at the past.
  animate(time: number, wall: number, playing: boolean): boolean {
    let moves = false;
    this.flights = this.flights.filter((f) => {
      const in_time = time - f.t;
      const seconds = f.after_jump || playing ? in_time : Math.max(in_time, (wall - f.seen) / 1000);
      const part = seconds / lasts;
      const over = part >= 1 || part < 0;
      f.flash.setAttribute('opacity', String(over ? 0 : 1 - part));
      for (const dot of f.dots) fly(dot, part, over);
      moves ||= !over && !f.after_jump && !playing;
      return !over;
    });
    return moves;
  }
}

function fly({ path, length, circle, first }: Dot, part: number, over: boolean): void {
  const along = first ? 2 * part : 2 * part - 1;
  if (over) return circle.remove();
  if (along < 0 || along > 1) return circle.setAttribute('visibility', 'hidden');
  const { x, y } = path.getPointAtLength(along * length);
  circle.setAttribute('visibility', 'visible');
  circle.setAttribute('cx', String(x));
  circle.setAttribute('cy', String(y));
}
