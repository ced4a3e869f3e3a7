// The export menu, and what comes of it: progress in the corner, then a file.
import { own_address } from './address';
import { clock, el } from './dom';
import { film, type FilmLook } from './filming';
import { notify } from './notices';
import type { Studio } from './studio';

interface Range {
  from: number;
  to: number;
}

interface Made {
  asset: string;
  name: string;
}

const known: Record<string, [label: string, about: string]> = {
  glb: ['GLB', 'animated 3D file'],
  csv: ['CSV', 'all columns'],
  svg: ['SVG', 'stills and plots'],
  bvh: ['BVH', 'skeleton motion'],
  motion: ['motion', 'what can be trained'],
  gait: ['gait', 'what was trained'],
  json: ['net', 'with all edits'],
  pnml: ['PNML', 'the net for others'],
  gantt: ['Gantt', 'chart as SVG'],
  events: ['events', 'firings as CSV'],
};
const of_net: Record<string, [string, string]> = { svg: ['SVG', 'drawing of the net'] };

const sizes: Record<string, [number, number]> = { '1280 × 720': [1280, 720], '1920 × 1080': [1920, 1080], 'as seen': [0, 0] };

// Who waits for the files of jobs.
class Orders {
  private readonly waiting = new Map<number, { done: (made: Made) => void; failed: (error: Error) => void; quiet: boolean }>();

  constructor(studio: Studio) {
    studio.on('server', (event) => {
      const order = this.waiting.get(Number(event.job));
      const name = `job ${String(event.job)}`;
      if (event.event === 'progress' && !order?.quiet) {
        notify(el('span', {}, 'Exporting ', el('progress', { max: 1, value: Number(event.done) })), 'info', name, 0);
      }
      if (event.event !== 'done' && event.event !== 'failed') return;
      notify('', 'info', name);
      this.waiting.delete(Number(event.job));
      if (event.event === 'done') order?.done({ asset: String(event.asset), name: String(event.name) });
      else order?.failed(new Error(String(event.error)));
    });
  }

  // `quiet`: who waits shows how far it is.
  made(job: number, quiet = false): Promise<Made> {
    return new Promise((done, failed) => this.waiting.set(job, { done, failed, quiet }));
  }
}

function offer({ asset, name }: Made): void {
  const href = own_address(asset);
  el('a', { href, download: name }).click();
  notify(el('span', {}, 'Exported ', el('a', { href, download: name }, name)), 'info', undefined, 15);
}

export function export_menu(studio: Studio, range: () => Range): HTMLElement {
  const orders = new Orders(studio);
  const list = el('div', { role: 'menu', hidden: true });
  const button = el('button', { 'aria-haspopup': 'menu', title: 'Export the marked range, or all ( [ and ] mark it )' }, 'export ▾');
  const menu = el('div', { class: 'menu' }, button, list);
  const close = (): void => {
    list.hidden = true;
  };
  const size = el('select', { 'aria-label': 'Size of the film' }, ...Object.keys(sizes).map((s) => el('option', {}, s)));
  const fps = el('select', { 'aria-label': 'Pictures a second' },
    el('option', { value: 30 }, '30 a second'), el('option', { value: 60 }, '60 a second'));
  const run = (make: () => Promise<Made | null>): void => {
    close();
    void make().then((made) => made && offer(made), (error: Error) => notify(error.message, 'error'));
  };
  const entry = (what: string, label: string, about: string, make: () => Promise<Made | null>): HTMLElement =>
    el('button', { role: 'menuitem', 'data-export': what, onclick: () => run(make) }, label, el('span', { class: 'soft' }, about));

  const ordered = async (what: string): Promise<Made> => {
    const answer = await studio.connection.ask({ do: 'export', what, ...range() });
    return orders.made(Number(answer.job));
  };
  const filmed = (): Promise<Made | null> => {
    const [width, height] = sizes[size.value];
    const look: FilmLook = { width, height, fps: Number(fps.value) };
    return film(studio, range(), look, (job) => orders.made(job, true));
  };
  const fill = (exports: string[]): void => {
    const { from, to } = range();
    const labels = studio.kind === 'net' || studio.kind === 'show' ? { ...known, ...of_net } : known;
    list.replaceChildren(
      el('div', { class: 'soft head' }, `from ${clock(from)} to ${clock(to)}`),
      entry('mp4', 'MP4', 'film of what is seen', filmed), el('div', { class: 'row' }, size, fps), ...exports.map((what) => {
        const [label, about] = labels[what] ?? [what, ''];
        return entry(what, label, about, () => ordered(what));
      }));
  };

  button.onclick = async () => {
    if (!list.hidden) return close();
    const answer = await studio.act({ do: 'exports' });
    if (!answer) return;
    fill(answer.exports as string[]);
    list.hidden = false;
  };
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target as Node)) close();
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  studio.on('opened', close);
  return menu;
}
