// Vibrations: a motion is sketched with its palettes, trained, and looked at as a gait.
import { el, short_number } from '../dom';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import { Ghost } from '../view/ghost';
import { motion_of, type PushesPart, type Worth } from './motion_messages';
import { Palettes } from './palettes';
import { register } from './registry';
import { RestPose } from './rest_pose';
import { PushView, worth_table } from './result';
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
  return el('div', { 'data-part': 'motion' }, new TrainingView(studio).element,
    el('details', { class: 'figure-settings' }, el('summary', {}, 'Rest pose and springs'), new RestPose(studio).element, springs(studio)),
    palettes.element);
}

function gait_part(studio: Studio): HTMLElement {
  const worth = el('div', {}), falls = el('span', { class: 'soft number' });
  const control = el('select', { 'aria-label': 'What carries it on', onchange: () => void studio.act({ do: 'control', value: control.value }) });
  const pushes = new PushView(studio, () => studio.kind === 'gait');
  studio.on('opened', ({ kind, describe }) => {
    if (kind !== 'gait') return;
    worth.replaceChildren(worth_table(describe.worth as Worth));
    const words: [string, string][] = [['feedback', 'feedback'], ['open_loop', 'open loop: it may fall'], ['reset', 'put back each cycle']];
    control.replaceChildren(...words.filter(([word]) => word !== 'feedback' || describe.has_feedback).map(([word, label]) =>
      el('option', { value: word }, label)));
    pushes.show((describe.pushes as PushesPart | undefined) ?? null);
  });
  studio.on('status', (status) => {
    const gait = (status as unknown as { gait?: { control: string; falls: number } }).gait;
    if (!gait) return;
    if (document.activeElement !== control) control.value = gait.control;
    falls.textContent = gait.falls === 0 ? 'never fell' : `fell ${gait.falls} ${gait.falls === 1 ? 'time' : 'times'}`;
  });
  return el('div', { 'data-part': 'gait' }, worth, el('h3', {}, 'Kept up by'),
    el('label', { class: 'line' }, el('span', {}, 'control'), control, falls), pushes.element);
}

register({
  id: 'vibrations',
  title: 'Vibrations',
  key: 'v',
  width: 372,
  fits: (studio) => studio.kind === 'motion' || studio.kind === 'gait',
  front: (studio) => (studio.kind === 'motion' || studio.kind === 'gait' ? 1 : 0),
  mount(root, { studio }) {
    new Ghost(studio);
    const motion = motion_part(studio), gait = gait_part(studio);
    root.append(motion, gait);
    studio.on('opened', ({ kind }) => {
      motion.hidden = kind !== 'motion';
      gait.hidden = kind !== 'gait';
    });
    shortcut({ key: 'mouse Shift-drag', label: 'Shift-drag', group: 'Mouse in the view', what: 'turn a joint of a motion’s rest pose' });
  },
  shown: (visible) => palettes?.shown(visible),
});
