// Pictures of moments: the run stands still, one moment after the other is shown, drawn and handed on.
// For films made from the page (exports.ts) and for molejo render (render.ts).
import { draw_net, net_drawing } from './net_picture';
import type { Studio } from './studio';

export interface FilmPlan {
  from: number; // s
  fps: number; // of the film
  count: number;
  width: number; // pixels
  height: number;
}

const patience = 30_000; // ms for one moment
const long_ago = 10; // s: the camera has come to rest since

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function png_of(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}

// Resolves when all that belongs to the frame of exactly that time has come: the status is told last.
function shown(studio: Studio, t: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = setTimeout(() => {
      off();
      reject(new Error(`no frame of ${t} s came`));
    }, patience);
    const off = studio.on('status', (status) => {
      if (status.t !== t) return;
      clearTimeout(failed);
      off();
      resolve();
    });
  });
}

// Shows the frame nearest to t, simulated where it is not yet; false: the run does not go that far.
export async function show_moment(studio: Studio, t: number): Promise<boolean> {
  const { connection } = studio;
  const step = 1 / (studio.describe.fps ?? 60);
  if (studio.status.playing) await connection.ask({ do: 'pause' });
  let answer = await connection.ask({ do: 'seek', t });
  const missing = Math.round((t - Number(answer.t)) / step);
  if (missing > 0) answer = await connection.ask({ do: 'step', frames: missing });
  if (Number(answer.t) < t - 0.6 * step) return false;
  await shown(studio, Number(answer.t));
  return true;
}

// Walkers come as files: their first picture needs them.
async function all_loaded(studio: Studio, t: number): Promise<void> {
  const begun = performance.now();
  while (studio.describe.characters?.length && !studio.stage.guest_place()) {
    if (performance.now() - begun > patience) throw new Error('the characters cannot be loaded');
    await pause(100);
    await show_moment(studio, t);
  }
}

// As many pixels as asked for, whatever the window; the page shows them as they fit.
function hold_size({ stage }: Studio, canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width === width && canvas.height === height) return;
  stage.renderer.setPixelRatio(1);
  stage.renderer.setSize(width, height, false);
  stage.cameras.resize(width, height);
}

// What is filmed as it is seen: its width and height in pixels.
export function seen_size(studio: Studio, canvas: HTMLCanvasElement): [number, number] {
  if (studio.kind !== 'net') return [canvas.width, canvas.height];
  const { clientWidth, clientHeight } = net_drawing();
  return [clientWidth, clientHeight];
}

// The moment that is shown.
async function draw(studio: Studio, canvas: HTMLCanvasElement, plan: FilmPlan, first: boolean): Promise<Blob> {
  const { stage } = studio;
  if (studio.kind === 'net') return png_of(await draw_net(plan.width, plan.height));
  hold_size(studio, canvas, plan.width, plan.height);
  if (first) stage.draw_now(long_ago);
  stage.draw_now(1 / plan.fps);
  return png_of(canvas);
}

// Draws the moments of a plan and hands each picture on while the next one is drawn. Returns how many
// there were: fewer where the run ends. `signal` ends it with its reason.
export async function shoot(studio: Studio, canvas: HTMLCanvasElement, plan: FilmPlan,
                            hand_on: (png: Blob, index: number) => Promise<void>,
                            signal?: AbortSignal): Promise<number> {
  studio.stage.manual = true;
  await all_loaded(studio, plan.from);
  let handed = Promise.resolve();
  for (let k = 0; k < plan.count; ++k) {
    signal?.throwIfAborted();
    if (!await show_moment(studio, plan.from + k / plan.fps)) {
      await handed;
      return k;
    }
    const png = await draw(studio, canvas, plan, k === 0);
    await handed;
    handed = hand_on(png, k);
    handed.catch(() => undefined); // heard with the next one
  }
  await handed;
  return plan.count;
}

// The view as it was: its size, the time, and whether it played.
export async function back_to_life(studio: Studio, t: number, playing: boolean): Promise<void> {
  const { stage } = studio;
  stage.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
  stage.fit();
  try {
    if (await show_moment(studio, t)) stage.draw_now(long_ago);
    if (playing) await studio.connection.ask({ do: 'play' });
  } finally {
    stage.manual = false;
    stage.touch();
  }
}
