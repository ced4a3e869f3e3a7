// What is shown over the figure, the list of bodies, and how hard the hand pushes and pulls.
import { el, short_number } from '../dom';
import { shortcut } from '../shortcuts';
import { push_directions, type PushDirection } from '../view/hand';
import { toggle_names, type Toggle } from '../view/overlays';
import { register, type Bench } from './registry';

const labels: Record<Toggle, [string, string]> = {
  joints: ['joints', 'j'], stress: ['stress', 'x'], frames: ['frames', 'a'], contacts: ['contacts', 'c'], forces: ['forces', 'f'],
  center: ['mass centre', 'o'], feet: ['feet', 'w'], trails: ['trails', 't'], ghosts: ['ghosts', 'h'],
};
const stress_legend = 'Stress of a joint: how near it is to a stop, or its torque as a share of what its motor can, else of the largest here in the last seconds.';

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

// Says what the colours mean while they are shown.
function legend({ studio }: Bench): HTMLElement {
  const text = el('p', { class: 'soft legend-stress', hidden: true }, el('span', { class: 'scale' }), stress_legend);
  const update = (): void => {
    text.hidden = !studio.is_on('stress');
    text.lastChild!.textContent = studio.stage.overlays?.stress.empty ? 'No joint here has springs, motors or stops.' : stress_legend;
  };
  studio.on('toggled', update);
  studio.on('opened', update);
  return text;
}

function hand_strength({ studio, hand }: Bench): HTMLElement {
  const auto = { type: 'number', min: 0, step: 'any', placeholder: 'auto', title: 'empty: by the mass of what hangs together' };
  const push = el('input', { ...auto, 'aria-label': 'Push in newtons' });
  const seconds = el('input', { type: 'number', min: 0.01, max: 10, step: 0.01, value: hand.push_seconds, 'aria-label': 'Seconds of a push' });
  const stiffness = el('input', { ...auto, 'aria-label': 'Spring in newtons per metre' });
  const direction = el('select', { 'aria-label': 'Direction of a push' }, ...Object.keys(push_directions).map((name) => el('option', {}, name)));
  const impulse = el('p', { class: 'soft', 'data-impulse': true });
  const go = el('button', { class: 'framed', 'data-push': true, onclick: () => hand.push_selected() }, 'push');
  const update = (): void => {
    hand.push_newtons = Math.max(0, Number(push.value));
    hand.push_seconds = Math.min(10, Math.max(0.01, Number(seconds.value) || 0.1));
    hand.stiffness = Math.max(0, Number(stiffness.value));
    hand.push_direction = direction.value as PushDirection;
    const body = studio.stage.selected;
    go.disabled = body < 0;
    go.title = body < 0 ? 'Choose a body first' : `Push ${studio.body_name}`;
    impulse.textContent = body >= 0 || hand.push_newtons > 0
      ? `A push is ${short_number(Number(((body >= 0 ? hand.newtons(body) : hand.push_newtons) * hand.push_seconds).toPrecision(3)))} N s.` : '';
    impulse.hidden = !impulse.textContent;
  };
  for (const field of [push, seconds, stiffness, direction]) field.onchange = update;
  push.oninput = seconds.oninput = update;
  studio.on('selected', update);
  studio.on('opened', () => {
    push.value = stiffness.value = '';
    update();
  });
  const unit = (text: string): HTMLElement => el('span', { class: 'soft' }, text);
  return el('div', {},
    el('div', { class: 'line push' }, el('span', {}, 'push'), push, unit('N for'), seconds, unit('s')),
    el('div', { class: 'line wide' }, el('span', {}, 'towards'), el('div', { class: 'row tight' }, direction, go)),
    el('label', { class: 'line short' }, el('span', {}, 'spring'), stiffness, unit('N/m')), impulse);
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
    root.append(switches(bench), legend(bench), el('h3', {}, 'Hand'), hand_strength(bench),
      el('p', { class: 'soft' }, 'Ctrl-drag pulls a body, Alt-click pushes it, Alt-drag along an arrow.'),
      el('h3', {}, 'Bodies'), body_list(bench));
  },
});
