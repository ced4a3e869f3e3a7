// Workbenches. A panel is one file that registers itself; main.ts imports it.
import { by_id, el } from '../dom';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import type { Hand } from '../view/hand';

export interface Bench {
  studio: Studio;
  hand: Hand;
}

export interface Panel {
  id: string;
  title: string;
  key: string;
  width?: number; // pixels, until somebody drags the edge
  // Does it have something to say about what is open?
  fits(studio: Studio): boolean;
  // How much it wants to be in front for what is open: the most wins, the others are 0.
  front?(studio: Studio): number;
  // Called once; the panel listens to the studio itself.
  mount(root: HTMLElement, bench: Bench): void;
  // It has come to the front, or gone.
  shown?(visible: boolean): void;
}

const panels: Panel[] = [];

export function register(panel: Panel): void {
  panels.push(panel);
}

const least_width = 240;

export class Inspector {
  current: string | null = null; // in front
  private closed = false; // by the person
  private readonly chosen = new Map<string, string>(); // by the person, for a kind of file
  private readonly root = by_id('inspector');
  private readonly roots = new Map<string, HTMLElement>();
  private readonly tabs = new Map<string, HTMLElement>();
  private readonly edge = el('div', {
    id: 'inspector-edge', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': 'Width of the workbench',
    title: 'Drag: wider or narrower; double click: as it was',
  });

  constructor(private readonly bench: Bench, private readonly changed: () => void) {
    for (const panel of panels) {
      const root = el('div', { hidden: true, role: 'tabpanel' }, el('h2', {}, panel.title));
      const flip = (): void => this.show(this.current === panel.id ? null : panel.id);
      const tab = el('button', {
        role: 'tab', 'data-panel': panel.id, title: `${panel.title} (${panel.key.toUpperCase()})`, onclick: flip,
      }, panel.title);
      this.root.append(root);
      by_id('tabs').append(tab);
      this.roots.set(panel.id, root);
      this.tabs.set(panel.id, tab);
      panel.mount(root, bench);
      shortcut({ key: panel.key, group: 'Workbenches', what: panel.title, run: flip });
    }
    this.root.after(this.edge);
    this.drag_edge();
    bench.studio.on('opened', () => this.fit());
  }

  show(id: string | null): void {
    const { studio } = this.bench;
    if (id !== null && !panels.some((panel) => panel.id === id && panel.fits(studio))) return;
    this.closed = id === null;
    if (id !== null) this.chosen.set(studio.kind, id);
    this.bring(id);
  }

  private bring(id: string | null): void {
    this.current = id;
    this.root.hidden = this.edge.hidden = id === null;
    for (const panel of panels) {
      const visible = panel.id === id;
      this.roots.get(panel.id)!.hidden = !visible;
      this.tabs.get(panel.id)!.setAttribute('aria-selected', String(visible));
      panel.shown?.(visible);
    }
    this.set_width(Number(localStorage.getItem(this.width_key)) || (panels.find((p) => p.id === id)?.width ?? 0));
    this.changed();
  }

  // Only the tabs that have something to say. In front is what the person has chosen for such a file, or
  // what wants it most.
  private fit(): void {
    const { studio } = this.bench;
    const fitting = panels.filter((panel) => panel.fits(studio));
    for (const panel of panels) this.tabs.get(panel.id)!.hidden = !fitting.includes(panel);
    if (this.closed) return;
    const wish = (panel: Panel): number => panel.front?.(studio) ?? 0;
    const chosen = fitting.find((panel) => panel.id === this.chosen.get(studio.kind));
    this.bring((chosen ?? fitting.sort((a, b) => wish(b) - wish(a))[0])?.id ?? null);
  }

  private get width_key(): string {
    return `molejo width of ${this.current}`;
  }

  // 0: as the style has it.
  private set_width(pixels: number): void {
    this.root.style.width = pixels ? `${Math.min(Math.max(pixels, least_width), 0.6 * window.innerWidth)}px` : '';
  }

  private drag_edge(): void {
    const { edge, root } = this;
    const set = (pixels: number): void => {
      this.set_width(pixels);
      localStorage.setItem(this.width_key, String(root.offsetWidth));
    };
    edge.onpointerdown = (event) => edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (event) => {
      if (edge.hasPointerCapture(event.pointerId)) set(root.getBoundingClientRect().right - event.clientX);
    };
    edge.onkeydown = (event) => {
      const step = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      set(root.offsetWidth + step);
    };
    edge.ondblclick = () => {
      localStorage.removeItem(this.width_key);
      this.bring(this.current);
    };
  }
}
