// What was found out about a net: short sentences, right or wrong, in groups; each can be played or shown in the net.
import { el } from '../dom';
import type { Analysis, Sentence, SentenceGroup } from './net_messages';

const signs = { good: '✓', bad: '✗', unknown: '?', remark: '·' };
const sign_words = { good: 'holds', bad: 'fails', unknown: 'not known', remark: 'remark' };
const titles: Record<SentenceGroup, string> = {
  asked: 'Asked for', end: 'Does it stop?', tokens: 'Tokens in places', firing: 'What can fire', time: 'In time',
  sums: 'Sums that never change', returns: 'Ways back to the same marking', siphons: 'Places that run empty',
};
const open_at_first: SentenceGroup[] = ['asked', 'end', 'tokens', 'firing', 'time'];
const few = 4; // sentences of a group that are shown at once
const most_names = 300;
const most_asked = 5_000_000; // markings

export interface SentenceWishes {
  play(trace: number): void;
  show(places: string[], transitions: string[]): void;
  drop(property: string): void;
  look_further(markings: number): void;
}

export class NetSentences {
  readonly root = el('div', { class: 'net-sentences', 'aria-live': 'polite' });
  private readonly opened = new Map<SentenceGroup, boolean>(); // by the person

  constructor(private readonly wishes: SentenceWishes) {}

  // Nothing: it is being found out, and what was found before is pale.
  show(analysis: Analysis | null): void {
    this.root.dataset.busy = String(analysis === null);
    if (!analysis) {
      const line = this.root.querySelector('.net-figures') ?? this.root.appendChild(el('p', { class: 'soft net-figures' }));
      line.textContent = 'Analysing …';
      return;
    }
    const groups = (Object.keys(titles) as SentenceGroup[]).map((group) => ({ group, list: analysis.sentences.filter((s) => s.group === group) }));
    this.root.replaceChildren(...groups.filter(({ list }) => list.length).map(({ group, list }) => this.group(group, list)), this.figures(analysis));
  }

  private group(group: SentenceGroup, list: Sentence[]): HTMLElement {
    const lines = el('ul');
    const wrong = list.some((s) => s.sign === 'bad');
    const folded = list.length > few + 1;
    lines.append(...(folded ? list.slice(0, few) : list).map((s) => this.sentence(s)));
    if (folded) {
      const more = el('button', { class: 'link', onclick: () => {
        lines.append(...list.slice(few).map((s) => this.sentence(s)));
        more.parentElement!.remove();
      } }, `show ${list.length - few} more`);
      lines.append(el('li', {}, more));
    }
    const box = el('details', { 'data-group': group, open: this.opened.get(group) ?? (wrong || open_at_first.includes(group)),
                                ontoggle: () => this.opened.set(group, box.open) },
      el('summary', {}, titles[group], el('span', { class: 'soft' }, open_at_first.includes(group) ? '' : String(list.length))), lines);
    return box;
  }

  private sentence(s: Sentence): HTMLElement {
    const names = [...(s.places ?? []), ...(s.transitions ?? [])];
    const words = el('span', { class: 'words' }, s.text);
    const item = el('li', { class: s.sign },
      el('span', { class: 'sign', role: 'img', title: sign_words[s.sign], 'aria-label': sign_words[s.sign] }, signs[s.sign]), words);
    if (names.some((name) => !s.text.includes(name))) {
      const all = el('button', { class: 'link', onclick: () => {
        words.textContent = `${s.text.split(': ')[0]}: ${names.slice(0, most_names).join(', ')}${names.length > most_names ? ' …' : ''}`;
      } }, 'show all');
      words.append(' ', all);
    }
    if (s.trace !== undefined) {
      item.append(el('button', { class: 'framed', 'data-trace': s.trace, title: 'Play the firings that show it',
                                 onclick: () => this.wishes.play(s.trace!) }, 'play it'));
    }
    if (names.length) {
      item.append(el('button', { class: 'framed', 'data-act': 'show', title: 'Show in the net',
                                 onclick: () => this.wishes.show(s.places ?? [], s.transitions ?? []) }, 'show'));
    }
    if (s.property !== undefined) {
      item.append(el('button', { class: 'drop-it', title: 'Do not ask this any more', 'aria-label': `Do not ask ${s.property}`,
                                 onclick: () => this.wishes.drop(s.property!) }, '×'));
    }
    return item;
  }

  private figures({ markings, complete, seconds }: Analysis): HTMLElement {
    const took = seconds < 0.1 ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(1)} s`;
    const line = el('p', { class: 'soft net-figures' }, `${markings.toLocaleString('en')} markings${complete ? ', all there are' : '; there are more'}. ${took}. `);
    if (!complete && markings < most_asked) {
      line.append(el('button', { class: 'framed', 'data-act': 'further',
                                 onclick: () => this.wishes.look_further(Math.min(most_asked, 10 * Math.max(markings, 1000))) }, 'look further'));
    }
    return line;
  }
}

// A line to ask for a property; what is wrong with it stands under its column.
export function property_line(ask: (text: string) => Promise<string | null>): HTMLElement {
  const input = el('input', { type: 'text', placeholder: 'ask: never: P1 & P2', 'aria-label': 'Ask for a property', spellcheck: 'false', autocomplete: 'off' });
  const caret = el('div', { class: 'caret error', hidden: true });
  const error = el('div', { class: 'error', role: 'alert', hidden: true });
  const apply = async (): Promise<void> => {
    const problem = await ask(input.value);
    error.hidden = caret.hidden = problem === null;
    if (problem === null) {
      input.value = '';
      input.removeAttribute('aria-invalid');
      return;
    }
    error.textContent = problem;
    input.setAttribute('aria-invalid', 'true');
    const column = Number(/column (\d+)/.exec(problem)?.[1] ?? 0);
    caret.hidden = column === 0;
    caret.textContent = `${' '.repeat(Math.max(0, column - 1))}^`;
  };
  input.onkeydown = (event) => {
    if (event.key === 'Enter') void apply();
  };
  return el('div', { class: 'formula net-property', title: 'always, never, possible, eventually, eventually within 5' }, input, caret, error);
}
