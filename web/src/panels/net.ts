// The Net workbench: the net drawn and played, what was proved about it, what ran when, and changes.
import { own_address } from '../address';
import { RequestError } from '../connection';
import { el } from '../dom';
import { notify } from '../notices';
import { shortcut } from '../shortcuts';
import type { Studio } from '../studio';
import { NetChart } from './net_chart';
import { NetDrawing } from './net_drawing';
import { drawn_arc, free_name, node_fields } from './net_fields';
import { NetHands } from './net_hands';
import * as memory from './net_memory';
import type { Analysis, Chart, Net, NetEdit, NetNow, TraceStep } from './net_messages';
import { NetSentences, property_line } from './net_sentences';
import { NetTools, save_buttons } from './net_tools';
import { register } from './registry';

class NetPanel {
  private net: Net | null = null;
  private analysis: Analysis | null = null;
  private visible = false;
  private foreseen = false;
  private asking_chart = false;
  private chart_due = true;
  private readonly drawing = new NetDrawing();
  private readonly hands: NetHands;
  private readonly chart: NetChart;
  private readonly sentences: NetSentences;
  private readonly section = el('section', { id: 'net', 'aria-label': 'Net', hidden: true });
  private readonly mode = el('div', { class: 'row net-modes', role: 'group', 'aria-label': 'Who fires' });
  private readonly playing = el('div', { class: 'net-trace', hidden: true });
  private readonly fields = el('div', { class: 'net-chosen' });
  private readonly part = el('div', { class: 'net-part', role: 'status', hidden: true });
  private readonly tools = new NetTools({
    take: (tool) => {
      this.hands.tool = tool;
      this.drawing.root.dataset.tool = tool;
    },
    act: (word) => void this.act({ do: word }),
    arrange: () => void this.arrange_nodes(),
    find: (name) => void this.look_at(name),
    follow: () => (this.drawing.following = !this.drawing.following),
    zoom: (factor) => this.zoom(factor),
    fit: () => this.fit(),
  });

  constructor(root: HTMLElement, private readonly studio: Studio) {
    this.hands = new NetHands(this.drawing, {
      fire: (i) => void this.act({ do: 'fire', transition: this.net!.transitions[i].name }),
      choose: () => this.show_fields(),
      move: (node, to) => {
        memory.keep(studio.file, node.of, this.drawing.name_of(node), to);
        void this.edit([{ op: 'move', [node.of]: this.drawing.name_of(node), ...to }]);
      },
      add: (of, to) => void this.edit([{ op: 'add', [of]: free_name(this.net!, of), ...to }]),
      connect: (from, to, inhibits) => void this.edit([drawn_arc(this.net!, from, to, inhibits)]),
      rename: (node, to) => void this.edit([{ op: 'rename', [node.of]: this.drawing.name_of(node), to }]),
    });
    this.sentences = new NetSentences({
      play: (which) => void this.act({ do: 'play_trace', which }),
      show: (places, transitions) => void this.point_out(places, transitions),
      drop: (text) => void this.edit([{ op: 'property', text, remove: true }]),
      look_further: (markings) => void this.act({ do: 'analyse', markings }),
    });
    this.chart = new NetChart((t) => void studio.seek(Math.min(t, studio.status.end)));
    this.build_section();
    root.classList.add('net-panel');
    root.append(this.mode, this.playing, this.fields,
      el('h3', {}, 'What was found'), property_line((text) => this.edit([{ op: 'property', text }], true)), this.sentences.root,
      el('h3', {}, 'What runs when'), this.chart.root,
      el('h3', {}, 'Save'),
      save_buttons((what) => void this.save(what)));
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
    this.section.append(this.tools.root, this.part, el('div', { class: 'net-paper' }, this.drawing.root));
    document.getElementById('view')!.after(this.section);
    this.tools.take('hand');
    this.drawing.root.addEventListener('keydown', (event) => {
      if ((event.key === 'Delete' || event.key === 'Backspace') && this.drawing.chosen) this.remove_chosen();
      if (event.key === 'Escape') this.tools.take('hand');
    });
    const group = 'Net';
    shortcut({ key: 'u', group, what: 'undo the last change of the net', run: () => this.fits() && void this.act({ do: 'undo' }) });
    shortcut({ key: '>', group, what: 'go on to the next firing', run: () => this.fits() && void this.act({ do: 'next' }) });
    for (const [label, what] of [['click', 'fire a transition, choose a place'], ['drag', 'move a node, or the paper'],
      ['double-click', 'rename'], ['wheel', 'nearer, farther'], ['Tab', 'to what can fire'], ['arrows', 'from node to node'], ['Enter', 'fire, or choose'], ['Delete', 'remove what is chosen']]) shortcut({ key: `net ${label}`, label, group, what });
  }

  private zoom(factor: number): void {
    this.drawing.following = false;
    this.drawing.zoom(factor);
  }

  private fit(): void {
    this.drawing.following = false;
    this.drawing.point_out([], []);
    this.drawing.fit(true);
  }

  private async arrange_nodes(): Promise<void> {
    memory.forget(this.studio.file);
    if (await this.edit([{ op: 'arrange' }]) === null) this.drawing.fit(false);
  }

  // A node by its name; of a net that is too large its surroundings.
  private async look_at(name: string): Promise<boolean> {
    if (!name || !this.net) return false;
    if (!this.drawing.find(name) && (this.net.whole || !await this.act({ do: 'look', at: name }))) {
      if (this.net.whole) notify(`There is no place or transition ‘${name}’.`, 'error');
      return false;
    }
    const node = this.drawing.find(name);
    if (!node) return false;
    this.drawing.following = false;
    this.drawing.choose(node);
    this.drawing.focus(node);
    this.show_fields();
    return true;
  }

  private async point_out(places: string[], transitions: string[]): Promise<void> {
    const first = places[0] ?? transitions[0];
    if (this.net && !this.net.whole && first && !this.drawing.find(first) && !await this.look_at(first)) return;
    this.drawing.following = false;
    this.drawing.point_out(places, transitions);
  }

  private listen(): void {
    const { studio } = this;
    studio.on('opened', ({ describe }) => {
      this.arrange();
      this.net = null;
      this.foreseen = false;
      this.tools.take('hand');
      if (!this.fits()) return;
      this.take_net(describe.net as Net, Boolean(describe.undo), Boolean(describe.redo), false);
      this.drawing.following = true;
      this.take_analysis((describe.analysis as Analysis | undefined) ?? null);
      this.drawing.show(describe.now as NetNow, studio.status.playing, this.is_newest(describe.now as NetNow));
      this.show_fields();
      this.show_mode();
      this.ask_chart();
      const moves = memory.moves(studio.file, this.net!);
      if (moves.length) void this.edit(moves, true);
    });
    studio.on('server', (event) => {
      if (!this.fits() || !this.net) return;
      if (event.event === 'net') this.drawing.show(event as unknown as NetNow, studio.status.playing, this.is_newest(event as unknown as NetNow));
      if (event.event === 'net_changed') {
        const chosen = this.drawing.chosen && this.drawing.name_of(this.drawing.chosen);
        const elsewhere = !(event.net as Net).whole && !same_part(event.net as Net, this.net);
        this.take_net(event.net as Net, Boolean(event.undo), Boolean(event.redo), !elsewhere);
        memory.refresh(studio.file, this.net);
        this.choose_again(chosen);
        this.ask_chart();
      }
      if (event.event === 'analysis') this.take_analysis((event.analysis as Analysis | undefined) ?? null);
    });
    studio.on('time', (t) => {
      if (!this.net) return;
      this.drawing.pass_time(t, studio.status.playing);
      this.tools.show_following(this.drawing.following);
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
    this.tools.show_net(net, undo, redo);
    this.drawing.open(net, keep);
    this.chart_due = true;
    this.part.hidden = net.whole;
    const count = (n: number): string => n.toLocaleString('en');
    this.part.textContent = net.whole ? '' : `${count(net.size[0])} places and ${count(net.size[1])} transitions are too many to draw: ` +
      `these are ${net.places.length + net.transitions.length} that lie together. Find another one to go there.`;
  }

  private async act(message: Record<string, unknown>): Promise<boolean> {
    return await this.studio.act(message) !== null;
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
    void this.edit([{ op: 'remove', [node.of]: this.drawing.name_of(node) }]);
  }

  private show_fields(): void {
    const { chosen } = this.drawing;
    const known = chosen && this.net && this.drawing.name_of(chosen) !== '';
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
    const way = steps?.length ? steps.map(step_text).join(', ') : 'the start itself';
    const length = trace === undefined ? 0 : this.analysis?.trace_lengths[trace] ?? 0;
    this.playing.replaceChildren(el('strong', {}, 'Playing a trace: '), way.length > 400 ? `${way.slice(0, 400)} … (${length} steps)` : way, ' ',
      el('button', { class: 'framed', 'data-act': 'leave-trace', onclick: () => void this.act({ do: 'mode', value: 'auto' }).then(() => this.act({ do: 'play' })) },
        'back to the run'));
  }

  private take_analysis(analysis: Analysis | null): void {
    this.analysis = analysis;
    if (analysis) {
      this.drawing.mark_dead(analysis.sentences.flatMap((s) => (s.group === 'firing' && s.sign === 'bad' ? s.transitions ?? [] : [])));
    }
    this.sentences.show(analysis);
    this.show_mode();
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
      this.chart.show(answer.chart as Chart);
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
      el('a', { href: own_address(String(event.asset)), download: String(event.name) }).click();
      off();
    });
  }
}

// "T1 at 0.5 s", "end of P at 2 s".
function step_text(step: TraceStep): string {
  const { fire, finish, put, time } = step;
  const when = typeof time === 'number' ? ` at ${Number(time.toFixed(3))} s` : time ? ` at ${time} s` : '';
  return (fire ?? (finish ? `end of ${finish}` : put ? `a token into ${put}` : 'wait')) + when;
}

// An edit changes few nodes; another part has others.
function same_part(a: Net, b: Net | null): boolean {
  const before = new Set(b?.places.map((p) => p.name));
  return a.places.filter((p) => before.has(p.name)).length > a.places.length / 2;
}

let panel: NetPanel | null = null;

register({
  id: 'net',
  title: 'Net',
  key: 'n',
  fits: (studio) => studio.kind === 'net' || studio.kind === 'show',
  front: () => 1,
  mount(root, { studio }) {
    panel = new NetPanel(root, studio);
  },
  shown(visible) {
    panel?.show(visible);
  },
});
