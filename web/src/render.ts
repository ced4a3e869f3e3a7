// Pictures for molejo render, which has asked for them in the address.
import { own_address } from './address';
import { shoot, type FilmPlan } from './film';
import type { Studio } from './studio';

function parse_plan(text: string): FilmPlan {
  const [from = 0, fps = 30, count = 1, width = 1280, height = 720] = text.split(',').map(Number);
  return { from, fps, count, width, height };
}

async function send(png: Blob, index: number): Promise<void> {
  await fetch(own_address(`/picture?frame=${index}`), { method: 'POST', body: png });
}

export function start_render(studio: Studio, canvas: HTMLCanvasElement, text: string): void {
  let begun = false;
  studio.on('opened', () => {
    if (begun) return;
    begun = true;
    shoot(studio, canvas, parse_plan(text), send)
      .then(() => '', (error: Error) => error.message)
      .then((failure) => fetch(own_address(`/picture?failed=${encodeURIComponent(failure)}`), { method: 'POST' }));
  });
}
