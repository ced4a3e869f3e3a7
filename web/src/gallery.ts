// The shipped scenes by topic, and the place for files of one's own.
import { own_address } from './address';
import { by_id, el, icon } from './dom';
import type { GalleryEntry } from './messages';
import { notify } from './notices';
import { shortcut } from './shortcuts';
import type { Studio } from './studio';

const topics = ['locomotion', 'terrain', 'nets', 'bodies', 'contact', 'forces'];
// shown until there is a picture
const drawings: Record<string, string> = {
  locomotion: 'M9 3a1.4 1.4 0 1 0 .01 0M8.5 6L7 10l2.5 1.5L9 15M7 10l-2 2-2.5.5M8.5 6L5.5 7 4.5 9M8.5 6l2.5 2h2',
  terrain: 'M1 12l4-6 3 4 2.5-3.5L15 12M1 14h14',
  nets: 'M3.5 8a1.8 1.8 0 1 0 .01 0M12.5 8a1.8 1.8 0 1 0 .01 0M8 5v7M5.3 9.6H8M8 9.6h2.7',
  bodies: 'M8 2v3M8 5l3 4M11 9l-1 4M9 13.5a1.2 1.2 0 1 0 2 0a1.2 1.2 0 1 0-2 0M4 2h8',
  contact: 'M2 13h12M3 9h4v4H3zM9 9h4v4H9zM6 5h4v4H6z',
  forces: 'M3 13L12 4M7 4h5v5',
};
const largest_upload = 32 * 1024 * 1024;

function kind_word({ kind, file }: GalleryEntry): string {
  return /_closed\./.test(file) ? `${kind}, with feedback` : kind;
}

function tile(entry: GalleryEntry, studio: Studio): HTMLButtonElement {
  const picture = entry.thumb
    ? el('img', { class: 'thumb', src: own_address(entry.thumb), alt: '', loading: 'lazy' })
    : el('span', { class: 'thumb' }, icon(drawings[entry.topic] ?? drawings.bodies));
  return el('button', {
    class: 'entry', title: entry.description, 'data-file': entry.file,
    onclick: () => void studio.open(entry.file),
  }, picture, el('span', { class: 'name' }, entry.title, entry.kind === 'scene' ? null : el('small', {}, kind_word(entry))));
}

export class Gallery {
  private entries: GalleryEntry[] = [];
  private readonly search = el('input', { type: 'search', placeholder: 'Search scenes', 'aria-label': 'Search scenes' });
  private readonly list = el('div', { class: 'list' });

  constructor(private readonly studio: Studio) {
    const file = el('input', { type: 'file', hidden: true, onchange: () => void this.upload(file.files) });
    by_id('gallery').append(el('div', { class: 'search' }, this.search), this.list,
      el('button', { class: 'drop', title: 'Scene, GLB, BVH, PNML, MJCF or URDF', onclick: () => file.click() }, 'Drop a file, or choose one'), file);
    this.search.oninput = () => this.draw();
    this.search.onkeydown = (event) => {
      const first = this.list.querySelector<HTMLElement>('.entry');
      if (event.key === 'Enter') first?.click();
      if (event.key === 'ArrowDown') first?.focus();
    };
    this.list.onkeydown = (event) => this.walk(event);
    const button = by_id('gallery-button');
    const toggle = (): void => {
      const gallery = by_id('gallery');
      gallery.hidden = !gallery.hidden;
      button.setAttribute('aria-expanded', String(!gallery.hidden));
    };
    button.onclick = toggle;
    shortcut({ key: 'g', group: 'Page', what: 'show or hide the scenes', run: toggle });
    shortcut({ key: '/', label: '/', group: 'Page', what: 'search scenes', run: () => {
      by_id('gallery').hidden = false;
      this.search.focus();
    } });
    studio.on('opened', () => this.mark());
    this.accept_drops();
  }

  async load(): Promise<void> {
    try {
      const answer = await fetch(own_address('/gallery.json'));
      if (!answer.ok) throw new Error(`the gallery cannot be had: ${answer.status}`);
      this.entries = (await answer.json()) as GalleryEntry[];
      this.draw();
    } catch (error) {
      notify((error as Error).message, 'error');
    }
  }

  private draw(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (e: GalleryEntry): boolean => {
      const text = `${e.title} ${e.description} ${e.file} ${e.topic} ${e.kind}`.toLowerCase();
      return words.every((w) => text.includes(w));
    };
    const found = this.entries.filter(fits);
    const order = [...topics, ...new Set(found.map((e) => e.topic).filter((t) => !topics.includes(t)))];
    const sections = order.flatMap((topic) => {
      const of_topic = found.filter((e) => e.topic === topic);
      if (!of_topic.length) return [];
      const open = words.length > 0 || of_topic.some((e) => e.file === this.studio.file);
      return [el('details', { open }, el('summary', {}, topic, el('span', { class: 'soft' }, String(of_topic.length))),
        ...of_topic.map((e) => tile(e, this.studio)))];
    });
    this.list.replaceChildren(...(sections.length ? sections : [el('p', { class: 'soft' }, 'Nothing found.')]));
    this.mark();
  }

  private mark(): void {
    for (const entry of this.list.querySelectorAll<HTMLElement>('.entry')) {
      const current = entry.dataset.file === this.studio.file;
      entry.setAttribute('aria-current', String(current));
      if (!current) continue;
      entry.closest('details')!.open = true;
      entry.scrollIntoView({ block: 'nearest' });
    }
  }

  private walk(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...this.list.querySelectorAll<HTMLElement>('summary, details[open] .entry')];
    const next = all.indexOf(document.activeElement as HTMLElement) + step;
    (next < 0 ? this.search : all[Math.min(next, all.length - 1)])?.focus();
  }

  private accept_drops(): void {
    window.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    window.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    window.addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      void this.upload(event.dataTransfer?.files ?? null);
    });
  }

  private async upload(files: FileList | null): Promise<void> {
    const file = files?.[0];
    if (!file) return;
    if (file.size > largest_upload) {
      notify(`${file.name} has ${(file.size / 1048576).toFixed(0)} MiB; at most 32 are taken.`, 'error');
      return;
    }
    try {
      const answer = await fetch(own_address(`/upload?name=${encodeURIComponent(file.name)}`), { method: 'POST', body: file });
      const told = (await answer.json()) as { file?: string; error?: string };
      if (told.error || !told.file) throw new Error(told.error ?? `${file.name} was refused: ${answer.status}`);
      await this.studio.open(told.file);
    } catch (error) {
      notify((error as Error).message, 'error');
    }
  }
}
