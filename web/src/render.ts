// Pictures for films: one moment after the other is shown and sent to the server (molejo render).
import type { Studio } from './studio';

interface RenderPlan {
  from: number; // s
  fps: number; // of the film
  count: number;
  width: number; // pixels
  height: number;
}

const patience = 30_000; // ms for one moment

function parse_plan(text: string): RenderPlan {
  const [from = 0, fps = 30, count = 1, width = 1280, height = 720] = text.split(',').map(Number);
  return { from, fps, count, width, height };
}

function png_of(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}

// Resolves when a frame of that time or a later one is shown.
function shown(studio: Studio, t: number, tolerance: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = setTimeout(() => reject(new Error(`no frame of ${t} s came`)), patience);
    const off = studio.on('time', (now) => {
      if (now < t - tolerance) return;
      clearTimeout(failed);
      off();
      resolve();
    });
  });
}

// Shows the frame nearest to t; false: the run does not go that far.
async function show_moment(studio: Studio, t: number, step: number): Promise<boolean> {
  const frame_shown = shown(studio, t, 0.6 * step);
  frame_shown.catch(() => undefined); // heard below, unless the run has ended
  let answer = await studio.connection.ask({ do: 'seek', t });
  const missing = Math.round((t - Number(answer.t)) / step);
  if (missing > 0) answer = await studio.connection.ask({ do: 'step', frames: missing });
  if (Number(answer.t) < t - 0.6 * step) return false;
  await frame_shown;
  return true;
}

async function make_film(studio: Studio, canvas: HTMLCanvasElement, plan: RenderPlan): Promise<void> {
  const { stage, connection } = studio;
  // as large as asked for, whatever the window; the canvas gets its size with the next layout
  Object.assign(document.body.style, { width: `${plan.width}px`, height: `${plan.height}px` });
  while (canvas.width !== plan.width || canvas.height !== plan.height) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  stage.manual = true;
  await connection.ask({ do: 'pause' });
  const step = 1 / (studio.describe.fps ?? 60);
  for (let k = 0; k < plan.count; ++k) {
    if (!await show_moment(studio, plan.from + k / plan.fps, step)) return;
    stage.draw_now(1 / plan.fps);
    const png = await png_of(canvas);
    await fetch(`/picture?frame=${k}`, { method: 'POST', body: png });
  }
}

export function start_film(studio: Studio, canvas: HTMLCanvasElement, text: string): void {
  let begun = false;
  studio.on('opened', () => {
    if (begun) return;
    begun = true;
    make_film(studio, canvas, parse_plan(text))
      .then(() => '', (error: Error) => error.message)
      .then((failure) => fetch(`/picture?failed=${encodeURIComponent(failure)}`, { method: 'POST' }));
  });
}
