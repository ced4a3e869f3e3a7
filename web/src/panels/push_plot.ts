// How hard a gait may be pushed, by direction: a polar plot, forward is up and left is left.
import { el, short_number } from '../dom';
import type { PushesPart } from './motion_messages';

const size = 250, middle = size / 2, reach = 92;

function shape(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

export function push_plot(pushes: PushesPart): HTMLElement {
  const { directions, phases, impulse, mass, push_seconds } = pushes;
  const at = (d: number, p: number): number => impulse[d * phases + p];
  const top_impulse = Math.max(...impulse), top = Math.max(0.2, Math.ceil(5 * top_impulse) / 5);
  const place = (d: number, value: number): string => {
    const a = 2 * Math.PI * d / directions, r = reach * value / top;
    return `${(middle - r * Math.sin(a)).toFixed(1)},${(middle - r * Math.cos(a)).toFixed(1)}`;
  };
  const ring = (value: (d: number) => number): string =>
    Array.from({ length: directions }, (_, d) => place(d, value(d))).join(' ');
  const svg = shape('svg', { viewBox: `0 0 ${size} ${size}`, class: 'polar', role: 'img' });
  svg.setAttribute('aria-label', `Largest push survived, at least ${short_number(pushes.least)} newton seconds per kilogram`);
  for (let k = 1; k <= 4; ++k) {
    svg.append(shape('circle', { cx: middle, cy: middle, r: reach * k / 4, class: 'grid' }),
      shape('text', { x: middle + 3, y: middle - reach * k / 4 - 2, class: 'tick' }, short_number(top * k / 4)));
  }
  for (let p = 0; p < phases; ++p) svg.append(shape('polygon', { points: ring((d) => at(d, p)), class: 'phase' }));
  svg.append(shape('polygon', { points: ring((d) => Math.min(...Array.from({ length: phases }, (_, p) => at(d, p)))), class: 'least' }));
  for (const [text, x, y] of [['forward', middle, 14], ['back', middle, size - 6], ['left', 16, middle + 4], ['right', size - 18, middle + 4]] as const) {
    svg.append(shape('text', { x, y, class: 'side' }, text));
  }
  const newtons = Math.round(pushes.least * mass / push_seconds);
  const text = pushes.event === 'pushing' ? `${pushes.settled} of ${pushes.of} directions and phases are settled.`
    : top_impulse === 0 ? 'It falls by itself within five seconds, pushed or not: molejo stabilise can give it a feedback.'
    : `Survived in all phases: at least ${short_number(pushes.least)} N s/kg (${newtons} N for ${push_seconds} s). Thin: each phase of the step.`;
  return el('div', {}, svg as unknown as HTMLElement, el('p', { class: 'soft' }, text));
}
