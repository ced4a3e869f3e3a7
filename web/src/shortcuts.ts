// Keys, and the overlay that tells them. Who has a key registers it here, with a word for the help.
import { by_id, el } from './dom';

export interface Shortcut {
  key: string; // KeyboardEvent.key; letters in lower case
  label?: string; // as shown
  group: string;
  what: string;
  run?: () => void;
}

const shortcuts: Shortcut[] = [];

// A key does one thing.
export function shortcut(entry: Shortcut): void {
  const taken = entry.run && shortcuts.find((s) => s.run && s.key === entry.key);
  if (taken) throw new Error(`the key ${entry.key} is for two things: ${taken.what}, ${entry.what}`);
  shortcuts.push(entry);
}

function is_typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'range', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function on_key(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    const help = by_id('help');
    if (!help.hidden) help.hidden = true;
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || is_typing(event.target)) return;
  // a focused button is pressed by space, as everywhere
  if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = shortcuts.find((s) => s.key === key && s.run);
  if (!found) return;
  event.preventDefault();
  found.run!();
}

export function show_help(): void {
  const help = by_id('help');
  const groups = new Map<string, Shortcut[]>();
  for (const s of shortcuts) groups.set(s.group, [...(groups.get(s.group) ?? []), s]);
  help.replaceChildren(el('div', { role: 'dialog', 'aria-label': 'Keys' },
    el('h2', {}, 'Keys and mouse'),
    el('div', { class: 'groups' }, ...[...groups].map(([name, list]) => el('section', {}, el('h3', {}, name),
      el('dl', {}, ...list.flatMap((s) => [
        el('dt', {}, el('kbd', {}, s.label ?? (s.key === ' ' ? 'space' : s.key.length === 1 ? s.key.toUpperCase() : s.key))),
        el('dd', {}, s.what),
      ])))))));
  help.hidden = false;
  help.onclick = (event) => {
    if (event.target === help) help.hidden = true;
  };
}

export function start_shortcuts(): void {
  window.addEventListener('keydown', on_key);
  // a button that was clicked by mouse does not keep the keys
  window.addEventListener('click', (event) => {
    if (event.detail > 0 && event.target instanceof Element) event.target.closest('button')?.blur();
  });
  by_id('help-button').addEventListener('click', show_help);
  shortcut({ key: '?', group: 'Page', what: 'this list', run: () => {
    const help = by_id('help');
    if (help.hidden) show_help();
    else help.hidden = true;
  } });
  shortcut({ key: 'Escape', label: 'Esc', group: 'Page', what: 'leave a field, close this list' });
}
