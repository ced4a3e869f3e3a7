// Short sentences in the corner of the view; nothing has to be clicked away.
import { by_id, el } from './dom';

const shown = new Map<string, HTMLElement>();
let number = 0;

// A notice with a name replaces the one of that name; an empty one takes it away.
export function notify(content: string | Node, kind: 'info' | 'warning' | 'error' = 'info', name = `#${number++}`,
                       seconds = kind === 'error' ? 8 : 4): void {
  shown.get(name)?.remove();
  shown.delete(name);
  if (content === '') return;
  const notice = el('div', { class: `notice ${kind}` }, content);
  shown.set(name, notice);
  by_id('notices').append(notice);
  if (name === 'line' || seconds <= 0) return;
  setTimeout(() => {
    if (shown.get(name) === notice) shown.delete(name);
    notice.remove();
  }, 1000 * seconds);
}
