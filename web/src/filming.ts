// A film of the marked range, made from the page: what is seen, moment by moment, with the camera and
// the switches as they are. Meanwhile the page stands still but for a notice with a cancel button.
import { own_address } from './address';
import { by_id, el } from './dom';
import { back_to_life, seen_size, shoot, type FilmPlan } from './film';
import { notify } from './notices';
import type { Studio } from './studio';

export interface FilmLook {
  width: number; // 0: as the view is
  height: number;
  fps: number;
}

const crowded = 100; // ms until a picture is sent again that had no room
const still = ['bar', 'gallery', 'inspector', 'timeline', 'plots', 'canvas', 'cameras'];

class Cancelled extends Error {}

function plan_of({ from, to }: { from: number; to: number }, look: FilmLook, seen: [number, number]): FilmPlan {
  const [width, height] = seen.map((x) => Math.max(16, 2 * Math.floor(x / 2))); // even
  return {
    from, fps: look.fps, count: Math.max(1, Math.round((to - from) * look.fps)),
    width: look.width || width, height: look.height || height,
  };
}

async function send(job: number, png: Blob, index: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(own_address(`/film?job=${job}&frame=${index}`), { method: 'POST', body: png, signal });
    const told = (await answer.json()) as { next?: number; error?: string };
    if (told.error !== undefined) throw new Error(told.error);
    if (told.next! > index) return;
    await new Promise((resolve) => setTimeout(resolve, crowded));
  }
}

// Bar, pictures a second, seconds left, and the way out.
class Progress {
  private readonly bar = el('progress', { max: 1, value: 0 });
  private readonly text = el('span', { class: 'number' });
  private readonly begun = performance.now();

  constructor(private readonly count: number, cancel: () => void) {
    notify(el('div', { class: 'filming' }, el('span', {}, 'Filming'), this.bar, this.text,
      el('button', { class: 'framed', title: 'Stop filming (Esc)', 'data-cancel': 'film', onclick: cancel }, 'cancel')), 'info', 'film', 0);
    this.tell(0);
  }

  tell(done: number): void {
    this.bar.value = done / this.count;
    const rate = done / ((performance.now() - this.begun) / 1000);
    this.text.textContent = done === this.count ? 'the film is being put together'
      : `${done} of ${this.count} pictures${done ? `, ${rate.toFixed(1)} a second, ${Math.ceil((this.count - done) / rate)} s left` : ''}`;
  }

  end(): void {
    notify('', 'info', 'film');
  }
}

// Nobody acts on the run meanwhile; what was wanted is undone by the returned function.
function stand_still(cancel: () => void): () => void {
  const on_key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') cancel();
    if (event.target instanceof HTMLElement && by_id('notices').contains(event.target)) return;
    if (event.key !== 'Tab') event.stopPropagation();
  };
  const set = (on: boolean): void => {
    document.body.classList.toggle('filming', on);
    for (const id of still) by_id(id).inert = on;
  };
  window.addEventListener('keydown', on_key, true);
  set(true);
  return () => {
    window.removeEventListener('keydown', on_key, true);
    set(false);
  };
}

// Makes the film; `made` waits for the file of a job. Nothing: it was cancelled.
export async function film(studio: Studio, range: { from: number; to: number }, look: FilmLook,
                           made: (job: number) => Promise<{ asset: string; name: string }>,
): Promise<{ asset: string; name: string } | null> {
  const canvas = by_id<HTMLCanvasElement>('canvas');
  const plan = plan_of(range, look, seen_size(studio, canvas));
  const answer = await studio.connection.ask({ do: 'film', pictures: plan.count, width: plan.width, height: plan.height, fps: plan.fps });
  const job = Number(answer.job);
  const control = new AbortController();
  const cancel = (): void => control.abort(new Cancelled());
  const file = made(job);
  file.catch((error: Error) => control.abort(error)); // no more pictures are wanted
  const { time } = studio, { playing } = studio.status;
  const progress = new Progress(plan.count, cancel);
  const move_again = stand_still(cancel);
  const off = studio.on('opened', () => control.abort(new Error('another file was opened while it was filmed')));
  const aborted = new Promise<never>((_, reject) => control.signal.addEventListener('abort', () => reject(control.signal.reason)));
  aborted.catch(() => undefined); // it may come before anybody waits for it
  try {
    const drawn = await shoot(studio, canvas, plan, async (png, index) => {
      await send(job, png, index, control.signal);
      progress.tell(index + 1);
    }, control.signal);
    if (drawn < plan.count) throw new Error(`there are only ${drawn} of ${plan.count} pictures`);
    return await Promise.race([file, aborted]);
  } catch (error) {
    file.catch(() => undefined);
    await studio.connection.ask({ do: 'film', cancel: job }).catch(() => undefined); // it may be over
    if (control.signal.aborted && control.signal.reason instanceof Cancelled) return null;
    throw control.signal.aborted ? control.signal.reason : error;
  } finally {
    off();
    progress.end();
    await back_to_life(studio, time, playing).catch(() => undefined);
    move_again();
  }
}
