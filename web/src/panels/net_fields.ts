// The chosen place or transition, to be changed: what it is called, what it holds, its arcs.
import { el } from '../dom';
import type { ArcKind, Net, NetEdit, NodeId } from './net_messages';

const arc_words: Record<ArcKind, string> = {
  input: 'takes', output: 'puts', inhibitor: 'is stopped by', interrupter: 'cuts short',
};

type Send = (edits: NetEdit[]) => Promise<string | null>; // an error, or nothing

function show_problem(error: HTMLElement, input: HTMLElement, problem: string | null): void {
  error.hidden = problem === null;
  error.textContent = problem ?? '';
  if (problem) input.setAttribute('aria-invalid', 'true');
  else input.removeAttribute('aria-invalid');
}

// A line whose error stands under it.
function field(label: string, value: string, type: 'text' | 'number', send: (text: string) => Promise<string | null>): HTMLElement {
  const input = el('input', { type, value, 'aria-label': label, 'data-field': label, step: 'any', spellcheck: 'false', autocomplete: 'off' });
  const error = el('div', { class: 'error', role: 'alert', hidden: true });
  input.onchange = async () => {
    show_problem(error, input, await send(input.value));
  };
  return el('div', { class: 'net-field formula' }, el('label', {}, label === 'delay' ? 'delay (s)' : label), input, error);
}

function arc_line(net: Net, node: NodeId, i: number, send: Send): HTMLElement {
  const arc = net.arcs[i];
  const place = net.places[arc.place].name, transition = net.transitions[arc.transition].name;
  const weight = el('input', { type: 'number', min: 0, step: 1, value: arc.weight, 'aria-label': `Weight to ${place}` });
  const kind = el('select', { 'aria-label': 'Kind of arc' });
  for (const [value, text] of Object.entries(arc_words)) kind.append(el('option', { value, selected: value === arc.kind }, text));
  const error = el('div', { class: 'error', role: 'alert', hidden: true });
  const set = (k: string, w: number): void => {
    const edits: NetEdit[] = [];
    if (k !== arc.kind) edits.push({ op: 'arc', kind: arc.kind, place, transition, weight: 0 });
    edits.push({ op: 'arc', kind: k, place, transition, weight: w });
    void send(edits).then((problem) => show_problem(error, weight, problem));
  };
  weight.onchange = () => set(arc.kind, Number(weight.value));
  kind.onchange = () => set(kind.value, arc.weight);
  const other = node.of === 'place' ? transition : place;
  return el('div', { class: 'net-arc formula' }, kind, el('span', { title: other }, other), weight,
    el('button', { title: 'Remove the arc', 'aria-label': 'Remove the arc', onclick: () => set(arc.kind, 0) }, '×'), error);
}

export function node_fields(net: Net, node: NodeId, send: Send): HTMLElement[] {
  const is_place = node.of === 'place';
  const item = is_place ? net.places[node.index] : net.transitions[node.index];
  // an empty number is none: it is refused
  const number = (text: string): number => (text === '' ? NaN : Number(text));
  const set = (key: string, value: string | number) => send([{ op: 'set', [node.of]: item.name, [key]: value }]);
  const lines = [field('name', item.name, 'text', (to) => send([{ op: 'rename', [node.of]: item.name, to }]))];
  if (is_place) {
    const place = net.places[node.index];
    lines.push(field('delay', place.delay, 'text', (text) => set('delay', text)),
      field('tokens', String(place.tokens), 'number', (text) => set('tokens', number(text))),
      field('action', place.action, 'text', (text) => set('action', text)));
  } else {
    const transition = net.transitions[node.index];
    lines.push(field('priority', String(transition.priority), 'number', (text) => set('priority', number(text))),
      field('event', transition.event, 'text', (text) => set('event', text)));
  }
  const arcs = net.arcs.flatMap((arc, i) => ((is_place ? arc.place : arc.transition) === node.index ? [i] : []));
  return [
    el('h3', {}, `${is_place ? 'Place' : 'Transition'} ${item.name}`),
    el('div', { class: 'net-fields' }, ...lines),
    ...arcs.map((i) => arc_line(net, node, i, send)),
    el('button', { class: 'framed', 'data-act': 'remove', onclick: () => void send([{ op: 'remove', [node.of]: item.name }]) },
      `Remove ${item.name}`),
  ];
}

// The kind of arc between two nodes in the direction it was drawn.
export function drawn_arc(net: Net, from: NodeId, to: NodeId, inhibits: boolean): NetEdit {
  const place = net.places[from.of === 'place' ? from.index : to.index].name;
  const transition = net.transitions[from.of === 'place' ? to.index : from.index].name;
  const kind: ArcKind = from.of === 'transition' ? 'output' : inhibits ? 'inhibitor' : 'input';
  return { op: 'arc', kind, place, transition };
}

export function free_name(net: Net, of: 'place' | 'transition'): string {
  const taken = new Set((of === 'place' ? net.places : net.transitions).map((n) => n.name));
  // of a part one does not know all names
  for (let i = net.whole ? 1 : net.size[of === 'place' ? 0 : 1] + 1; ; ++i) {
    const name = `${of === 'place' ? 'P' : 'T'}${i}`;
    if (!taken.has(name)) return name;
  }
}
