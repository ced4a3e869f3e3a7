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
  // Does it have something to say about what is open?
  fits(studio: Studio): boolean;
  // Called once; the panel listens to the studio itself.
  mount(root: HTMLElement, bench: Bench): void;
  // It has come to the front, or gone.
  shown?(visible: boolean): void;
}

const panels: Panel[] = [];

export function register(panel: Panel): void {
  panels.push(panel);
}

export class Inspector {
  current: string | null = 'bodies'; // in front
  private wanted: string | null = 'bodies'; // asked for: comes to the front where it fits
  private readonly roots = new Map<string, HTMLElement>();
  private readonly tabs = new Map<string, HTMLElement>();

  constructor(private readonly bench: Bench, private readonly changed: () => void) {
    for (const panel of panels) {
      const root = el('div', { hidden: true, role: 'tabpanel' }, el('h2', {}, panel.title));
      const tab = el('button', {
        role: 'tab', 'data-panel': panel.id, title: `${panel.title} (${panel.key.toUpperCase()})`,
        onclick: () => this.show(this.current === panel.id ? null : panel.id),
      }, panel.title);
      by_id('inspector').append(root);
      by_id('tabs').append(tab);
      this.roots.set(panel.id, root);
      this.tabs.set(panel.id, tab);
      panel.mount(root, bench);
      shortcut({ key: panel.key, group: 'Workbenches', what: panel.title,
                 run: () => this.show(this.current === panel.id ? null : panel.id) });
    }
    bench.studio.on('opened', () => this.fit());
  }

  show(id: string | null): void {
    this.wanted = id;
    this.bring(id);
  }

  private bring(id: string | null): void {
    this.current = id;
    by_id('inspector').hidden = id === null;
    for (const panel of panels) {
      const visible = panel.id === id;
      this.roots.get(panel.id)!.hidden = !visible;
      this.tabs.get(panel.id)!.setAttribute('aria-selected', String(visible));
      panel.shown?.(visible);
    }
    if (id === this.wanted) this.changed();
  }

  // Only the tabs that have something to say; the one in front stays if it has.
  private fit(): void {
    const fitting = panels.filter((panel) => panel.fits(this.bench.studio));
    for (const panel of panels) this.tabs.get(panel.id)!.hidden = !fitting.includes(panel);
    if (this.wanted === null) return;
    this.bring(fitting.some((p) => p.id === this.wanted) ? this.wanted : (fitting[0]?.id ?? null));
  }
}
