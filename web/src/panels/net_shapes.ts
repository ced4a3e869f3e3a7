// How places, transitions and arcs look, in the units of the drawing.
import type { Net, NetArc, NetPlace, NetTransition, Point } from './net_messages';

export const radius = 17;
export const bar = { width: 9, height: 36 };

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number> = {},
                                                          ...children: Node[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export interface PlaceParts {
  group: SVGGElement;
  name: SVGTextElement;
  about: SVGTextElement; // its delay
  pie: SVGCircleElement;
  tokens: SVGGElement;
  shown: string; // tokens as drawn
}

export interface TransitionParts {
  group: SVGGElement;
  name: SVGTextElement;
  about: SVGTextElement; // its event and priority
  flash: SVGRectElement;
}

const title = (lines: string[]): SVGTitleElement => svg('title', {}, document.createTextNode(lines.filter(Boolean).join('\n')));

export function place_shape(p: NetPlace): PlaceParts {
  const pie = svg('circle', { r: radius / 2, class: 'pie', 'stroke-width': radius, transform: 'rotate(-90)' });
  const tokens = svg('g', { class: 'tokens' });
  const name = svg('text', { class: 'name', y: radius + 3 }), about = svg('text', { class: 'delay beside', x: 0.8 * radius, y: -0.75 * radius });
  const group = svg('g', { class: `node${p.more ? ' more' : ''}`, 'data-place': p.name, tabindex: -1, role: 'button', 'aria-label': `place ${p.name}` },
    title([p.name, p.action, delay_words(p)]), svg('circle', { r: radius, class: p.acts || p.action ? 'place action' : 'place' }),
    pie, tokens, name, about);
  return { group, name, about, pie, tokens, shown: '' };
}

export const delay_words = (p: NetPlace): string => (p.delay === '0' ? '' : `${p.delay} s`);
export const firing_words = (t: NetTransition): string =>
  [t.event && `[${t.event}]`, t.priority === 1 ? '' : `▲${t.priority}`].filter(Boolean).join(' ');

export function transition_shape(t: NetTransition): TransitionParts {
  const size = { x: -bar.width / 2, y: -bar.height / 2, width: bar.width, height: bar.height, rx: 2 };
  const flash = svg('rect', { ...size, class: 'flash', opacity: 0 });
  const name = svg('text', { class: 'name', y: bar.height / 2 + 3 }), about = svg('text', { class: 'delay', y: -bar.height / 2 - 5 });
  const group = svg('g', { class: `node transition${t.more ? ' more' : ''}`, 'data-transition': t.name, tabindex: -1, role: 'button',
                           'aria-label': `transition ${t.name}` },
    title([t.name, firing_words(t)]), svg('rect', { x: -16, y: -22, width: 32, height: 44, class: 'reach' }),
    svg('rect', { ...size, class: 'bar' }), flash, name, about);
  return { group, name, about, flash };
}

// Tokens as dots, those that wait hollow; many as a number.
export function token_dots(tokens: number, ready: number): SVGElement[] {
  if (tokens > 5) return [svg('text', { class: 'count', y: 5 }, document.createTextNode(tokens < 1e5 ? String(tokens) : tokens.toExponential(0)))];
  const places = [[[0, 0]], [[-5, 0], [5, 0]], [[0, -5], [-5, 4], [5, 4]], [[-5, -5], [5, -5], [-5, 5], [5, 5]],
                  [[-6, -6], [6, -6], [0, 0], [-6, 6], [6, 6]]][tokens - 1];
  return places.map(([cx, cy], i) => svg('circle', { cx, cy, r: 3.6, class: i < ready ? 'token' : 'token waits' }));
}

const to_circle = (p: Point, q: Point, gap: number): Point => {
  const part = (radius + gap) / (Math.hypot(q.x - p.x, q.y - p.y) || 1);
  return { x: p.x + (q.x - p.x) * part, y: p.y + (q.y - p.y) * part };
};
const to_bar = (p: Point, q: Point, gap: number): Point => {
  const dx = q.x - p.x, dy = q.y - p.y;
  const part = Math.min((bar.width / 2 + gap) / Math.max(Math.abs(dx), 1e-9), (bar.height / 2 + gap) / Math.max(Math.abs(dy), 1e-9));
  return { x: p.x + dx * part, y: p.y + dy * part };
};

// From edge to edge, smooth through its bends; where there is another arc between the two, each on its own side.
export function arc_path(net: Net, arc: NetArc, has_twin: boolean): string {
  const place = net.places[arc.place], transition = net.transitions[arc.transition];
  const between: Point[] = [];
  const bends = arc.bends ?? [];
  for (let k = 0; k + 1 < bends.length; k += 2) between.push({ x: bends[k], y: bends[k + 1] });
  if (!between.length && has_twin) {
    const dx = transition.x - place.x, dy = transition.y - place.y, length = Math.hypot(dx, dy) || 1;
    const side = arc.kind === 'output' ? 16 : -16;
    between.push({ x: (place.x + transition.x) / 2 - dy / length * side, y: (place.y + transition.y) / 2 + dx / length * side });
  }
  const from_place = arc.kind !== 'output';
  const points = from_place ? [place, ...between, transition] : [transition, ...between, place];
  const last = points.length - 1;
  const start = (from_place ? to_circle : to_bar)(points[0], points[1], 0);
  const end = (from_place ? to_bar : to_circle)(points[last], points[last - 1], 1.5);
  let d = `M${start.x} ${start.y}`;
  between.forEach((p, k) => {
    const next = k + 1 < between.length ? { x: (p.x + between[k + 1].x) / 2, y: (p.y + between[k + 1].y) / 2 } : end;
    d += `Q${p.x} ${p.y} ${next.x} ${next.y}`;
  });
  return between.length ? d : `${d}L${end.x} ${end.y}`;
}

export function arc_markers(): SVGDefsElement {
  const marker = (id: string, shape: SVGElement): SVGMarkerElement =>
    svg('marker', { id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, orient: 'auto',
                    markerUnits: 'userSpaceOnUse' }, shape);
  return svg('defs', {}, marker('net-arrow', svg('path', { d: 'M0 1L9 5L0 9z', class: 'arrow' })),
    marker('net-ring', svg('circle', { cx: 5, cy: 5, r: 4, class: 'ring' })));
}
