// The Net workbench: the net drawn and played, what was proved about it, what ran when, and changes.
import { RequestError } from '../connection';
import { el } from '../dom';
import { notify } from '../notices';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import { NetChart } from './net_chart';
import { NetDrawing, type Tool } from './net_drawing';
import { drawn_arc, free_name, node_fields } from './net_fields';
import type { Analysis, Chart, Net, NetEdit, NetNow, NodeId, Sentence } from './net_messages';
import { register } from './registry';

const signs = { good: '✓', bad: '✗', unknown: '?', remark: '·' };
const sign_words = { good: 'holds', bad: 'fails', unknown: 'not known', remark: 'remark' };
const tools: { tool: Tool; label: string; about: string }[] = [
  { tool: 'hand', label: 'fire', about: 'Click a transition to fire it; drag nodes; double-click to rename' },
  { tool: 'place', label: '+ place', about: 'Click where a place shall be' },
  { tool: 'transition', label: '+ transition', about: 'Click where a transition shall be' },
  { tool: 'arc', label: '+ arc', about: 'Drag from one node to another; with Shift it inhibits' },
];
const most_asked = 5_000_000; // markings

class NetPanel {
  private net: Net | null = null;
  private analysis: Analysis | null = null;
  private visible = false;
  private foreseen = false;
  private asking_chart = false;
  private chart_due = true;
  private readonly drawing: NetDrawing;
  private readonly chart: NetChart;
  private readonly section = el('section', { id: 'net', 'aria-label': 'Net', hidden: true });
  private readonly mode = el('div', { class: 'row net-modes', role: 'group', 'aria-label': 'Who fires' });
  private readonly playing = el('div', { class: 'net-trace', hidden: true });
  private readonly fields = el('div', { class: 'net-chosen' });
  private readonly sentences = el('ul', { class: 'net-sentences', 'aria-live': 'polite' });
  private readonly figures = el('p', { class: 'soft' });
  private readonly undo = el('button', { title: 'Undo the last change (U)', onclick: () => void this.act({ do: 'undo' }) }, 'undo');
  private readonly redo = el('button', { title: 'Make it again', onclick: () => void this.act({ do: 'redo' }) }, 'redo');
  private readonly tool_buttons = new Map<Tool, HTMLElement>();

  constructor(root: HTMLElement, private readonly studio: Studio) {
    this.drawing = new NetDrawing({
      fire: (i) => void this.act({ do: 'fire', transition: this.net!.transitions[i].name }),
      choose: () => this.show_fields(),
      move: (node, { x, y }) => void this.edit([{ op: 'move', [node.of]: this.name_of(node), x, y }]),
      add: (of, { x, y }) => void this.edit([{ op: 'add', [of]: free_name(this.net!, of), x, y }]),
      connect: (from, to, inhibits) => void this.edit([drawn_arc(this.net!, from, to, inhibits)]),
      rename: (node, to) => void this.edit([{ op: 'rename', [node.of]: this.name_of(node), to }]),
    });
    this.chart = new NetChart((t) => void studio.seek(Math.min(t, studio.status.end)));
    this.build_section();
    root.classList.add('net-panel');
    root.append(this.mode, this.playing, this.fields,
      el('h3', {}, 'What was found'), this.sentences, this.property_line(), this.figures,
      el('h3', {}, 'What runs when'), this.chart.root,
      el('div', { class: 'row net-save' },
        el('button', { class: 'framed', 'data-act': 'save', title: 'Save as .net.json', onclick: () => void this.save('net') }, 'Save net'),
        el('button', { class: 'framed', title: 'Drawing as SVG', onclick: () => void this.save('svg') }, 'Drawing'),
        el('button', { class: 'framed', title: 'Chart as SVG', onclick: () => void this.save('gantt') }, 'Chart')));
    this.listen();
  }

  show(visible: boolean): void {
    this.visible = visible;
    this.arrange();
    if (visible) this.ask_chart();
  }

  private fits(): boolean {
    return this.studio.kind === 'net' || this.studio.kind === 'show';
  }

  // A net alone has the whole middle; one that directs a show shares it.
  private arrange(): void {
    const alone = this.studio.kind === 'net';
    const shown = this.fits() && (this.visible || alone);
    this.section.hidden = !shown;
    document.body.classList.toggle('with-net', shown && !alone);
    document.body.classList.toggle('net-alone', shown && alone);
  }

  private build_section(): void {
    const bar = el('div', { class: 'net-tools', role: 'toolbar', 'aria-label': 'Tools of the net' });
    for (const { tool, label, about } of tools) {
      const button = el('button', { title: about, 'data-tool': tool, onclick: () => this.take(tool) }, label);
      this.tool_buttons.set(tool, button);
      bar.append(button);
    }
    bar.append(this.undo, this.redo, el('span', { class: 'gap' }),
      el('button', { title: 'Farther', 'aria-label': 'Farther', onclick: () => this.drawing.zoom(0.8) }, '−'),
      el('button', { title: 'Nearer', 'aria-label': 'Nearer', onclick: () => this.drawing.zoom(1.25) }, '+'),
      el('button', { title: 'Show all', onclick: () => this.drawing.fit(0) }, 'all'));
    this.section.append(bar, el('div', { class: 'net-paper' }, this.drawing.root));
    document.getElementById('view')!.after(this.section);
    this.take('hand');
    this.drawing.root.addEventListener('keydown', (event) => {
      if ((event.key === 'Delete' || event.key === 'Backspace') && this.drawing.chosen) this.remove_chosen();
      if (event.key === 'Escape') this.take('hand');
    });
    const group = 'Net';
    shortcut({ key: 'u', group, what: 'undo the last change of the net', run: () => this.fits() && void this.act({ do: 'undo' }) });
    for (const [label, what] of [['click', 'fire a transition, choose a place'], ['drag', 'move a node, or the paper'],
      ['double-click', 'rename'], ['Delete', 'remove what is chosen']]) shortcut({ key: `net ${label}`, label, group, what });
  }

  private take(tool: Tool): void {
    this.drawing.tool = tool;
    this.drawing.root.dataset.tool = tool;
    for (const [name, button] of this.tool_buttons) button.setAttribute('aria-pressed', String(name === tool));
  }

  private listen(): void {
    const { studio } = this;
    studio.on('opened', ({ describe }) => {
      this.arrange();
      this.net = null;
      this.foreseen = false;
      this.take('hand');
      if (!this.fits()) return;
      this.take_net(describe.net as Net, Boolean(describe.undo), Boolean(describe.redo), false);
      this.take_analysis((describe.analysis as Analysis | undefined) ?? null);
      this.drawing.show(describe.now as NetNow, studio.status.playing, this.is_newest(describe.now as NetNow));
      this.show_fields();
      this.show_mode();
      this.ask_chart();
    });
    studio.on('server', (event) => {
      if (!this.fits() || !this.net) return;
      if (event.event === 'net') this.drawing.show(event as unknown as NetNow, studio.status.playing, this.is_newest(event as unknown as NetNow));
      if (event.event === 'net_changed') {
        const chosen = this.drawing.chosen && this.name_of(this.drawing.chosen);
        this.take_net(event.net as Net, Boolean(event.undo), Boolean(event.redo), true);
        this.choose_again(chosen);
        this.ask_chart();
      }
      if (event.event === 'analysis') this.take_analysis((event.analysis as Analysis | undefined) ?? null);
    });
    studio.on('time', (t) => {
      if (!this.net) return;
      this.drawing.pass_time(t, studio.status.playing);
      this.chart.pass_time(t);
      if (t > this.chart.end + (this.foreseen ? 0 : 0.5)) this.ask_chart();
    });
    studio.on('status', (status) => {
      if (!this.fits() || !this.net) return;
      this.show_mode();
      this.drawing.pass_time(status.t, status.playing);
    });
  }

  private is_newest({ t }: NetNow): boolean {
    return t >= this.studio.status.end - 1e-6;
  }

  private name_of(node: NodeId): string {
    return (node.of === 'place' ? this.net!.places : this.net!.transitions)[node.index]?.name ?? '';
  }

  // After an edit: by its name, else what was renamed stays where it is.
  private choose_again(name: string | null): void {
    const chosen = this.drawing.chosen;
    if (!chosen || !name) return this.show_fields();
    const list = chosen.of === 'place' ? this.net!.places : this.net!.transitions;
    const index = list.findIndex((n) => n.name === name);
    const next = index >= 0 ? index : list.length > chosen.index && this.renamed ? chosen.index : -1;
    this.renamed = false;
    this.drawing.choose(next < 0 ? null : { of: chosen.of, index: next });
    this.show_fields();
  }
  private renamed = false;

  private take_net(net: Net, undo: boolean, redo: boolean, keep: boolean): void {
    this.net = net;
    this.undo.disabled = !undo;
    this.redo.disabled = !redo;
    this.drawing.open(net, keep);
    this.section.classList.toggle('too-large', !net.drawn);
    this.chart_due = true;
  }

  private async act(message: Record<string, unknown>): Promise<void> {
    await this.studio.act(message);
  }

  // An error, or nothing.
  private async edit(edits: NetEdit[], quiet = false): Promise<string | null> {
    this.renamed = edits.some((e) => e.op === 'rename');
    try {
      await this.studio.connection.ask({ do: 'edit', edits });
      return null;
    } catch (problem) {
      this.renamed = false;
      const text = (problem as RequestError).message;
      if (!quiet) notify(text, 'error');
      if (edits.some((e) => e.op === 'move')) this.drawing.open(this.net!, true);
      return text;
    }
  }

  private remove_chosen(): void {
    const node = this.drawing.chosen!;
    void this.edit([{ op: 'remove', [node.of]: this.name_of(node) }]);
  }

  private show_fields(): void {
    const { chosen } = this.drawing;
    const known = chosen && this.net && this.name_of(chosen) !== '';
    const old = this.fields.querySelector<HTMLElement>(':focus')?.dataset.field;
    this.fields.replaceChildren(...(known ? node_fields(this.net!, chosen, (edits) => this.edit(edits, true)) : []));
    if (old) this.fields.querySelector<HTMLElement>(`[data-field="${old}"]`)?.focus();
  }

  private show_mode(): void {
    const { mode, trace } = this.studio.status as unknown as { mode?: string; trace?: number };
    const key = `${mode ?? ''} ${trace ?? ''} ${this.analysis ? 1 : 0}`;
    if (this.mode.dataset.shows === key) return;
    this.mode.dataset.shows = key;
    const button = (value: string, label: string, about: string): HTMLElement =>
      el('button', { title: about, 'data-mode': value, 'aria-pressed': String(mode === value),
                     onclick: () => void this.act({ do: 'mode', value }).then(() => this.act({ do: 'play' })) }, label);
    this.mode.replaceChildren(button('auto', 'plays itself', 'The net fires by itself; you may fire what waits for an event'),
      button('hand', 'by hand', 'Nothing fires but what you fire'));
    const steps = trace === undefined ? undefined : this.analysis?.traces[trace];
    this.playing.hidden = mode !== 'trace';
    if (mode !== 'trace') return;
    const way = steps?.length ? steps.map((s) => s.fire + (s.time === undefined ? '' : ` at ${Number(s.time.toFixed(3))} s`)).join(', ')
      : 'the start itself';
    this.playing.replaceChildren(el('strong', {}, 'Playing a trace: '), way.length > 400 ? `${way.slice(0, 400)} …` : way, ' ',
      el('button', { class: 'framed', 'data-act': 'leave-trace', onclick: () => void this.act({ do: 'mode', value: 'auto' }).then(() => this.act({ do: 'play' })) },
        'back to the run'));
  }

  private take_analysis(analysis: Analysis | null): void {
    this.analysis = analysis;
    this.sentences.dataset.busy = String(analysis === null);
    this.drawing.mark_dead((analysis?.sentences ?? []).flatMap((s) => (s.transition === undefined ? [] : [s.transition])));
    this.show_mode();
    if (!analysis) {
      this.figures.textContent = 'Analysing …';
      return;
    }
    this.sentences.replaceChildren(...analysis.sentences.map((s) => this.sentence(s)));
    const more = el('button', { class: 'framed', onclick: () => void this.act({ do: 'analyse', markings: Math.min(most_asked, 10 * analysis.markings) }) }, 'look further');
    this.figures.replaceChildren(`${analysis.markings.toLocaleString('en')} markings${analysis.complete ? '' : ' and more'}, ` +
      `${analysis.seconds < 0.1 ? `${(1000 * analysis.seconds).toFixed(1)} ms` : `${analysis.seconds.toFixed(1)} s`}. `,
    ...(analysis.complete || analysis.markings >= most_asked ? [] : [more]));
  }

  private sentence(s: Sentence): HTMLElement {
    const item = el('li', { class: s.sign }, el('span', { class: 'sign', title: sign_words[s.sign], 'aria-label': sign_words[s.sign] }, signs[s.sign]),
      el('span', { class: 'words' }, s.text));
    if (s.trace !== undefined) {
      item.append(el('button', { class: 'framed', 'data-trace': s.trace, title: 'Play the firings that show it',
                                 onclick: () => void this.act({ do: 'play_trace', which: s.trace }) }, 'play it'));
    }
    if (s.property !== undefined) {
      item.append(el('button', { class: 'drop-it', title: 'Do not ask this any more', 'aria-label': 'Remove the property',
                                 onclick: () => void this.edit([{ op: 'property', text: s.property!, remove: true }]) }, '×'));
    }
    return item;
  }

  private property_line(): HTMLElement {
    const input = el('input', { type: 'text', placeholder: 'never: P1 & P2', 'aria-label': 'Ask for a property', spellcheck: 'false', autocomplete: 'off' });
    const caret = el('div', { class: 'caret error', hidden: true });
    const error = el('div', { class: 'error', role: 'alert', hidden: true });
    const apply = async (): Promise<void> => {
      const problem = await this.edit([{ op: 'property', text: input.value }], true);
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

  private ask_chart(): void {
    if (!this.net || !this.visible || this.asking_chart) {
      this.chart_due = true;
      return;
    }
    this.asking_chart = true;
    this.chart_due = false;
    const net = this.net;
    void this.studio.connection.ask({ do: 'gantt' }).then((answer) => {
      if (net !== this.net) return;
      this.foreseen = Boolean(answer.foreseen);
      this.chart.show(net, answer.chart as Chart);
    }).catch(() => undefined).finally(() => setTimeout(() => {
      this.asking_chart = false;
      if (this.chart_due) this.ask_chart();
    }, 500));
  }

  private async save(what: string): Promise<void> {
    const answer = await this.studio.act({ do: 'export', what });
    if (!answer) return;
    const off = this.studio.on('server', (event) => {
      if (event.job !== answer.job || event.event !== 'done') return;
      el('a', { href: String(event.asset), download: String(event.name) }).click();
      off();
    });
  }
}

let panel: NetPanel | null = null;

register({
  id: 'net',
  title: 'Net',
  key: 'n',
  fits: (studio) => studio.kind === 'net' || studio.kind === 'show',
  mount(root, { studio }) {
    panel = new NetPanel(root, studio);
  },
  shown(visible) {
    panel?.show(visible);
  },
});
