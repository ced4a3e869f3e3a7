// Curves under the view. Each chart is a few columns against time; the cursor of all is the same, and
// a line shows the time of the frame in the view.
import uPlot from 'uplot';
import { by_id, el, save, short_number } from './dom';
import { Series } from './series';
import { shortcut } from './shortcuts';
import type { Studio } from './studio';

interface Group {
  title: string;
  words: string[]; // columns, or bodies and joints for several of them
}

const usual: Group[] = [
  { title: 'energy (J)', words: ['kinetic', 'gravity', 'elastic', 'total'] },
  { title: 'momentum (N s)', words: ['px', 'py', 'pz'] },
  { title: 'angular momentum (N m s)', words: ['lx', 'ly', 'lz'] },
];
// of walks: columns by how they end
const of_walkers: [ending: string, title: string][] = [
  ['.speed', 'speed (m/s)'], ['.hips', 'height of the hips (m)'], ['.slip', 'slip of the feet (m)'],
];
const asked_points = 2000;
const most_curves = 6; // in one chart
const light_colors = ['#2a64b8', '#c2571a', '#23863d', '#25231f', '#8a4fb0', '#9a7400'];
const dark_colors = ['#7fb0f2', '#f0a06a', '#63c67c', '#ececee', '#c79be8', '#e0c060'];
const dark = window.matchMedia('(prefers-color-scheme: dark)');

// Is `column` one of the numbers of the body, joint or vector of that name?
function is_part(column: string, word: string): boolean {
  return column.startsWith(`${word}.`) && /^(x|y|z|q[wxyz]|\d)$/.test(column.slice(word.length + 1));
}

function axis_number(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-3)) return value.toExponential(0);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(4)));
}

class Chart {
  readonly element: HTMLElement;
  record = new Series([]);
  private columns: string[] = [];
  private plot: uPlot | null = null;
  private readonly legend = el('span', { class: 'legend' });
  private readonly canvas = el('div', { class: 'canvas' });

  constructor(readonly group: Group, private readonly studio: Studio, close: () => void) {
    this.element = el('div', { class: 'chart', 'data-plot': group.title },
      el('header', {}, el('strong', {}, group.title), this.legend,
        el('span', { class: 'tools' },
          el('button', { title: 'Save as CSV', onclick: () => this.save_csv() }, 'csv'),
          el('button', { title: 'Save as SVG', onclick: () => this.save_svg() }, 'svg'),
          el('button', { title: 'Remove this plot', 'aria-label': 'Remove this plot', onclick: close }, '×'))),
      this.canvas);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }

  // The columns that its words turned out to mean; what was drawn of others is forgotten. True: there
  // are others now.
  set_columns(all: string[]): boolean {
    const columns = all.filter((c) => this.group.words.some((w) => c === w || is_part(c, w)));
    if (columns.join() === this.columns.join()) return false;
    this.columns = columns;
    this.record = new Series(columns);
    this.make();
    return true;
  }

  private colors(): string[] {
    return dark.matches ? dark_colors : light_colors;
  }

  make(): void {
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue('--soft').trim(), edge = style.getPropertyValue('--edge').trim();
    const font = '13px system-ui, "DejaVu Sans", sans-serif';
    const axis = { stroke: soft, font, grid: { stroke: edge, width: 1 }, ticks: { show: false } };
    const colors = this.colors();
    this.plot = new uPlot({
      width: Math.max(this.canvas.clientWidth, 100), height: Math.max(this.canvas.clientHeight, 40),
      legend: { show: false },
      cursor: { sync: { key: 'studio' }, y: false, points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 22, space: 60 }, { ...axis, size: 54, space: 24, values: (_, v) => v.map(axis_number) }],
      series: [{}, ...this.columns.map((label, i) => ({ label, stroke: colors[i % colors.length], width: 1.5 }))],
      hooks: {
        setCursor: [(u) => this.show_values(u.cursor.idx ?? null)],
        draw: [(u) => this.draw_now(u)],
      },
    }, this.data(), this.canvas);
  }

  private data(): uPlot.AlignedData {
    return [this.record.t, ...this.columns.map((c) => this.record.values.get(c)!)] as uPlot.AlignedData;
  }

  private resize(): void {
    if (!this.plot) this.make();
    else this.plot.setSize({ width: this.canvas.clientWidth, height: this.canvas.clientHeight });
  }

  draw(from: number, to: number): void {
    if (!this.plot) return;
    this.plot.setData(this.data(), false);
    this.plot.setScale('x', { min: from, max: to });
    if (this.plot.cursor.idx == null) this.show_values(null);
  }

  private show_values(index: number | null): void {
    const at = index ?? this.record.at(this.studio.time);
    const colors = this.colors();
    const parts = this.columns.map((column, i) => {
      const value = this.record.values.get(column)![at];
      const item = el('i', {}, `${this.columns.length > 1 ? column : ''} ${value == null ? '' : short_number(value)}`.trim());
      item.style.color = colors[i % colors.length];
      return item;
    });
    this.legend.replaceChildren(...(index === null ? [] : [el('i', { class: 'soft' }, `${short_number(this.record.t[at] ?? 0)} s`)]), ...parts);
  }

  private draw_now(u: uPlot): void {
    const x = u.valToPos(this.studio.time, 'x', true);
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    u.ctx.globalAlpha = 0.5;
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private file_name(): string {
    return this.group.title.replace(/\s*\(.*\)/, '').replace(/\W+/g, '_');
  }

  private save_csv(): void {
    const { t, values } = this.record;
    const rows = t.map((x, i) => [x, ...this.columns.map((c) => values.get(c)![i])].join(','));
    save(`${this.file_name()}.csv`, `${['t', ...this.columns].join(',')}\n${rows.join('\n')}\n`, 'text/csv');
  }

  private save_svg(): void {
    save(`${this.file_name()}.svg`, this.as_svg(), 'image/svg+xml');
  }

  // Drawn anew, as lines and text, in the range that is shown.
  as_svg(): string {
    const width = 640, height = 320, left = 64, right = 16, top = 34, bottom = 34;
    const { min: t0 = 0, max: t1 = 1 } = this.plot?.scales.x ?? {};
    const { min: y0 = 0, max: y1 = 1 } = this.plot?.scales.y ?? {};
    const x = (t: number): number => left + (width - left - right) * (t - t0!) / ((t1! - t0!) || 1);
    const y = (v: number): number => height - bottom - (height - top - bottom) * (v - y0!) / ((y1! - y0!) || 1);
    const escape = (s: string): string => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
    const marks = [0, 0.25, 0.5, 0.75, 1];
    const lines = this.columns.map((column, i) => {
      const list = this.record.values.get(column)!;
      const points = this.record.t.flatMap((t, k) =>
        t >= t0! && t <= t1! && list[k] !== null ? [`${x(t).toFixed(1)},${y(list[k]!).toFixed(1)}`] : []);
      const color = light_colors[i % light_colors.length];
      return `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${points.join(' ')}"/>` +
        `<text x="${left + 110 * i}" y="22" fill="${color}">${escape(column)}</text>`;
    });
    const grid = marks.map((m) => {
      const t = t0! + m * (t1! - t0!), v = y0! + m * (y1! - y0!);
      return `<path d="M${x(t)} ${top}V${height - bottom}M${left} ${y(v)}H${width - right}" stroke="#dcd8d0"/>` +
        `<text x="${x(t)}" y="${height - 12}" text-anchor="middle">${short_number(t)}</text>` +
        `<text x="${left - 8}" y="${y(v) + 4}" text-anchor="end">${short_number(v)}</text>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#25231f">` +
      `<title>${escape(this.group.title)}</title><rect width="${width}" height="${height}" fill="#fff"/>${grid.join('')}${lines.join('')}</svg>\n`;
  }

  dispose(): void {
    this.plot?.destroy();
    this.element.remove();
  }
}

export class Plots {
  private charts: Chart[] = [];
  private readonly row = el('div', { class: 'charts' });
  private readonly words = el('datalist', { id: 'words' });
  private readonly word = el('input', { type: 'text', list: 'words', placeholder: 'plot …', title: 'A column, a body, a joint or a probe', 'aria-label': 'Column to plot' });
  private readonly shown_time = el('select', { 'aria-label': 'Shown time', title: 'Shown time' },
    el('option', { value: 5 }, '5 s'), el('option', { value: 10, selected: true }, '10 s'), el('option', { value: 30 }, '30 s'), el('option', { value: 0 }, 'all'));
  private readonly adder: HTMLElement;
  private stale = false;
  private last_draw = 0;

  constructor(private readonly studio: Studio) {
    const add = (): void => this.add_word();
    this.adder = el('div', { class: 'adder' },
      el('div', { class: 'row' }, this.word, el('button', { class: 'framed', title: 'Plot it', onclick: add }, '+')),
      el('div', { class: 'row' }, el('span', { class: 'soft' }, 'shown'), this.shown_time), this.words);
    this.word.onkeydown = (event) => {
      if (event.key === 'Enter') add();
    };
    this.shown_time.onchange = () => this.draw();
    const plots = by_id('plots');
    plots.append(this.row);
    shortcut({ key: 'p', group: 'Page', what: 'show or hide the plots', run: () => (plots.hidden = !plots.hidden) });
    studio.on('opened', () => this.open());
    studio.on('plots', ({ t, columns, values }) => this.take(t, columns, values));
    studio.on('time', () => (this.stale = true));
    studio.on('status', (status) => {
      for (const chart of this.charts) chart.record.cut_after(status.end + 1e-6);
      this.stale = true;
    });
    dark.addEventListener('change', () => this.charts.forEach((chart) => chart.make()));
    const loop = (now: number): void => {
      requestAnimationFrame(loop);
      if (!this.stale || now - this.last_draw < 60 || plots.hidden) return;
      this.last_draw = now;
      this.stale = false;
      const begun = performance.now();
      this.draw();
      studio.stage.cost.add('plots', begun);
    };
    requestAnimationFrame(loop);
  }

  private open(): void {
    for (const chart of this.charts) chart.dispose();
    const groups = this.first_groups();
    by_id('plots').hidden = groups.length === 0;
    this.charts = groups.map((group) => this.chart(group));
    if (!groups.length) return; // nothing to plot
    this.words.replaceChildren(...[...new Set(this.known_words())].map((word) => el('option', { value: word })));
    this.lay_out();
  }

  // What is plotted before anybody has said what.
  private first_groups(): Group[] {
    const { model, plot = [], columns = [] } = this.studio.describe;
    if (!model) {
      return of_walkers.flatMap(([ending, title]) => {
        const words = columns.map((c) => c.name).filter((name) => name.endsWith(ending)).slice(0, most_curves);
        return words.length ? [{ title, words }] : [];
      });
    }
    const asked = plot.slice(0, 4);
    return asked.length ? [usual[0], { title: asked.length === 1 ? asked[0] : 'of this scene', words: asked }] : usual.slice(0, 2);
  }

  private known_words(): string[] {
    const { model, probes = [], columns = [] } = this.studio.describe;
    if (!model) return columns.map((c) => c.name);
    return [...usual.flatMap((g) => g.words), ...probes.map((p) => p.name),
      ...model.bodies.slice(0, 300).flatMap((b) => [b.name, b.joint.name]).filter(Boolean)];
  }

  private chart(group: Group): Chart {
    const chart: Chart = new Chart(group, this.studio, () => {
      chart.dispose();
      this.charts = this.charts.filter((c) => c !== chart);
      this.lay_out();
    });
    return chart;
  }

  private add_word(): void {
    const words = this.word.value.split(',').map((w) => w.trim()).filter(Boolean);
    if (!words.length) return;
    this.charts.push(this.chart({ title: words.join(', '), words }));
    this.word.value = '';
    this.lay_out();
  }

  private lay_out(): void {
    this.row.replaceChildren(...this.charts.map((c) => c.element), this.adder);
    const work = (this.studio.describe.forces ?? []).filter((f) => f.force.length + f.torque.length > 0)
      .map((f) => `${f.name}.work`);
    const words = [...new Set([...this.charts.flatMap((c) => c.group.words), ...work])];
    void this.studio.plot(words).then((columns) => {
      if (!columns) {
        // the last one has a word that means nothing; the notice says which
        this.charts.pop()?.dispose();
        return;
      }
      return this.fill(this.charts.filter((chart) => chart.set_columns(columns)));
    });
  }

  // What was recorded before this page asked for it.
  private async fill(charts: Chart[]): Promise<void> {
    for (const { group, record } of charts) {
      try {
        const answer = await this.studio.connection.ask({ do: 'series', plots: group.words, points: asked_points });
        const t = answer.t as number[], values = answer.values as (number | null)[][];
        const at = new Map((answer.columns as string[]).map((name, i) => [name, i]));
        t.forEach((x, k) => record.add(x, (column) => values[at.get(column) ?? -1]?.[k] ?? null));
      } catch {
        return; // another file was opened; of that one others are asked for
      }
    }
    this.stale = true;
  }

  private take(t: number, columns: string[], values: Float32Array): void {
    const at = new Map(columns.map((name, i) => [name, i]));
    for (const chart of this.charts) {
      chart.record.add(t, (column) => {
        const i = at.get(column);
        return i === undefined || i >= values.length || !Number.isFinite(values[i]) ? null : values[i];
      });
    }
    this.stale = true;
  }

  private draw(): void {
    const { status, time } = this.studio;
    const span = Number(this.shown_time.value);
    const end = Math.max(status.end, time, status.begin + 1e-3);
    let to = end, from = status.begin;
    if (span > 0) {
      to = Math.max(Math.min(end, Math.max(time + 0.2 * span, span + status.begin)), Math.min(end, time));
      if (status.playing && time > end - 0.5) to = end;
      from = Math.max(status.begin, to - span);
      to = Math.max(to, from + span * 0.999);
    }
    for (const chart of this.charts) chart.draw(from, to);
  }
}
