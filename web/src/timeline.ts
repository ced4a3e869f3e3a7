// Play, step, speed, scrub, loop: the run's own clock. Scrubbing back never forgets what comes after;
// "branch" does.
import { by_id, clock, el, icon } from './dom';
import { export_menu } from './exports';
import { shortcut } from './shortcuts';
import type { Studio } from './studio';

const icons = {
  begin: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11 3v10L4 8z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M5 3v10l7-5z',
  end: 'M11 3h2v10h-2zM3 3v10l7-5z',
};
const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  private readonly play = el('button', { class: 'play', 'aria-label': 'Play or pause' }, icon(icons.pause));
  private readonly clock = el('span', { class: 'clock' });
  private readonly speed = el('select', { title: 'Speed ( - and + )', 'aria-label': 'Speed' });
  private readonly loop = el('button', { title: 'Loop the range (L)', 'aria-pressed': 'false' }, 'loop');
  private readonly branch = el('button', { title: 'Forget what comes after, go on from here (B after scrubbing back)' }, 'branch here');
  private readonly past = el('div', { class: 'past' });
  private readonly range = el('div', { class: 'range' });
  private readonly knob = el('div', { class: 'knob' });
  private readonly tip = el('div', { class: 'tip', hidden: true });
  private readonly scrubber = el('div', {
    class: 'scrubber', role: 'slider', tabindex: 0, 'aria-label': 'Time',
  }, el('div', { class: 'rail' }, this.past, this.range), this.knob, this.tip);
  private in_point: number | null = null;
  private out_point: number | null = null;
  private scrubbing = false;
  private pending: number | null = null;
  private asking = false;

  constructor(private readonly studio: Studio) {
    for (const s of speeds) this.speed.append(el('option', { value: s, selected: s === 1 }, `${s}×`));
    this.speed.append(el('option', { value: 0 }, 'fastest'));
    const button = (name: keyof typeof icons, title: string, run: () => void): HTMLButtonElement =>
      el('button', { title, 'aria-label': title, onclick: run }, icon(icons[name]));
    by_id('timeline').append(
      button('begin', 'To the beginning (Home)', () => this.go(this.studio.status.begin)),
      button('back', 'A frame back (,)', () => this.step(-1)),
      this.play,
      button('forward', 'A frame on (.)', () => this.step(1)),
      button('end', 'To the newest frame (End)', () => this.go(this.studio.status.end)),
      this.speed, this.clock, this.scrubber, this.branch, this.loop,
      el('button', { title: 'Start anew (R)', onclick: () => this.reset() }, 'reset'),
      export_menu(studio, () => this.chosen_range()));
    this.play.onclick = () => void studio.play_or_pause();
    this.speed.onchange = () => void studio.act({ do: 'speed', value: Number(this.speed.value) });
    this.loop.onclick = () => this.toggle_loop();
    this.branch.onclick = () => void studio.act({ do: 'branch' });
    this.listen();
    this.keys();
  }

  chosen_range(): { from: number; to: number } {
    const { begin, end } = this.studio.status;
    return { from: this.in_point ?? begin, to: this.out_point ?? end };
  }

  private listen(): void {
    const { studio, scrubber } = this;
    studio.on('opened', () => {
      this.in_point = this.out_point = null;
      this.set_loop(false);
    });
    studio.on('status', () => this.draw());
    studio.on('time', () => this.draw());
    scrubber.onpointerdown = (event) => {
      scrubber.setPointerCapture(event.pointerId);
      this.scrubbing = true;
      this.ask(this.time_at(event.clientX));
    };
    scrubber.onpointermove = (event) => {
      const t = this.time_at(event.clientX);
      this.tip.hidden = false;
      this.tip.textContent = clock(t);
      this.tip.style.left = `${event.clientX - scrubber.getBoundingClientRect().left}px`;
      if (this.scrubbing) this.ask(t);
    };
    scrubber.onpointerup = () => (this.scrubbing = false);
    scrubber.onpointerleave = () => (this.tip.hidden = true);
    scrubber.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: -30, PageUp: 30 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.step(step);
    };
  }

  private keys(): void {
    const { studio } = this;
    const group = 'Time';
    shortcut({ key: ' ', group, what: 'play or pause', run: () => void studio.play_or_pause() });
    shortcut({ key: ',', label: ',', group, what: 'a frame back', run: () => this.step(-1) });
    shortcut({ key: '.', label: '.', group, what: 'a frame on', run: () => this.step(1) });
    shortcut({ key: 'Home', group, what: 'to the beginning', run: () => this.go(studio.status.begin) });
    shortcut({ key: 'End', group, what: 'to the newest frame', run: () => this.go(studio.status.end) });
    shortcut({ key: '-', group, what: 'slower', run: () => this.faster(-1) });
    shortcut({ key: '+', group, what: 'faster', run: () => this.faster(1) });
    shortcut({ key: '[', group, what: 'the range begins here', run: () => this.mark('in') });
    shortcut({ key: ']', group, what: 'the range ends here', run: () => this.mark('out') });
    shortcut({ key: 'l', group, what: 'loop the range', run: () => this.toggle_loop() });
    shortcut({ key: 'r', group, what: 'start anew', run: () => this.reset() });
  }

  private reset(): void {
    this.studio.stage.jump();
    void this.studio.act({ do: 'reset' }).then(() => this.studio.act({ do: 'play' }));
  }

  private step(frames: number): void {
    const { studio } = this;
    if (frames > 0) void studio.act({ do: 'step', frames });
    else {
      const fps = studio.describe.fps ?? 30;
      void studio.act({ do: 'pause' }).then(() => studio.seek(Math.max(studio.status.begin, studio.time + frames / fps)));
    }
  }

  private go(t: number): void {
    void this.studio.seek(t);
  }

  private faster(by: number): void {
    const at = speeds.indexOf(Number(this.speed.value));
    const next = speeds[Math.min(speeds.length - 1, Math.max(0, (at < 0 ? 3 : at) + by))];
    this.speed.value = String(next);
    void this.studio.act({ do: 'speed', value: next });
  }

  private mark(which: 'in' | 'out'): void {
    if (which === 'in') this.in_point = this.studio.time;
    else this.out_point = this.studio.time;
    if (this.in_point !== null && this.out_point !== null && this.in_point >= this.out_point) {
      if (which === 'in') this.out_point = null;
      else this.in_point = null;
    }
    if (this.studio.loop) this.studio.loop = this.chosen_range();
    this.draw();
  }

  private toggle_loop(): void {
    this.set_loop(this.studio.loop === null);
  }

  private set_loop(on: boolean): void {
    this.studio.loop = on ? this.chosen_range() : null;
    this.loop.setAttribute('aria-pressed', String(on));
    this.draw();
  }

  // One request at a time: of many places under a moving finger only the last one counts.
  private ask(t: number): void {
    this.pending = t;
    if (this.asking) return;
    this.asking = true;
    void (async () => {
      while (this.pending !== null) {
        const next = this.pending;
        this.pending = null;
        await this.studio.seek(next);
      }
      this.asking = false;
    })();
  }

  private time_at(x: number): number {
    const box = this.scrubber.getBoundingClientRect();
    const { begin, end } = this.studio.status;
    return begin + (end - begin) * Math.min(1, Math.max(0, (x - box.left) / box.width));
  }

  private draw(): void {
    const { status, time } = this.studio;
    const { begin } = status;
    const end = Math.max(status.end, time);
    const percent = (t: number): string =>
      `${end > begin ? Math.min(100, Math.max(0, 100 * (t - begin) / (end - begin))) : 0}%`;
    this.past.style.width = percent(time);
    this.knob.style.left = percent(time);
    const { from, to } = this.chosen_range();
    const marked = this.in_point !== null || this.out_point !== null;
    this.range.style.left = percent(from);
    this.range.style.width = marked ? `calc(${percent(to)} - ${percent(from)})` : '0';
    this.clock.textContent = `${clock(time)} / ${clock(end)}`;
    this.scrubber.setAttribute('aria-valuenow', time.toFixed(2));
    this.scrubber.setAttribute('aria-valuetext', clock(time));
    this.branch.disabled = end - time < 0.05;
    const state = status.playing ? 'pause' : 'play';
    if (this.play.dataset.shows !== state) {
      this.play.dataset.shows = state;
      this.play.title = status.playing ? 'Pause (space)' : 'Play (space)';
      this.play.replaceChildren(icon(icons[state]));
    }
    if (document.activeElement !== this.speed) {
      const value = String(status.speed);
      if (this.speed.value !== value && [...this.speed.options].some((o) => o.value === value)) this.speed.value = value;
    }
  }
}
