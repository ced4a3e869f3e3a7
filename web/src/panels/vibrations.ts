// Vibrations: a motion is sketched with its palettes, trained, and looked at as a gait.
import { el, short_number } from '../dom';
import type { Description, ServerEvent } from '../messages';
import type { Studio } from '../studio';
import { Ghost } from '../view/ghost';
import { motion_of, type PushesPart } from './motion_messages';
import { Palettes } from './palettes';
import { push_plot } from './push_plot';
import { register } from './registry';
import { RestPose } from './rest_pose';
import { TrainingView } from './training';

let palettes: Palettes | null = null;

function springs(studio: Studio): HTMLElement {
  const stiffness = el('input', { type: 'number', min: 0, step: 'any', placeholder: 'scene’s', 'aria-label': 'Stiffness of all joints' });
  const relaxation = el('input', { type: 'number', min: 0, step: 'any', 'aria-label': 'Damping over stiffness' });
  const send = (): void => {
    void studio.act({ do: 'springs', stiffness: stiffness.value === '' ? null : Number(stiffness.value), relaxation: Number(relaxation.value) });
  };
  stiffness.onchange = relaxation.onchange = send;
  const fill = (): void => {
    const motion = motion_of(studio.describe);
    if (!motion) return;
    stiffness.value = motion.stiffness === null ? '' : short_number(motion.stiffness);
    relaxation.value = short_number(motion.relaxation);
  };
  studio.on('opened', fill);
  studio.on('reshaped', fill);
  return el('div', {},
    el('label', { class: 'line' }, el('span', {}, 'stiffness'), stiffness, el('span', { class: 'soft' }, 'N m/rad')),
    el('label', { class: 'line' }, el('span', {}, 'damping'), relaxation, el('span', { class: 'soft' }, '× it, s')));
}

function motion_part(studio: Studio): HTMLElement {
  palettes = new Palettes(studio);
  return el('div', { 'data-part': 'motion' }, new TrainingView(studio).element, palettes.element,
    el('h3', {}, 'Rest pose'), new RestPose(studio).element, el('h3', {}, 'Springs of all joints'), springs(studio));
}

interface Worth {
  speed: number; cost_of_transport: number; steps: number; seconds: number; fell: boolean;
  cyclic_error: number; likeness: number; peak_force: number; duty_factor: number;
}

function worth_table(describe: Description): HTMLElement {
  const w = describe.worth as Worth | undefined;
  if (!w) return el('div', {});
  const rows: [string, string][] = [
    ['keeps its constraints', describe.valid ? 'yes' : 'no'], ['speed', `${short_number(w.speed)} m/s`],
    ['cost of transport', short_number(w.cost_of_transport)],
    [w.fell ? 'steps until it falls' : `steps in ${Math.round(w.seconds)} s`, w.fell ? String(w.steps) : `${w.steps}, on its feet`],
    ['cyclic error', `${short_number(w.cyclic_error)} tolerances`], ['likeness to the sketch', short_number(w.likeness)],
    ['duty factor', short_number(w.duty_factor)], ['peak ground force', `${short_number(w.peak_force)} × weight`],
  ];
  return el('table', { class: 'figures' }, ...rows.map(([name, value]) =>
    el('tr', {}, el('td', {}, name), el('td', { class: 'number' }, value))));
}

function gait_part(studio: Studio): HTMLElement {
  const worth = el('div', {}), polar = el('div', {}), falls = el('span', { class: 'soft number' });
  const control = el('select', { 'aria-label': 'What carries it on', onchange: () => void studio.act({ do: 'control', value: control.value }) });
  const push = el('button', { 'data-do': 'pushes' }, 'Find out how hard');
  push.onclick = async () => {
    push.disabled = true;
    polar.replaceChildren(el('p', { class: 'soft' }, 'Pushing it from all sides …'));
    if (!(await studio.act({ do: 'pushes' }))) push.disabled = false;
  };
  const show_pushes = (pushes: PushesPart): void => {
    push.disabled = false;
    polar.replaceChildren(push_plot(pushes));
  };
  studio.on('opened', ({ kind, describe }) => {
    if (kind !== 'gait') return;
    push.disabled = false;
    polar.replaceChildren();
    worth.replaceChildren(worth_table(describe));
    const words: [string, string][] = [['feedback', 'feedback'], ['open_loop', 'open loop: it may fall'], ['reset', 'put back each cycle']];
    control.replaceChildren(...words.filter(([word]) => word !== 'feedback' || describe.has_feedback).map(([word, label]) =>
      el('option', { value: word }, label)));
    if (describe.pushes) show_pushes(describe.pushes as PushesPart);
  });
  studio.on('status', (status) => {
    const gait = (status as unknown as { gait?: { control: string; falls: number } }).gait;
    if (!gait) return;
    if (document.activeElement !== control) control.value = gait.control;
    falls.textContent = gait.falls === 0 ? 'never fell' : `fell ${gait.falls} ${gait.falls === 1 ? 'time' : 'times'}`;
  });
  studio.on('server', (event: ServerEvent) => {
    if (event.event === 'pushes') show_pushes(event as unknown as PushesPart);
  });
  return el('div', { 'data-part': 'gait' }, worth, el('h3', {}, 'Kept up by'),
    el('label', { class: 'line' }, el('span', {}, 'control'), control, falls),
    el('h3', {}, 'Pushes that it survives'), push, polar);
}

register({
  id: 'vibrations',
  title: 'Vibrations',
  key: 'v',
  fits: (studio) => studio.kind === 'motion' || studio.kind === 'gait',
  mount(root, { studio }) {
    new Ghost(studio);
    const motion = motion_part(studio), gait = gait_part(studio);
    root.append(motion, gait);
    studio.on('opened', ({ kind }) => {
      motion.hidden = kind !== 'motion';
      gait.hidden = kind !== 'gait';
    });
  },
  shown: (visible) => palettes?.shown(visible),
});
