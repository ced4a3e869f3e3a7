// What ran when: one row for each place, full bars are waits, pale ones tokens that are ready. The
// line is the time of the frame that is shown; a press goes there.
import type { Chart } from './net_messages';

const row = 17;
const head = 20;

export class NetChart {
  readonly root = document.createElement('div');
  private readonly canvas = document.createElement('canvas');
  private readonly cursor = document.createElement('div');
  private chart: Chart | null = null;
  private time = 0;
  private until = 1;

  constructor(seek: (t: number) => void) {
    this.root.className = 'net-chart';
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.setAttribute('aria-label', 'Gantt chart');
    this.cursor.className = 'cursor';
    this.root.append(this.canvas, this.cursor);
    let held = false;
    const go = (event: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * this.until);
    };
    this.canvas.onpointerdown = (event) => {
      held = true;
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    };
    this.canvas.onpointermove = (event) => {
      if (held) go(event);
    };
    this.canvas.onpointerup = () => (held = false);
    new ResizeObserver(() => this.draw()).observe(this.root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  show(chart: Chart): void {
    this.chart = chart;
    this.root.setAttribute('data-rows', String(chart.rows.length));
    this.draw();
  }

  pass_time(t: number): void {
    this.time = t;
    this.cursor.style.left = `calc(${100 * Math.min(1, t / this.until)}% - 1px)`;
  }

  get end(): number {
    return this.chart?.until ?? 0;
  }

  private draw(): void {
    const { chart, canvas } = this;
    const width = this.root.clientWidth;
    if (!chart || width === 0) return;
    this.until = Math.max(chart.until, 0.1);
    const height = head + row * Math.max(1, chart.rows.length);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = this.cursor.style.height = `${height}px`;
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const x = (t: number): number => t / this.until * width;
    context.font = '13px system-ui, "DejaVu Sans", sans-serif';
    this.draw_axis(context, colour('--soft'), colour('--edge'), width, height, x);
    chart.rows.forEach(({ name, bars }, i) => {
      const y = head + i * row;
      for (const [start, end, kind] of bars) {
        context.globalAlpha = kind === 2 ? 0.28 : 0.85;
        context.fillStyle = colour(kind === 1 ? '--contact' : '--accent');
        const from = x(start), to = x(end ?? this.until);
        context.fillRect(from, y + (kind === 2 ? 6 : 2), Math.max(1, to - from - 0.5), kind === 2 ? row - 11 : row - 4);
      }
      context.globalAlpha = 1;
      context.lineWidth = 3;
      context.lineJoin = 'round';
      context.strokeStyle = colour('--panel');
      context.fillStyle = colour('--ink');
      context.strokeText(name, 3, y + 13);
      context.fillText(name, 3, y + 13);
    });
    this.pass_time(this.time);
  }

  private draw_axis(context: CanvasRenderingContext2D, ink: string, line: string, width: number, height: number,
                    x: (t: number) => number): void {
    const raw = this.until * 60 / width;
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => s >= raw) ?? 1e4;
    context.fillStyle = ink;
    context.strokeStyle = line;
    context.beginPath();
    for (let t = 0; t <= this.until; t += step) {
      context.moveTo(Math.round(x(t)) + 0.5, 16);
      context.lineTo(Math.round(x(t)) + 0.5, height);
      if (x(t) < width - 24) context.fillText(`${Number(t.toFixed(1))} s`, x(t) + 3, 13);
    }
    context.stroke();
  }
}
