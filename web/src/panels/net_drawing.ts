// The net as a picture that lives: circles with tokens and the progress of their actions, bars that
// flash when they fire, dots that travel along arcs. Nodes can be moved; a click fires.
import type { ArcKind, Net, NetArc, NetNow, NodeId } from './net_messages';

const radius = 17;
const bar = { width: 9, height: 36 };
const readable = 0.55; // smallest scale at which names are shown
const least_pause = 30; // ms between two drawings
const double_click = 350; // ms
const flight = 0.36; // s that a token is seen on its way

type Point = { x: number; y: number };
export type Tool = 'hand' | 'place' | 'transition' | 'arc';

export interface DrawingWishes {
  fire(transition: number): void;
  choose(node: NodeId | null): void;
  move(node: NodeId, to: Point): void;
  add(of: 'place' | 'transition', at: Point): void;
  connect(from: NodeId, to: NodeId, inhibits: boolean): void;
  rename(node: NodeId, name: string): void;
}

function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number> = {},
                                                   ...children: Node[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

interface PlaceParts {
  group: SVGGElement;
  pie: SVGCircleElement;
  tokens: SVGGElement;
  shown: string; // tokens as drawn
}

interface TransitionParts {
  group: SVGGElement;
  flash: SVGRectElement;
}

interface Flight {
  transition: number;
  t: number;
  seen: number; // ms of wall time when it was told
  after_jump: boolean;
  dots: { path: SVGPathElement; length: number; dot: SVGCircleElement; first: boolean }[];
}

const same = (a: NodeId | null, b: NodeId | null): boolean => a?.of === b?.of && a?.index === b?.index;

export class NetDrawing {
  readonly root = svg('svg', { class: 'net-drawing', tabindex: 0, role: 'application', 'aria-label': 'The net' });
  tool: Tool = 'hand';
  chosen: NodeId | null = null;
  private net: Net | null = null;
  private now: NetNow | null = null;
  private dead = new Set<number>();
  private view = { x: 0, y: 0, width: 100, height: 100 };
  private readonly arcs_layer = svg('g');
  private readonly flights_layer = svg('g', { class: 'flights' });
  private readonly nodes_layer = svg('g');
  private readonly rubber = svg('path', { class: 'rubber', visibility: 'hidden' });
  private places: PlaceParts[] = [];
  private transitions: TransitionParts[] = [];
  private arcs: SVGPathElement[] = [];
  private of_transition: number[][] = []; // arcs
  private flights: Flight[] = [];
  private time = 0;
  private playing = true;
  private awake = false;
  private fits = true; // the view is as it was made, until somebody moves it
  private smallest = readable;
  private clicked: { node: NodeId | null; at: number } = { node: null, at: 0 };
  private drawn = 0; // ms of wall time

  constructor(private readonly wishes: DrawingWishes) {
    const marker = (id: string, shape: SVGElement, at: number): SVGMarkerElement =>
      svg('marker', { id, viewBox: '0 0 10 10', refX: at, refY: 5, markerWidth: 9, markerHeight: 9, orient: 'auto',
                      markerUnits: 'userSpaceOnUse' }, shape);
    this.root.append(svg('defs', {},
      marker('net-arrow', svg('path', { d: 'M0 1L9 5L0 9z', class: 'arrow' }), 9),
      marker('net-ring', svg('circle', { cx: 5, cy: 5, r: 4, class: 'ring' }), 9)),
    this.arcs_layer, this.rubber, this.nodes_layer, this.flights_layer);
    new ResizeObserver(() => (this.fits ? this.fit(this.smallest) : this.apply_view())).observe(this.root);
    this.listen();
  }

  open(net: Net, keep_view: boolean): void {
    this.net = net;
    this.flights = [];
    this.flights_layer.replaceChildren();
    if (!keep_view) this.chosen = null;
    this.draw();
    if (!keep_view) this.fit(readable);
  }

  mark_dead(transitions: number[]): void {
    this.dead = new Set(transitions);
    this.transitions.forEach(({ group }, i) => group.classList.toggle('dead', this.dead.has(i)));
  }

  choose(node: NodeId | null): void {
    this.chosen = node;
    this.each_node((id, group) => group.classList.toggle('chosen', same(id, node)));
  }

  // What happens now; `time` of the frame that is shown.
  show(now: NetNow, playing: boolean, newest: boolean): void {
    this.now = now;
    this.playing = playing;
    this.time = Math.max(now.t, now.went_on ? this.time : 0);
    if (!now.went_on) this.end_flights();
    for (const [transition, t] of now.fired) this.take_off(transition, t, !now.went_on && !newest);
    this.show_marking();
    this.wake();
  }

  pass_time(t: number, playing: boolean): void {
    this.time = t;
    this.playing = playing;
    this.wake();
  }

  // All of it; at first only as much as can be read, from its left end on.
  fit(smallest = 0): void {
    if (!this.net) return;
    const all = [...this.net.places, ...this.net.transitions];
    const box = this.root.getBoundingClientRect();
    if (!all.length || box.width === 0) return;
    const left = Math.min(...all.map((n) => n.x)) - 46, right = Math.max(...all.map((n) => n.x)) + 46;
    const top = Math.min(...all.map((n) => n.y)) - 36, bottom = Math.max(...all.map((n) => n.y)) + 52;
    const whole = Math.max((right - left) / box.width, (bottom - top) / box.height, 0.65);
    const scale = smallest > 0 ? Math.min(whole, 1 / smallest) : whole;
    this.view = { width: scale * box.width, height: scale * box.height, x: 0, y: 0 };
    this.view.x = Math.max(left, (left + right - this.view.width) / 2);
    if (scale === whole) this.view.x = (left + right - this.view.width) / 2;
    this.view.y = (top + bottom - this.view.height) / 2;
    this.fits = true;
    this.smallest = smallest;
    this.apply_view();
  }

  zoom(factor: number, about?: Point): void {
    const v = this.view;
    const p = about ?? { x: v.x + v.width / 2, y: v.y + v.height / 2 };
    const scale = this.root.clientWidth / v.width;
    const by = Math.min(Math.max(factor, 0.03 / scale), 4 / scale);
    this.view = { x: p.x - (p.x - v.x) / by, y: p.y - (p.y - v.y) / by, width: v.width / by, height: v.height / by };
    this.fits = false;
    this.apply_view();
  }

  // Where a node is on the screen, for an input over it.
  on_screen(node: NodeId): DOMRect {
    return this.group_of(node).getBoundingClientRect();
  }

  private apply_view(): void {
    const v = this.view;
    const box = this.root.getBoundingClientRect();
    if (box.width > 0) v.height = v.width * box.height / box.width;
    this.root.setAttribute('viewBox', `${v.x} ${v.y} ${v.width} ${v.height}`);
    // text keeps its size on the screen; where there is no room for it, it is not shown
    const scale = box.width / v.width;
    this.root.style.setProperty('--text', `${13 / Math.min(1, scale)}px`);
    this.root.classList.toggle('far', scale < 0.9 * readable);
    this.root.classList.toggle('dense', scale < 0.85);
  }

  private group_of(node: NodeId): SVGGElement {
    return (node.of === 'place' ? this.places : this.transitions)[node.index].group;
  }

  private each_node(act: (id: NodeId, group: SVGGElement) => void): void {
    this.places.forEach(({ group }, index) => act({ of: 'place', index }, group));
    this.transitions.forEach(({ group }, index) => act({ of: 'transition', index }, group));
  }

  private draw(): void {
    const net = this.net!;
    const focused = this.node_at(document.activeElement);
    this.places = net.places.map((p, index) => {
      const pie = svg('circle', { r: radius / 2, class: 'pie', 'stroke-width': radius, transform: 'rotate(-90)' });
      const tokens = svg('g', { class: 'tokens' });
      const circle = svg('circle', { r: radius, class: p.acts || p.action ? 'place action' : 'place' });
      const about = p.delay === '0' ? '' : `${p.delay} s`;
      const group = svg('g', { class: 'node', 'data-place': p.name, tabindex: 0, role: 'button', 'aria-label': `place ${p.name}` },
        svg('title', {}, document.createTextNode([p.name, p.action, about].filter(Boolean).join('\n'))),
        circle, pie, tokens, this.label(p.name, radius + 3), this.label(about, -radius * 0.75, 'delay beside'));
      group.classList.toggle('chosen', same({ of: 'place', index }, this.chosen));
      return { group, pie, tokens, shown: '' };
    });
    this.transitions = net.transitions.map((t, index) => {
      const size = { x: -bar.width / 2, y: -bar.height / 2, width: bar.width, height: bar.height, rx: 2 };
      const flash = svg('rect', { ...size, class: 'flash', opacity: 0 });
      const about = [t.event && `[${t.event}]`, t.priority === 1 ? '' : `▲${t.priority}`].filter(Boolean).join(' ');
      const group = svg('g', { class: 'node transition', 'data-transition': t.name, tabindex: 0, role: 'button', 'aria-label': `transition ${t.name}` },
        svg('title', {}, document.createTextNode([t.name, about].filter(Boolean).join('\n'))),
        svg('rect', { x: -16, y: -22, width: 32, height: 44, class: 'reach' }), svg('rect', { ...size, class: 'bar' }), flash,
        this.label(t.name, bar.height / 2 + 3), this.label(about, -bar.height / 2 - 5, 'delay'));
      group.classList.toggle('dead', this.dead.has(index));
      group.classList.toggle('chosen', same({ of: 'transition', index }, this.chosen));
      return { group, flash };
    });
    this.of_transition = net.transitions.map(() => []);
    this.arcs = net.arcs.map((arc, i) => {
      this.of_transition[arc.transition].push(i);
      return svg('path', { class: `arc ${arc.kind}`, 'marker-end': arc.kind === 'inhibitor' ? 'url(#net-ring)' : 'url(#net-arrow)' });
    });
    const weights = net.arcs.map((arc, i) => (arc.weight === 1 ? null : { i, text: this.label(String(arc.weight), 0, 'weight') }));
    this.arcs_layer.replaceChildren(...this.arcs, ...weights.flatMap((w) => (w ? [w.text] : [])));
    this.nodes_layer.replaceChildren(...this.places.map((p) => p.group), ...this.transitions.map((t) => t.group));
    if (focused && focused.index < (focused.of === 'place' ? net.places : net.transitions).length) {
      this.group_of(focused).focus({ preventScroll: true });
    }
    this.each_node((id) => this.put(id));
    net.arcs.forEach((_, i) => this.put_arc(i));
    for (const w of weights) {
      if (!w) continue;
      const middle = this.arcs[w.i].getPointAtLength(this.arcs[w.i].getTotalLength() / 2);
      w.text.setAttribute('x', String(middle.x));
      w.text.setAttribute('y', String(middle.y - 4));
    }
    if (this.now) this.show_marking();
  }

  private label(text: string, y: number, kind = 'name'): SVGTextElement {
    return svg('text', { y, x: kind.endsWith('beside') ? radius * 0.8 : 0, class: kind }, document.createTextNode(text.length > 16 ? `${text.slice(0, 15)}…` : text));
  }

  private point_of(id: NodeId): Point {
    return (id.of === 'place' ? this.net!.places : this.net!.transitions)[id.index];
  }

  private put(id: NodeId): void {
    const { x, y } = this.point_of(id);
    this.group_of(id).setAttribute('transform', `translate(${x} ${y})`);
  }

  // From edge to edge, smooth through its bends.
  private put_arc(i: number): void {
    const arc = this.net!.arcs[i];
    const place = this.net!.places[arc.place], transition = this.net!.transitions[arc.transition];
    const between: Point[] = [];
    const bends = arc.bends ?? [];
    for (let k = 0; k + 1 < bends.length; k += 2) between.push({ x: bends[k], y: bends[k + 1] });
    if (!between.length && this.has_twin(arc)) {
      // there and back: each on its own side
      const dx = transition.x - place.x, dy = transition.y - place.y, length = Math.hypot(dx, dy) || 1;
      const side = arc.kind === 'output' ? 16 : -16;
      between.push({ x: (place.x + transition.x) / 2 - dy / length * side, y: (place.y + transition.y) / 2 + dx / length * side });
    }
    const points = arc.kind === 'output' ? [transition, ...between, place] : [place, ...between, transition];
    const to_place = (p: Point, q: Point, gap: number): Point => {
      const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
      return { x: p.x + (q.x - p.x) / length * (radius + gap), y: p.y + (q.y - p.y) / length * (radius + gap) };
    };
    const to_bar = (p: Point, q: Point, gap: number): Point => {
      const dx = q.x - p.x, dy = q.y - p.y;
      const across = (bar.width / 2 + gap) / Math.max(Math.abs(dx), 1e-9), along = (bar.height / 2 + gap) / Math.max(Math.abs(dy), 1e-9);
      const part = Math.min(across, along);
      return { x: p.x + dx * part, y: p.y + dy * part };
    };
    const last = points.length - 1;
    const from_place = arc.kind !== 'output';
    const start = (from_place ? to_place : to_bar)(points[0], points[1], 0);
    const end = (from_place ? to_bar : to_place)(points[last], points[last - 1], 1.5);
    let d = `M${start.x} ${start.y}`;
    const inner = points.slice(1, -1);
    inner.forEach((p, k) => {
      const next = k + 1 < inner.length ? { x: (p.x + inner[k + 1].x) / 2, y: (p.y + inner[k + 1].y) / 2 } : end;
      d += `Q${p.x} ${p.y} ${next.x} ${next.y}`;
    });
    if (!inner.length) d += `L${end.x} ${end.y}`;
    this.arcs[i].setAttribute('d', d);
  }

  private has_twin(arc: NetArc): boolean {
    return this.net!.arcs.some((a) => a !== arc && a.place === arc.place && a.transition === arc.transition);
  }

  private show_marking(): void {
    const counts = new Map(this.now!.marking.map(([place, tokens, ready]) => [place, { tokens, ready }]));
    this.places.forEach((parts, i) => {
      const count = counts.get(i);
      const text = count ? `${count.tokens} ${count.ready}` : '';
      if (text === parts.shown) return;
      parts.shown = text;
      parts.tokens.replaceChildren(...(count ? this.dots(count.tokens, count.ready) : []));
    });
    const allowed = new Set(this.now!.allowed);
    this.transitions.forEach(({ group }, i) => group.classList.toggle('allowed', allowed.has(i)));
  }

  // Tokens as dots, those that wait hollow; many as a number.
  private dots(tokens: number, ready: number): SVGElement[] {
    if (tokens > 5) return [svg('text', { class: 'count', y: 5 }, document.createTextNode(String(tokens)))];
    const places = [[[0, 0]], [[-5, 0], [5, 0]], [[0, -5], [-5, 4], [5, 4]], [[-5, -5], [5, -5], [-5, 5], [5, 5]],
                    [[-6, -6], [6, -6], [0, 0], [-6, 6], [6, 6]]][tokens - 1];
    return places.map(([cx, cy], i) => svg('circle', { cx, cy, r: 3.6, class: i < ready ? 'token' : 'token waits' }));
  }

  private take_off(transition: number, t: number, after_jump: boolean): void {
    if (this.flights.length > 200 || !this.of_transition[transition]) return;
    const dots = this.of_transition[transition].filter((i) => this.net!.arcs[i].kind !== 'inhibitor').map((i) => {
      const dot = svg('circle', { r: 4, class: 'flying', visibility: 'hidden' });
      this.flights_layer.append(dot);
      const path = this.arcs[i];
      return { path, length: path.getTotalLength(), dot, first: this.net!.arcs[i].kind !== 'output' };
    });
    this.flights.push({ transition, t, seen: performance.now(), after_jump, dots });
  }

  private end_flights(): void {
    this.flights = [];
    this.flights_layer.replaceChildren();
    for (const { flash } of this.transitions) flash.setAttribute('opacity', '0');
  }

  private wake(): void {
    if (this.awake) return;
    this.awake = true;
    requestAnimationFrame((now) => {
      this.awake = false;
      if (now - this.drawn < least_pause) return this.wake();
      this.drawn = now;
      this.animate(now);
    });
  }

  private animate(wall: number): void {
    for (const { pie } of this.places) if (pie.hasAttribute('data-runs')) pie.removeAttribute('data-runs');
    for (const [place, start, due] of this.now?.serving ?? []) {
      const pie = this.places[place]?.pie;
      if (!pie) continue;
      const part = due > start ? Math.min(1, Math.max(0, (this.time - start) / (due - start))) : 1;
      const around = Math.PI * radius;
      pie.setAttribute('stroke-dasharray', `${part * around} ${around}`);
      pie.setAttribute('data-runs', part.toFixed(3));
    }
    let moves = false;
    this.flights = this.flights.filter((f) => {
      // where the run stands still tokens arrive all the same, unless one looks at the past
      const by_wall = (wall - f.seen) / 1000;
      const in_time = this.time - f.t;
      const part = (f.after_jump ? in_time : this.playing ? in_time : Math.max(in_time, by_wall)) / flight;
      const over = part >= 1 || part < 0;
      this.transitions[f.transition]?.flash.setAttribute('opacity', String(over ? 0 : 1 - part));
      for (const { path, length, dot, first } of f.dots) {
        const along = first ? 2 * part : 2 * part - 1;
        if (over) dot.remove();
        else if (along < 0 || along > 1) dot.setAttribute('visibility', 'hidden');
        else {
          const p = path.getPointAtLength(along * length);
          dot.setAttribute('visibility', 'visible');
          dot.setAttribute('cx', String(p.x));
          dot.setAttribute('cy', String(p.y));
        }
      }
      moves ||= !over && !f.after_jump && !this.playing;
      return !over;
    });
    if (moves) this.wake();
  }

  // --- hands ---

  private to_net(event: { clientX: number; clientY: number }): Point {
    const box = this.root.getBoundingClientRect();
    return { x: this.view.x + (event.clientX - box.left) / box.width * this.view.width,
             y: this.view.y + (event.clientY - box.top) / box.height * this.view.height };
  }

  private node_at(target: EventTarget | null): NodeId | null {
    const group = (target as Element | null)?.closest?.('.node');
    if (!group) return null;
    const place = this.places.findIndex((p) => p.group === group);
    if (place >= 0) return { of: 'place', index: place };
    return { of: 'transition', index: this.transitions.findIndex((t) => t.group === group) };
  }

  private listen(): void {
    const { root } = this;
    root.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), this.to_net(event));
    }, { passive: false });
    root.addEventListener('pointerdown', (event) => this.grasp(event));
    root.addEventListener('keydown', (event) => {
      const node = this.node_at(event.target);
      if (!node) return;
      if (event.key === 'F2') this.ask_name(node);
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      this.click(node);
    });
  }

  private click(node: NodeId): void {
    const last = this.clicked;
    this.clicked = { node, at: performance.now() };
    if (same(node, last.node) && this.clicked.at - last.at < double_click) return this.ask_name(node);
    this.choose(node);
    this.wishes.choose(node);
    if (node.of === 'transition' && this.now?.allowed.includes(node.index)) this.wishes.fire(node.index);
  }

  // A press: a click, a node that is moved, an arc that is drawn, or the view that is moved.
  private grasp(event: PointerEvent): void {
    if (!this.net || event.button > 1) return;
    const node = this.node_at(event.target);
    const begin = { x: event.clientX, y: event.clientY };
    const at = this.to_net(event);
    const from = node ? { ...this.point_of(node) } : null;
    const view = { ...this.view };
    let moved = false;
    this.root.setPointerCapture(event.pointerId);
    const move = (e: PointerEvent): void => {
      moved ||= Math.hypot(e.clientX - begin.x, e.clientY - begin.y) > 4;
      if (!moved) return;
      if (node && this.tool === 'arc') {
        const to = this.to_net(e);
        this.rubber.setAttribute('visibility', 'visible');
        this.rubber.setAttribute('d', `M${from!.x} ${from!.y}L${to.x} ${to.y}`);
      } else if (node) {
        const to = this.to_net(e);
        this.drag_node(node, { x: from!.x + to.x - at.x, y: from!.y + to.y - at.y });
      } else {
        const scale = view.width / this.root.clientWidth;
        this.view = { ...view, x: view.x - (e.clientX - begin.x) * scale, y: view.y - (e.clientY - begin.y) * scale };
        this.fits = false;
        this.apply_view();
      }
    };
    const end = (e: PointerEvent): void => {
      this.root.removeEventListener('pointermove', move);
      this.root.removeEventListener('pointerup', end);
      this.root.removeEventListener('pointercancel', end);
      this.rubber.setAttribute('visibility', 'hidden');
      if (e.type === 'pointercancel') return;
      if (node && this.tool === 'arc') {
        const to = this.node_at(document.elementFromPoint(e.clientX, e.clientY));
        if (to && to.of !== node.of) this.wishes.connect(node, to, e.shiftKey);
      } else if (node && moved) {
        const { x, y } = this.point_of(node);
        this.wishes.move(node, { x: Math.round(x), y: Math.round(y) });
      } else if (node) {
        this.click(node);
      } else if (!moved && (this.tool === 'place' || this.tool === 'transition')) {
        this.wishes.add(this.tool, { x: Math.round(at.x), y: Math.round(at.y) });
      } else if (!moved) {
        this.choose(null);
        this.wishes.choose(null);
      }
    };
    this.root.addEventListener('pointermove', move);
    this.root.addEventListener('pointerup', end);
    this.root.addEventListener('pointercancel', end);
  }

  private drag_node(node: NodeId, to: Point): void {
    Object.assign(this.point_of(node), to);
    this.put(node);
    this.net!.arcs.forEach((arc, i) => {
      if ((node.of === 'place' ? arc.place : arc.transition) !== node.index) return;
      delete arc.bends;
      this.put_arc(i);
    });
  }

  // The name, written where it stands.
  private ask_name(node: NodeId): void {
    const old = (node.of === 'place' ? this.net!.places : this.net!.transitions)[node.index].name;
    const box = this.on_screen(node), frame = this.root.parentElement!.getBoundingClientRect();
    const input = document.createElement('input');
    input.type = 'text';
    input.className = 'net-name';
    input.value = old;
    input.setAttribute('aria-label', `Name of ${old}`);
    input.style.left = `${(box.left + box.right) / 2 - frame.left}px`;
    input.style.top = `${box.bottom - frame.top - 8}px`;
    let done = false;
    const finish = (keep: boolean): void => {
      if (done) return;
      done = true;
      input.remove();
      if (keep && input.value !== old) this.wishes.rename(node, input.value);
    };
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === 'Enter') finish(true);
      if (event.key === 'Escape') finish(false);
    };
    input.onblur = () => finish(true);
    this.root.parentElement!.append(input);
    input.select();
  }
}

export const arc_words: Record<ArcKind, string> = {
  input: 'takes', output: 'puts', inhibitor: 'is stopped by', interrupter: 'cuts short',
};
