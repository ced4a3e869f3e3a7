// The bar over the drawing of a net, and the buttons that save it.
import { el } from '../dom';
import type { Tool } from './net_hands';
import type { Net } from './net_messages';

const tools: { tool: Tool; label: string; about: string }[] = [
  { tool: 'hand', label: 'fire', about: 'Click a green transition to fire it; drag nodes; double-click to rename' },
  { tool: 'place', label: '+ place', about: 'Click where a place shall be' },
  { tool: 'transition', label: '+ transition', about: 'Click where a transition shall be' },
  { tool: 'arc', label: '+ arc', about: 'Drag from one node to another; with Shift it inhibits' },
];

const saved = [
  { what: 'json', label: '.net.json', about: 'The net, to be opened again here' },
  { what: 'pnml', label: '.pnml', about: 'The net, for other tools' },
  { what: 'svg', label: 'drawing', about: 'The drawing of the net as SVG' },
  { what: 'gantt', label: 'chart', about: 'What ran when, as SVG' },
];

const most_offered = 500; // names, to find

export interface ToolWishes {
  take(tool: Tool): void;
  act(word: 'undo' | 'redo' | 'next'): void;
  arrange(): void;
  find(name: string): void;
  follow(): boolean; // or not any more
  zoom(factor: number): void;
  fit(): void;
}

export class NetTools {
  readonly root = el('div', { class: 'net-tools', role: 'toolbar', 'aria-label': 'Tools of the net' });
  private readonly buttons = new Map<Tool, HTMLElement>();
  private readonly names = el('datalist', { id: 'net-names' });
  private readonly undo = this.button('undo', 'Undo the last change (U)', () => this.wishes.act('undo'), '↶');
  private readonly redo = this.button('redo', 'Make it again', () => this.wishes.act('redo'), '↷');
  private readonly follow = this.button('follow', 'Keep what happens in sight', () => this.show_following(this.wishes.follow()));

  constructor(private readonly wishes: ToolWishes) {
    for (const { tool, label, about } of tools) {
      const button = el('button', { title: about, 'data-tool': tool, onclick: () => this.take(tool) }, label);
      this.buttons.set(tool, button);
      this.root.append(button);
    }
    const find = el('input', { type: 'search', list: 'net-names', placeholder: 'find', 'aria-label': 'Find a place or transition',
                               spellcheck: 'false', autocomplete: 'off', onchange: () => wishes.find(find.value) });
    this.root.append(el('span', { class: 'rule' }), this.undo, this.redo,
      this.button('arrange', 'Place all nodes anew', () => wishes.arrange()), el('span', { class: 'gap' }),
      this.button('next', 'Go on to the next firing (>)', () => wishes.act('next'), 'next'), find, this.names, this.follow,
      this.button('farther', 'Farther', () => wishes.zoom(0.8), '−'), this.button('nearer', 'Nearer', () => wishes.zoom(1.25), '+'),
      this.button('fit', 'Show all of it', () => wishes.fit()));
  }

  take(tool: Tool): void {
    this.wishes.take(tool);
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(name === tool));
  }

  show_following(on: boolean): void {
    this.follow.setAttribute('aria-pressed', String(on));
  }

  show_net(net: Net, undo: boolean, redo: boolean): void {
    this.undo.disabled = !undo;
    this.redo.disabled = !redo;
    this.names.replaceChildren(...[...net.places, ...net.transitions].slice(0, most_offered).map(({ name }) => el('option', { value: name })));
  }

  private button(act: string, about: string, onclick: () => void, label = act): HTMLButtonElement {
    return el('button', { title: about, 'aria-label': about, 'data-act': act, onclick }, label);
  }
}

export function save_buttons(save: (what: string) => void): HTMLElement {
  return el('div', { class: 'row net-save' }, ...saved.map(({ what, label, about }) =>
    el('button', { class: 'framed', 'data-save': what, title: about, onclick: () => save(what) }, label)));
}
