// Hands on the drawing of a net: clicks fire, drags move nodes, draw arcs or move the paper; keys go from node to node.
import type { NodeId, Point } from './net_messages';
import { same, type NetDrawing } from './net_drawing';

export type Tool = 'hand' | 'place' | 'transition' | 'arc';

export interface NetWishes {
  fire(transition: number): void;
  choose(node: NodeId | null): void;
  move(node: NodeId, to: Point): void;
  add(of: 'place' | 'transition', at: Point): void;
  connect(from: NodeId, to: NodeId, inhibits: boolean): void;
  rename(node: NodeId, name: string): void;
}

const double_click = 350; // ms
const directions: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

export class NetHands {
  tool: Tool = 'hand';
  private clicked: { node: NodeId | null; at: number } = { node: null, at: 0 };

  constructor(private readonly drawing: NetDrawing, private readonly wishes: NetWishes) {
    const { root } = drawing;
    root.addEventListener('wheel', (event) => {
      event.preventDefault();
      drawing.following = false;
      drawing.zoom(Math.exp(-event.deltaY * 0.0015), drawing.view.to_net(event));
    }, { passive: false });
    root.addEventListener('pointerdown', (event) => this.grasp(event));
    root.addEventListener('pointerover', (event) => drawing.hover(drawing.node_at(event.target)));
    root.addEventListener('pointerleave', () => drawing.hover(null));
    root.addEventListener('focusin', (event) => drawing.hover(drawing.node_at(event.target)));
    root.addEventListener('focusout', () => drawing.hover(null));
    root.addEventListener('keydown', (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    const node = this.drawing.node_at(event.target);
    if (!node) return;
    const direction = directions[event.key];
    if (direction) this.go(node, direction);
    else if (event.key === 'Enter' || event.key === ' ') this.click(node);
    else if (event.key === 'F2') this.ask_name(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // To the nearest node that lies this way.
  private go(from: NodeId, [x, y]: [number, number]): void {
    const start = this.drawing.point_of(from);
    let best: NodeId | null = null, least = Infinity;
    this.drawing.each_node((id) => {
      const p = this.drawing.point_of(id);
      const along = (p.x - start.x) * x + (p.y - start.y) * y;
      const aside = Math.abs((p.x - start.x) * y) + Math.abs((p.y - start.y) * x);
      if (along < 1 || aside > 2 * along || along + 2 * aside >= least) return;
      least = along + 2 * aside;
      best = id;
    });
    if (best) this.drawing.focus(best);
  }

  private click(node: NodeId): void {
    const last = this.clicked;
    this.clicked = { node, at: performance.now() };
    const fires = node.of === 'transition' && (this.drawing.now?.allowed.includes(node.index) ?? false);
    if (!fires && same(node, last.node) && this.clicked.at - last.at < double_click) return this.ask_name(node);
    this.drawing.choose(node);
    this.wishes.choose(node);
    if (fires) this.wishes.fire(node.index);
  }

  // A press: a click, a node that is moved, an arc that is drawn, or the view that is moved.
  private grasp(event: PointerEvent): void {
    const { drawing } = this, { root, view, rubber } = drawing;
    if (!drawing.net || event.button > 1) return;
    const node = drawing.node_at(event.target);
    const begin = { x: event.clientX, y: event.clientY };
    const at = view.to_net(event);
    const from = node ? { ...drawing.point_of(node) } : null;
    const seen = { x: view.x, y: view.y };
    let moved = false;
    root.setPointerCapture(event.pointerId);
    const move = (e: PointerEvent): void => {
      moved ||= Math.hypot(e.clientX - begin.x, e.clientY - begin.y) > 4;
      if (!moved) return;
      const to = view.to_net(e);
      if (node && this.tool === 'arc') {
        rubber.setAttribute('visibility', 'visible');
        rubber.setAttribute('d', `M${from!.x} ${from!.y}L${to.x} ${to.y}`);
      } else if (node) {
        drawing.drag(node, { x: from!.x + to.x - at.x, y: from!.y + to.y - at.y });
      } else {
        drawing.moved();
        drawing.following = false;
        view.move_to(seen.x - (e.clientX - begin.x) / view.scale, seen.y - (e.clientY - begin.y) / view.scale);
      }
    };
    const end = (e: PointerEvent): void => {
      root.removeEventListener('pointermove', move);
      root.removeEventListener('pointerup', end);
      root.removeEventListener('pointercancel', end);
      rubber.setAttribute('visibility', 'hidden');
      if (e.type !== 'pointercancel') this.let_go(e, node, at, moved);
    };
    root.addEventListener('pointermove', move);
    root.addEventListener('pointerup', end);
    root.addEventListener('pointercancel', end);
  }

  private let_go(event: PointerEvent, node: NodeId | null, at: Point, moved: boolean): void {
    const { drawing, wishes } = this;
    if (node && this.tool === 'arc') {
      const to = drawing.node_at(document.elementFromPoint(event.clientX, event.clientY));
      if (to && to.of !== node.of) wishes.connect(node, to, event.shiftKey);
    } else if (node && moved) {
      const { x, y } = drawing.point_of(node);
      wishes.move(node, { x: Math.round(x), y: Math.round(y) });
    } else if (node) {
      this.click(node);
    } else if (!moved && (this.tool === 'place' || this.tool === 'transition')) {
      wishes.add(this.tool, { x: Math.round(at.x), y: Math.round(at.y) });
    } else if (!moved) {
      drawing.choose(null);
      drawing.point_out([], []);
      wishes.choose(null);
    }
  }

  // The name, written where it stands.
  private ask_name(node: NodeId): void {
    const { root } = this.drawing;
    const old = this.drawing.name_of(node);
    const box = this.drawing.group_of(node).getBoundingClientRect(), frame = root.parentElement!.getBoundingClientRect();
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
    root.parentElement!.append(input);
    input.select();
  }
}
