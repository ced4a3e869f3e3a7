// The export menu, and what comes of it: progress in the corner, then a file.
import { el } from './dom';
import { notify } from './notices';
import type { Studio } from './studio';

const formats = [
  { what: 'glb', label: 'GLB', about: 'animated 3D file' },
  { what: 'mp4', label: 'MP4', about: 'video' },
  { what: 'csv', label: 'CSV', about: 'all columns' },
  { what: 'svg', label: 'SVG', about: 'plots' },
  { what: 'bvh', label: 'BVH', about: 'skeleton motion' },
];

function offer(asset: string, name: string): void {
  el('a', { href: asset, download: name }).click();
  notify(el('span', {}, 'Exported ', el('a', { href: asset, download: name }, name)), 'info', undefined, 15);
}

export function export_menu(studio: Studio, range: () => { from: number; to: number }): HTMLElement {
  const list = el('div', { role: 'menu', hidden: true });
  const button = el('button', { 'aria-haspopup': 'menu', title: 'Export the marked range, or all' }, 'export ▾');
  const menu = el('div', { class: 'menu' }, button, list);
  const close = (): void => {
    list.hidden = true;
  };
  button.onclick = () => (list.hidden = !list.hidden);
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target as Node)) close();
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  for (const { what, label, about } of formats) {
    list.append(el('button', { role: 'menuitem', 'data-export': what, onclick: () => {
      close();
      void start(studio, what, range());
    } }, label, el('span', { class: 'soft' }, about)));
  }
  studio.on('server', (event) => {
    const name = `job ${String(event.job)}`;
    if (event.event === 'progress') {
      const bar = el('progress', { max: 1, value: Number(event.done) });
      notify(el('span', {}, 'Exporting ', bar), 'info', name, 0);
    }
    if (event.event === 'done' || event.event === 'failed') notify('', 'info', name);
    if (event.event === 'done' && my_jobs.delete(Number(event.job))) offer(String(event.asset), String(event.name));
    if (event.event === 'failed' && my_jobs.delete(Number(event.job))) notify(String(event.error), 'error');
  });
  return menu;
}

const my_jobs = new Set<number>();

async function start(studio: Studio, what: string, { from, to }: { from: number; to: number }): Promise<void> {
  const answer = await studio.act({ do: 'export', what, from, to });
  if (!answer) return;
  if (typeof answer.asset === 'string') offer(answer.asset, String(answer.name));
  else if (typeof answer.job === 'number') my_jobs.add(answer.job);
}
