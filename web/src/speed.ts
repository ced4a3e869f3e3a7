// The honest corner: is the run as fast as asked for, what does a frame cost here, what on the wire.
import { by_id, el } from './dom';
import type { Studio } from './studio';

export function show_speed(studio: Studio): void {
  const corner = by_id('speed');
  let frames = 0, bytes = 0, drawn = 0, then = performance.now();
  setInterval(() => {
    const { connection, stage, status } = studio;
    const now = performance.now();
    const seconds = (now - then) / 1000;
    const came = connection.frames - frames, size = connection.bytes - bytes, shown = stage.drawn - drawn;
    frames = connection.frames;
    bytes = connection.bytes;
    drawn = stage.drawn;
    then = now;
    if (!connection.connected) {
      corner.replaceChildren(el('span', { class: 'slow' }, 'not connected'));
      return;
    }
    const parts: HTMLElement[] = [];
    if (status.playing) {
      const slow = status.speed > 0 && status.rate > 0 && status.rate < 0.9 * status.speed;
      parts.push(el('span', { class: slow ? 'slow' : '' }, `${status.rate.toFixed(2)}× real time${slow ? `, not ${status.speed}×` : ''}`));
    } else {
      parts.push(el('span', {}, 'paused'));
    }
    parts.push(el('span', {}, `${(shown / seconds).toFixed(0)} fps`), el('span', {}, `${stage.cost.sum.toFixed(1)} ms script`));
    if (came > 0) parts.push(el('span', {}, `${Math.round(size / came)} B/frame`));
    corner.replaceChildren(...parts);
  }, 1000);
}
