// What is open, what was chosen, and the words to act on it: the middle of the page. Everything else
// listens to it and talks to it.
import type { Connection } from './connection';
import { Emitter } from './emitter';
import { decode, type WalkFrame } from './frames';
import type { Answer, Description, ServerEvent, Status } from './messages';
import { notify } from './notices';
import type { Stage } from './view/stage';
import type { Toggle } from './view/overlays';

interface StudioEvents {
  opened: { kind: string; file: string; describe: Description };
  status: Status;
  time: number; // of the frame that is shown
  plots: { t: number; columns: string[]; values: Float32Array };
  walk: WalkFrame;
  feet: Float32Array; // where those of walkers shall go
  ghost: Float32Array; // coordinates of a second figure of the model
  reshaped: Description; // the same figure with another rest pose
  selected: number;
  toggled: Toggle;
  server: ServerEvent;
}

const no_status: Status = { t: 0, frame: 0, playing: false, speed: 1, rate: 0, begin: 0, end: 0 };

export class Studio extends Emitter<StudioEvents> {
  kind = '';
  file = '';
  describe: Description = {};
  status: Status = no_status;
  time = 0;
  loop: { from: number; to: number } | null = null;
  private wanted_plots: string[] = [];
  private plot_columns: string[] = [];
  private looping = false;
  private warning = '';

  constructor(readonly connection: Connection, readonly stage: Stage) {
    super();
    connection.on('open', () => void this.greet());
    connection.on('lost', () => notify('The server does not answer; trying again.', 'error', 'line'));
    connection.on('event', (event) => this.hear(event));
    connection.on('frame', (view) => {
      const begun = performance.now();
      this.see(view);
      stage.cost.add(`frame ${view.getUint8(0)}`, begun);
    });
  }

  // The answer, or nothing: what went wrong is told to the person.
  async act(message: Record<string, unknown>): Promise<Answer | null> {
    try {
      return await this.connection.ask(message);
    } catch (error) {
      notify((error as Error).message, 'error');
      return null;
    }
  }

  open(file: string): Promise<Answer | null> {
    return this.act({ do: 'open', file });
  }

  async play_or_pause(): Promise<void> {
    await this.act({ do: this.status.playing ? 'pause' : 'play' });
  }

  async seek(t: number): Promise<void> {
    this.stage.jump();
    await this.act({ do: 'seek', t });
  }

  select(body: number): void {
    this.stage.select(body);
    this.tell('selected', body);
  }

  toggle(name: Toggle, on: boolean): void {
    this.stage.toggle(name, on);
    this.tell('toggled', name);
    if (name === 'contacts' || name === 'forces' || name === 'feet') void this.subscribe();
  }

  is_on(name: Toggle): boolean {
    return this.stage.toggled(name);
  }

  // What is plotted from now on, by columns, bodies or joints. The columns that these words mean, or
  // nothing if one of them means none.
  async plot(words: string[]): Promise<string[] | null> {
    const before = this.wanted_plots;
    this.wanted_plots = words;
    if (await this.subscribe()) return this.plot_columns;
    this.wanted_plots = before;
    return null;
  }

  get body_name(): string | null {
    return this.describe.model?.bodies[this.stage.selected]?.name ?? null;
  }

  private async greet(): Promise<void> {
    notify('', 'info', 'line');
    const answer = await this.act({ do: 'describe' });
    if (answer) this.take(answer);
  }

  private async subscribe(): Promise<boolean> {
    if (!this.connection.connected || this.kind === '') return true; // done when something is open
    // of a walk they are where feet shall stand
    const contacts = this.kind === 'walk' ? this.is_on('feet') : this.is_on('contacts') || this.is_on('forces');
    const { file } = this;
    try {
      const answer = await this.connection.ask({
        do: 'subscribe', binary: true, contacts, plots: this.wanted_plots, rate: 60,
      });
      this.plot_columns = (answer.columns as string[] | undefined) ?? this.wanted_plots;
      return true;
    } catch (error) {
      // asked of what was open before: another one is by now
      if (file === this.file && this.connection.connected) notify((error as Error).message, 'error');
      return false;
    }
  }

  private take(answer: Answer | ServerEvent): void {
    const describe = (answer.describe ?? answer) as Description;
    this.kind = String(answer.kind ?? 'scene');
    this.file = String(answer.file ?? describe.file ?? '');
    this.describe = describe;
    this.loop = null;
    this.wanted_plots = [];
    this.plot_columns = [];
    this.status = { ...no_status, ...(describe as Partial<Status>) };
    this.warn();
    this.stage.open(describe);
    this.tell('opened', { kind: this.kind, file: this.file, describe });
    this.tell('selected', -1);
    this.tell('status', this.status);
    void this.subscribe();
  }

  // Everything but the shape of the figure stays as it is.
  private reshape(describe: Description): void {
    this.describe = describe;
    this.stage.replace(describe);
    this.tell('reshaped', describe);
  }

  private hear(event: ServerEvent): void {
    if (event.event === 'opened') this.take(event);
    if (event.event === 'palettes') this.reshape(event.describe as Description);
    if (event.event === 'status') {
      const failed = event.failure !== undefined && this.status.failure === undefined;
      this.status = { ...no_status, ...(event as unknown as Status) };
      if (failed) notify(String(event.failure), 'error');
      this.warn();
      this.tell('status', this.status);
      if (event.t !== undefined) this.pass_time(Number(event.t));
    }
    this.tell('server', event);
  }

  // What the run does not keep as it should, for as long as that is so.
  private warn(): void {
    const text = (this.status.warnings ?? []).join(' ');
    if (text !== this.warning) notify(text, 'warning', 'warning', 0);
    this.warning = text;
  }

  private see(view: DataView): void {
    const frame = decode(view);
    switch (frame?.kind) {
      case 'scene':
        this.stage.show(frame.t, frame.coordinates, this.describe);
        this.pass_time(frame.t);
        break;
      case 'contacts':
        if (this.stage.overlays) this.stage.overlays.contacts = frame.contacts;
        this.stage.touch();
        break;
      case 'plots':
        this.tell('plots', { t: frame.t, columns: this.plot_columns, values: frame.values });
        break;
      case 'feet':
        this.tell('feet', frame.values);
        break;
      case 'ghost':
        this.tell('ghost', frame.coordinates);
        break;
      case 'walk':
        this.tell('walk', frame);
        this.pass_time(frame.t);
        break;
    }
  }

  private pass_time(t: number): void {
    this.time = t;
    this.tell('time', t);
    if (!this.loop || this.looping || t < this.loop.to || !this.status.playing) return;
    this.looping = true;
    void this.seek(this.loop.from).finally(() => (this.looping = false));
  }
}
