// Every file of the gallery is opened and seen to move: make test-browser.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { root, Studio } from './studio.mjs';

const studio = await Studio.start({ width: 960, height: 540 });
const { page } = studio;
after(() => studio.stop());

const with_clips = existsSync(`${root}/node_modules/.molejo-clips`);
const entries = (await page.evaluate(async () => (await fetch(`/gallery.json${location.search}`)).json()))
  .filter((e) => with_clips || !e.file.includes('/demo_'));

// Of bodies that are not far away by now, as a bullet is.
const poses = () => page.evaluate(() => {
  const { stage } = window.molejo;
  const { controls: { target }, distance } = stage.cameras;
  const near = (at) => target.distanceTo({ x: at[0], y: at[1], z: at[2] }) < 3 * distance;
  if (stage.guest_place()) return stage.guest_place().toArray();
  const all = Array.from({ length: stage.poses.length / 7 }, (_, i) => [...stage.poses.slice(7 * i, 7 * i + 7)]);
  return all.map((pose) => (near(pose) ? pose : pose.map(() => 0))).flat();
});
const farthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

// What moves by more than a centimetre is seen to; a net is seen, and its tokens move until nothing can fire.
async function see_it_move(kind) {
  if (kind === 'net') {
    await studio.until(() => document.querySelectorAll('.net-drawing .node').length > 2);
    const marking = () => page.evaluate(async () => JSON.stringify((await window.molejo.studio.connection.ask({ do: 'net' })).now.marking));
    const before = await marking();
    await studio.until(async (then) => {
      const { now } = await window.molejo.studio.connection.ask({ do: 'net' });
      return JSON.stringify(now.marking) !== then || !window.molejo.studio.status.playing;
    }, before);
    return;
  }
  for (let attempt = 0; attempt < 10; ++attempt) {
    const [before, from] = [await studio.picture(), await poses()];
    await page.waitForTimeout(250);
    const [{ differing, colours }, to] = [await studio.compare(before, await studio.picture()), await poses()];
    assert.ok(colours > 6, `${colours} colours`);
    if (differing > 20) return;
    if (attempt === 9) assert.ok(farthest(from, to) < 0.01, 'bodies move, but no pixels');
  }
}

test('the gallery has all topics, and a picture of nearly every file', () => {
  const topics = new Set(entries.map((e) => e.topic));
  for (const topic of ['bodies', 'contact', 'forces', 'nets', 'terrain', 'locomotion']) assert.ok(topics.has(topic), topic);
  const without = entries.filter((e) => !e.thumb && e.kind !== 'character').map((e) => e.file);
  assert.deepEqual(without, []);
});

for (const { file, kind } of entries) {
  test(`${file} opens and moves`, { timeout: 120_000 }, async () => {
    const answer = await page.evaluate((f) => window.molejo.studio.connection.ask({ do: 'open', file: f }).catch((e) => e.message), file);
    if (kind === 'character' && typeof answer === 'string') return; // an idle alone walks nowhere
    await studio.until((f) => window.molejo.studio.file === f && window.molejo.studio.time > 0, file);
    await see_it_move(kind);
    studio.assert_no_errors();
  });
}
