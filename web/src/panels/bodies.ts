// What is shown over the figure, the list of bodies, and how hard the hand pushes and pulls.
import { el, short_number } from '../dom';
import { shortcut } from '../shortcuts';
import { toggle_names, type Toggle } from '../view/overlays';
import { register, type Bench } from './registry';

const labels: Record<Toggle, [string, string]> = {
  joints: ['joints', 'j'], frames: ['frames', 'a'], contacts: ['contacts', 'c'], forces: ['forces', 'f'],
  center: ['mass centre', 'o'], trails: ['trails', 't'], ghosts: ['ghosts', 'h'],
};

function switches({ studio }: Bench): HTMLElement {
  const boxes = new Map<Toggle, HTMLInputElement>();
  const grid = el('div', { class: 'switches' });
  for (const name of toggle_names) {
    const [label, key] = labels[name];
    const box = el('input', { type: 'checkbox', 'data-toggle': name, onchange: () => studio.toggle(name, box.checked) });
    boxes.set(name, box);
    grid.append(el('label', { class: 'switch' }, box, label, el('span', { class: 'key' }, key.toUpperCase())));
    shortcut({ key, group: 'Show', what: label, run: () => studio.toggle(name, !studio.is_on(name)) });
  }
  studio.on('toggled', (name) => (boxes.get(name)!.checked = studio.is_on(name)));
  return grid;
}

function hand_strength({ studio, hand }: Bench): HTMLElement {
  const push = el('input', { type: 'number', min: 0, step: 'any', placeholder: 'auto', title: 'empty: by the mass of what hangs together', 'aria-label': 'Push in newtons' });
  const stiffness = el('input', { type: 'number', min: 0, step: 'any', placeholder: 'auto', title: 'empty: by the mass of what hangs together', 'aria-label': 'Spring in newtons per metre' });
  push.onchange = () => (hand.push_newtons = Math.max(0, Number(push.value)));
  stiffness.onchange = () => (hand.stiffness = Math.max(0, Number(stiffness.value)));
  studio.on('opened', () => {
    hand.push_newtons = hand.stiffness = 0;
    push.value = stiffness.value = '';
  });
  return el('div', {},
    el('label', { class: 'line' }, el('span', {}, 'push'), push, el('span', { class: 'soft' }, 'N, 0.1 s')),
    el('label', { class: 'line' }, el('span', {}, 'spring'), stiffness, el('span', { class: 'soft' }, 'N/m')));
}

function body_list({ studio }: Bench): HTMLElement {
  const most = 200; // a pile of a thousand boxes is not read as a list
  const list = el('ul', { class: 'tree' });
  const rows = new Map<number, HTMLButtonElement>();
  studio.on('opened', ({ describe }) => {
    rows.clear();
    const bodies = describe.model?.bodies ?? [];
    const depth: number[] = [];
    bodies.forEach((body, i) => (depth[i] = body.parent < 0 ? 0 : depth[body.parent] + 1));
    list.replaceChildren(...bodies.slice(0, most).map((body, i) => {
      const about = body.immobile ? 'fixed' : `${body.joint.type.replaceAll('_', ' ')}, ${short_number(body.mass)} kg`;
      const button = el('button', {
        'aria-pressed': 'false', title: `${body.name}: ${about}`,
        onclick: () => studio.select(studio.stage.selected === i ? -1 : i),
      }, el('span', {}, body.name), el('span', { class: 'soft' }, about));
      button.style.paddingLeft = `${8 + 8 * Math.min(depth[i], 8)}px`;
      rows.set(i, button);
      return el('li', {}, button);
    }));
    if (bodies.length > most) list.append(el('li', { class: 'soft' }, `and ${bodies.length - most} more`));
  });
  studio.on('selected', (body) => {
    for (const [i, row] of rows) row.setAttribute('aria-pressed', String(i === body));
    rows.get(body)?.scrollIntoView({ block: 'nearest' });
  });
  return list;
}

register({
  id: 'bodies',
  title: 'Bodies',
  key: 'b',
  fits: (studio) => studio.describe.model !== undefined,
  mount(root, bench) {
    root.append(switches(bench), el('h3', {}, 'Hand'), hand_strength(bench),
      el('p', { class: 'soft' }, 'Ctrl-drag pulls a body, Alt-click pushes it.'),
      el('h3', {}, 'Bodies'), body_list(bench));
  },
});
