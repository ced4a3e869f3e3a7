// Variables as sliders, formulas as lines of text. A bad formula stays red under its column while
// the old one goes on acting.
import { RequestError } from '../connection';
import { el, short_number } from '../dom';
import type { Force, Variable } from '../messages';
import type { Studio } from '../studio';
import { register } from './registry';

const components = ['x', 'y', 'z'];

function variable_line(studio: Studio, variable: Variable): HTMLElement {
  const size = Math.max(Math.abs(variable.value), 1);
  const lower = variable.lower ?? Math.min(0, variable.value - size);
  const upper = variable.upper ?? variable.value + size;
  const slider = el('input', { type: 'range', min: lower, max: upper, step: 'any', 'aria-label': variable.name });
  const number = el('input', { type: 'number', step: 'any', value: short_number(variable.value), 'aria-label': variable.name });
  slider.value = String(variable.value);
  const set = (value: number): void => {
    if (Number.isFinite(value)) void studio.act({ do: 'set', variable: variable.name, value });
  };
  slider.oninput = () => {
    number.value = short_number(Number(slider.value));
    set(Number(slider.value));
  };
  number.onchange = () => {
    slider.value = number.value;
    set(Number(number.value));
  };
  return el('div', { class: 'line', 'data-variable': variable.name }, el('span', { title: variable.name }, variable.name), slider, number);
}

const seen_columns = 28; // of a formula in its field

// A mark under the column (from 1). Of a long formula its surroundings are shown again.
function pointed_at(text: string, column: number): string {
  if (column <= seen_columns) return `${' '.repeat(Math.max(0, column - 1))}^`;
  const from = Math.max(0, column - 22);
  return `…${text.slice(from, from + seen_columns)}\n${' '.repeat(column - from)}^`;
}

// A line of text whose error stands under the column that it is about.
export function formula_line(label: string, text: string, send: (text: string) => Promise<void>,
                             extra?: HTMLElement): HTMLElement {
  const input = el('input', { type: 'text', spellcheck: 'false', value: text, 'aria-label': label, autocomplete: 'off' });
  const caret = el('div', { class: 'caret error', hidden: true });
  const error = el('div', { class: 'error', hidden: true, role: 'alert' });
  const state = el('span', { class: 'soft' });
  const apply = async (): Promise<void> => {
    try {
      await send(input.value);
      input.removeAttribute('aria-invalid');
      error.hidden = caret.hidden = true;
      state.textContent = 'in force';
    } catch (problem) {
      const { message, column } = problem as RequestError;
      input.setAttribute('aria-invalid', 'true');
      state.textContent = 'the old one acts';
      error.textContent = message;
      error.hidden = false;
      const at = column ?? Number(/column (\d+)/.exec(message)?.[1] ?? 0);
      caret.hidden = !(at > 0);
      caret.textContent = pointed_at(input.value, at);
    }
  };
  input.onkeydown = (event) => {
    if (event.key === 'Enter') void apply();
  };
  input.oninput = () => (state.textContent = 'Enter to apply');
  return el('div', { class: 'formula', 'data-formula': label }, el('label', {}, label, state), input, caret, error, extra);
}

function work_meter(studio: Studio, column: string): HTMLElement {
  const bar = el('span', {});
  const value = el('span', { class: 'soft number' });
  let largest = 1e-9;
  let at = -1;
  studio.on('plots', ({ columns, values }) => {
    at = columns.indexOf(column);
    if (at < 0 || at >= values.length) return;
    const work = values[at];
    largest = Math.max(largest, Math.abs(work));
    const part = 50 * work / largest;
    bar.style.left = `${50 + Math.min(part, 0)}%`;
    bar.style.width = `${Math.abs(part)}%`;
    value.textContent = `${short_number(work)} J`;
  });
  return el('div', { title: 'work done so far' }, el('div', { class: 'meter' }, bar), value);
}

function force_lines(studio: Studio, force: Force): HTMLElement[] {
  const lines: HTMLElement[] = [];
  for (const part of ['force', 'torque'] as const) {
    force[part].forEach((text, i) => {
      const whole = force[part].length === 1;
      const label = `${force.name} ${part === 'torque' ? 'torque ' : ''}${whole ? '' : components[i]}`.trim();
      lines.push(formula_line(label, text, async (value) => {
        await studio.connection.ask({
          do: 'replace', what: 'force', name: force.name, part, ...(whole ? {} : { component: i }), text: value,
        });
      }));
    });
  }
  if (lines.length) lines[lines.length - 1].append(work_meter(studio, `${force.name}.work`));
  return lines;
}

function probe_adder(studio: Studio): HTMLElement {
  const name = el('input', { type: 'text', placeholder: 'name', 'aria-label': 'Name of a new probe' });
  const line = formula_line('new probe', '', async (text) => {
    await studio.connection.ask({ do: 'replace', what: 'probe', name: name.value.trim() || 'probe', text });
  });
  line.insertBefore(name, line.children[1]);
  name.style.marginBottom = '4px';
  return line;
}

register({
  id: 'forces',
  title: 'Forces',
  key: 'm',
  fits: (studio) => studio.kind === 'scene' && studio.describe.model !== undefined,
  mount(root, { studio }) {
    const content = el('div', {});
    root.append(content);
    studio.on('opened', ({ describe }) => {
      const variables = (describe.variables ?? []).map((v) => variable_line(studio, v));
      const forces = (describe.forces ?? []).flatMap((f) => force_lines(studio, f));
      content.replaceChildren(
        ...(variables.length ? [el('h3', {}, 'Variables'), ...variables] : []),
        ...(forces.length ? [el('h3', {}, 'Formulas'), ...forces] : []),
        ...(variables.length + forces.length ? [] : [el('p', { class: 'soft' }, 'This scene has no formulas. A probe may be added.')]),
        el('h3', {}, 'Probes'), probe_adder(studio));
    });
  },
});
