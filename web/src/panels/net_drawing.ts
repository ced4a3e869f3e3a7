// The net as a picture that lives: circles with tokens and the progress of their actions, bars that
// flash when they fire, dots that travel along arcs.
import { NetFlights } from './net_flights';
import { place_labels, text_size, type Label } from './net_labels';
import type { Net, NetNow, NodeId, Point } from './net_messages';
import {
  arc_markers, arc_path, bar, delay_words, firing_words, place_shape, radius, svg, token_dots, transition_shape,
  type PlaceParts, type TransitionParts,
} from './net_shapes';
import { NetView } from './net_view';

const least_pause = 30; // ms between two drawings

export const same = (a: NodeId | null, b: NodeId | null): boolean => a?.of === b?.of && a?.index === b?.index;

export class NetDrawing {
  readonly root = svg('svg', { class: 'net-drawing', tabindex: -1, role: 'application', 'aria-label': 'The net' });
  readonly view = new NetView(this.root, (scaled) => this.view_changed(scaled));
  readonly rubber = svg('path', { class: 'rubber', visibility: 'hidden' }); // an arc while it is drawn
  net: Net | null = null;
  now: NetNow | null = null;
  chosen: NodeId | null = null;
  following = true; // the view goes along with what happens
  private fits = true; // the view is as it was made, until somebody moves it
  private fitted_all = false;
  private hovered: NodeId | null = null;
  private current: NodeId | null = null; // that Tab leads to
  private dead = new Set<string>();
  private pointed: { places: Set<string>; transitions: Set<string> } = { places: new Set(), transitions: new Set() };
  private readonly arcs_layer = svg('g');
  private readonly nodes_layer = svg('g');
  private places: PlaceParts[] = [];
  private transitions: TransitionParts[] = [];
  private arcs: SVGPathElement[] = [];
  private weights: (Label | null)[] = [];
  private twins = new Set<number>(); // arcs that share both ends with another
  private of_place: number[][] = []; // arcs
  private of_transition: number[][] = [];
  private readonly flights = new NetFlights();
  private running: SVGCircleElement[] = []; // pies
  private time = 0;
  private playing = true;
  private awake = false;
  private labels_due = false;
  private drawn = 0; // ms of wall time

  constructor() {
    this.root.append(arc_markers(), this.arcs_layer, this.rubber, this.nodes_layer, this.flights.layer);
    new ResizeObserver(() => (this.fits ? this.fit(this.fitted_all) : this.view.apply(false))).observe(this.root);
  }

  open(net: Net, keep_view: boolean): void {
    this.net = net;
    this.flights.end();
    if (!keep_view) {
      this.chosen = this.hovered = this.current = null;
      this.now = null;
      this.following = true;
    }
    this.draw();
    if (!keep_view) this.fit(false);
  }

  // Those that can never fire.
  mark_dead(transitions: string[]): void {
    this.dead = new Set(transitions);
    this.mark();
  }

  // Nodes that a sentence is about, seen and marked; nothing: none.
  point_out(places: string[], transitions: string[]): void {
    this.pointed = { places: new Set(places), transitions: new Set(transitions) };
    this.mark();
    const all: Point[] = [];
    this.each_node((id) => {
      if ((id.of === 'place' ? this.pointed.places : this.pointed.transitions).has(this.name_of(id))) all.push(this.point_of(id));
    });
    if (!all.length) return;
    this.following = false;
    this.moved();
    this.view.fit(all, true);
    if (this.view.scale > 1) this.view.zoom(1 / this.view.scale);
  }

  choose(node: NodeId | null): void {
    this.chosen = node;
    if (node) this.make_current(node);
    this.mark();
    this.labels_changed();
  }

  hover(node: NodeId | null): void {
    if (same(node, this.hovered)) return;
    this.hovered = node;
    this.labels_changed();
  }

  // What happens now; `time` of the frame that is shown.
  show(now: NetNow, playing: boolean, newest: boolean): void {
    this.now = now;
    this.playing = playing;
    this.time = Math.max(now.t, now.went_on ? this.time : 0);
    if (!now.went_on) this.flights.end();
    for (const [transition, t] of now.fired) this.take_off(transition, t, !now.went_on && !newest);
    this.show_marking();
    this.wake();
  }

  pass_time(t: number, playing: boolean): void {
    this.time = t;
    this.playing = playing;
    this.wake();
  }

  fit(all: boolean): void {
    if (!this.net) return;
    this.fits = true;
    this.fitted_all = all;
    this.view.fit([...this.net.places, ...this.net.transitions], all);
  }

  zoom(factor: number, about?: Point): void {
    this.moved();
    this.view.zoom(factor, about);
  }

  // Somebody has moved the view: it stays.
  moved(): void {
    this.fits = false;
  }

  name_of(id: NodeId): string {
    return (id.of === 'place' ? this.net!.places : this.net!.transitions)[id.index]?.name ?? '';
  }

  find(name: string): NodeId | null {
    const place = this.net?.places.findIndex((p) => p.name === name) ?? -1;
    if (place >= 0) return { of: 'place', index: place };
    const transition = this.net?.transitions.findIndex((t) => t.name === name) ?? -1;
    return transition >= 0 ? { of: 'transition', index: transition } : null;
  }

  point_of(id: NodeId): Point {
    return (id.of === 'place' ? this.net!.places : this.net!.transitions)[id.index];
  }

  group_of(node: NodeId): SVGGElement {
    return (node.of === 'place' ? this.places : this.transitions)[node.index].group;
  }

  node_at(target: EventTarget | null): NodeId | null {
    const group = (target as Element | null)?.closest?.('.node') as SVGGElement | null;
    const index = group?.dataset.index;
    return index === undefined ? null : { of: group!.dataset.place === undefined ? 'transition' : 'place', index: Number(index) };
  }

  each_node(act: (id: NodeId, group: SVGGElement) => void): void {
    this.places.forEach(({ group }, index) => act({ of: 'place', index }, group));
    this.transitions.forEach(({ group }, index) => act({ of: 'transition', index }, group));
  }

  // To a node by keys; the view goes there if it must.
  focus(node: NodeId): void {
    this.make_current(node);
    this.group_of(node).focus({ preventScroll: true });
    if (this.view.go_along([this.point_of(node)], 1)) this.moved();
  }

  drag(node: NodeId, to: Point): void {
    Object.assign(this.point_of(node), to);
    this.put(node);
    for (const i of (node.of === 'place' ? this.of_place : this.of_transition)[node.index]) {
      delete this.net!.arcs[i].bends;
      this.put_arc(i);
    }
    this.labels_changed();
  }

  // Tab leads to what can fire and to the node where one was.
  private make_current(node: NodeId): void {
    this.current = node;
    this.each_node((id, group) => {
      const reached = same(id, node) || (id.of === 'transition' && group.classList.contains('allowed'));
      group.setAttribute('tabindex', reached ? '0' : '-1');
    });
  }

  private mark(): void {
    this.each_node((id, group) => {
      const name = this.name_of(id), { places, transitions } = this.pointed;
      group.classList.toggle('chosen', same(id, this.chosen));
      group.classList.toggle('pointed', (id.of === 'place' ? places : transitions).has(name));
      if (id.of === 'transition') group.classList.toggle('dead', this.dead.has(name));
    });
    this.root.classList.toggle('pointing', this.pointed.places.size + this.pointed.transitions.size > 0);
  }

  private draw(): void {
    const net = this.net!;
    const focused = this.node_at(document.activeElement);
    this.places = net.places.map(place_shape);
    this.transitions = net.transitions.map(transition_shape);
    this.each_node((id, group) => (group.dataset.index = String(id.index)));
    this.of_place = net.places.map(() => []);
    this.of_transition = net.transitions.map(() => []);
    this.twins.clear();
    const between = new Map<number, number>();
    this.arcs = net.arcs.map((arc, i) => {
      this.of_place[arc.place].push(i);
      this.of_transition[arc.transition].push(i);
      const ends = arc.place * net.transitions.length + arc.transition;
      const other = between.get(ends);
      if (other === undefined) between.set(ends, i);
      else this.twins.add(i).add(other);
      return svg('path', { class: `arc ${arc.kind}`, 'marker-end': arc.kind === 'inhibitor' ? 'url(#net-ring)' : 'url(#net-arrow)' });
    });
    this.weights = net.arcs.map(({ weight }) => (weight === 1 ? null
      : { element: svg('text', { class: 'weight' }), text: String(weight), node: { x: 0, y: 0 }, x: 0, y: -4, kind: 'middle' }));
    this.arcs_layer.replaceChildren(...this.arcs);
    this.nodes_layer.replaceChildren(...this.weights.flatMap((w) => (w ? [w.element] : [])),
      ...this.places.map((p) => p.group), ...this.transitions.map((t) => t.group));
    this.running = [];
    this.each_node((id) => this.put(id));
    net.arcs.forEach((_, i) => this.put_arc(i));
    this.mark();
    if (this.now) this.show_marking();
    this.make_current(this.current && this.name_of(this.current) ? this.current : { of: 'transition', index: 0 });
    if (focused && this.name_of(focused)) this.group_of(focused).focus({ preventScroll: true });
    this.labels_changed();
  }

  private put(id: NodeId): void {
    const { x, y } = this.point_of(id);
    this.group_of(id).setAttribute('transform', `translate(${x} ${y})`);
  }

  private put_arc(i: number): void {
    this.arcs[i].setAttribute('d', arc_path(this.net!, this.net!.arcs[i], this.twins.has(i)));
    const weight = this.weights[i];
    if (!weight) return;
    const { x, y } = this.arcs[i].getPointAtLength(this.arcs[i].getTotalLength() / 2);
    Object.assign(weight.node, { x, y });
    weight.element.setAttribute('x', String(x));
    weight.element.setAttribute('y', String(y - 4));
  }

  private view_changed(scaled: boolean): void {
    if (scaled) this.labels_changed();
  }

  private labels_changed(): void {
    if (this.labels_due) return;
    this.labels_due = true;
    requestAnimationFrame(() => {
      this.labels_due = false;
      this.write_labels();
    });
  }

  private write_labels(): void {
    const { net, view: { scale } } = this;
    if (!net) return;
    this.root.style.setProperty('--text', `${text_size(scale)}px`);
    const taken = [
      ...net.places.map(({ x, y }) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius })),
      ...net.transitions.map(({ x, y }) => ({ left: x - bar.width / 2, right: x + bar.width / 2, top: y - bar.height / 2, bottom: y + bar.height / 2 })),
    ];
    place_labels([
      ...net.places.map((p, i): Label => ({ element: this.places[i].name, text: p.name, node: p, x: 0, y: radius + 3, kind: 'name' })),
      ...net.transitions.map((t, i): Label => ({ element: this.transitions[i].name, text: t.name, node: t, x: 0, y: bar.height / 2 + 3, kind: 'name' })),
      ...this.weights.flatMap((w) => (w ? [w] : [])),
      ...net.transitions.map((t, i): Label => ({ element: this.transitions[i].about, text: firing_words(t), node: t, x: 0, y: -bar.height / 2 - 5, kind: 'middle' })),
      ...net.places.map((p, i): Label => ({ element: this.places[i].about, text: delay_words(p), node: p, x: 0.8 * radius, y: -0.75 * radius, kind: 'start' })),
    ], taken, scale);
    // what one asks about is written in full, over the others
    for (const id of [this.chosen, this.hovered]) {
      if (!id || !this.name_of(id)) continue;
      const parts = (id.of === 'place' ? this.places : this.transitions)[id.index];
      parts.name.textContent = this.name_of(id);
      parts.about.textContent = id.of === 'place' ? delay_words(net.places[id.index]) : firing_words(net.transitions[id.index]);
    }
  }

  private show_marking(): void {
    const counts = new Map(this.now!.marking.map(([place, tokens, ready]) => [place, { tokens, ready }]));
    this.places.forEach((parts, i) => {
      const count = counts.get(i);
      const text = count ? `${count.tokens} ${count.ready}` : '';
      if (text === parts.shown) return;
      parts.shown = text;
      parts.tokens.replaceChildren(...(count ? token_dots(count.tokens, count.ready) : []));
    });
    const allowed = new Set(this.now!.allowed);
    this.transitions.forEach(({ group }, index) => {
      if (group.classList.contains('allowed') === allowed.has(index)) return;
      group.classList.toggle('allowed', allowed.has(index));
      group.setAttribute('tabindex', allowed.has(index) || same(this.current, { of: 'transition', index }) ? '0' : '-1');
    });
  }

  private take_off(transition: number, t: number, after_jump: boolean): void {
    const arcs = this.of_transition[transition]?.filter((i) => this.net!.arcs[i].kind !== 'inhibitor');
    if (!arcs) return;
    this.flights.add(transition, t, after_jump, this.transitions[transition].flash,
      arcs.map((i) => ({ path: this.arcs[i], first: this.net!.arcs[i].kind !== 'output' })));
  }

  private wake(): void {
    if (this.awake) return;
    this.awake = true;
    requestAnimationFrame((now) => {
      this.awake = false;
      if (now - this.drawn < least_pause) return this.wake();
      const passed = Math.min(now - this.drawn, 500);
      this.drawn = now;
      this.animate(now, passed);
    });
  }

  private animate(wall: number, passed: number): void {
    for (const pie of this.running) pie.removeAttribute('data-runs');
    this.running = [];
    for (const [place, start, due] of this.now?.serving ?? []) {
      const pie = this.places[place]?.pie;
      if (!pie) continue;
      const part = due > start ? Math.min(1, Math.max(0, (this.time - start) / (due - start))) : 1;
      const around = Math.PI * radius;
      pie.setAttribute('stroke-dasharray', `${part * around} ${around}`);
      pie.setAttribute('data-runs', part.toFixed(3));
      this.running.push(pie);
    }
    const moves = this.flights.animate(this.time, wall, this.playing);
    if (this.go_along(passed) || moves) this.wake();
  }

  // Keeps what happens in sight. True: it is still on its way there.
  private go_along(passed: number): boolean {
    const { net, now } = this;
    if (!this.following || !net || !now) return false;
    const active = now.serving.length ? now.serving.map(([place]) => net.places[place]) : this.flights.transitions.map((i) => net.transitions[i]);
    return this.view.go_along(active.filter(Boolean), 1 - Math.exp(-passed / 150));
  }
}
