// Everything in the page, used as a person uses it: make test-browser. The quick set is in quick.mjs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { after, test } from 'node:test';
import { Studio } from './studio.mjs';

const studio = await Studio.start();
const { page } = studio;
after(() => studio.stop());

const state = (what) => page.evaluate((w) => window.molejo.studio.status[w], what);
// From where one looks at to where one stands.
const view = () => page.evaluate(() => {
  const { camera, controls } = window.molejo.stage.cameras;
  return camera.position.clone().sub(controls.target).toArray();
});

test('pause, step, scrub back, branch', async () => {
  await studio.open('scenes/double_pendulum.json');
  await studio.until(() => window.molejo.studio.status.end > 1);
  await page.keyboard.press(' ');
  await studio.until(() => !window.molejo.studio.status.playing);
  const end = await state('end');
  const { frame } = await page.evaluate(() => window.molejo.studio.status);
  await page.keyboard.press('.');
  await studio.until((f) => window.molejo.studio.status.frame === f + 1, frame);
  const box = await page.locator('.scrubber').boundingBox();
  await page.mouse.click(box.x + 0.4 * box.width, box.y + box.height / 2);
  await studio.until((e) => window.molejo.studio.time < 0.6 * e, end);
  assert.ok(await state('end') >= end, 'what comes after is kept');
  await page.click('text=branch here');
  await studio.until((e) => window.molejo.studio.status.end < 0.6 * e, end);
  await page.keyboard.press(' ');
  await studio.until(() => window.molejo.studio.status.playing);
});

test('a marked range is played again and again', async () => {
  await page.keyboard.press('Home');
  await studio.until(() => window.molejo.studio.time < 0.3);
  await page.keyboard.press('[');
  await studio.until(() => window.molejo.studio.time > 0.8);
  await page.keyboard.press(']');
  await page.keyboard.press('l');
  const { loop, jumps } = await page.evaluate(() => new Promise((resolve) => {
    const { studio } = window.molejo;
    const found = [];
    let last = studio.time;
    const off = studio.on('time', (t) => {
      if (t < last - 0.1) found.push({ from: last, to: t });
      last = t;
      if (found.length < 2) return;
      off();
      resolve({ loop: studio.loop, jumps: found });
    });
  }));
  for (const { from, to } of jumps) {
    assert.ok(from >= loop.to - 0.1 && Math.abs(to - loop.from) < 0.3, JSON.stringify({ loop, jumps }));
  }
  await page.keyboard.press('l');
});

test('cameras stand where their names say', async () => {
  await page.keyboard.press('1');
  const side = await view();
  await page.keyboard.press('2');
  const front = await view();
  assert.ok(side[1] < -0.5 && Math.abs(side[0]) < 0.1, `side: from -y, not from ${side}`);
  assert.ok(front[0] > 0.5 && Math.abs(front[1]) < 0.1, `front: from +x, not from ${front}`);
  await page.keyboard.press('0');
});

test('plots draw curves; a word adds one, a wrong word is refused', async () => {
  const charts = () => page.locator('.chart').count();
  const count = await charts();
  const body = await page.evaluate(() => window.molejo.studio.describe.model.bodies.at(-1).name);
  await page.fill('[aria-label="Column to plot"]', body);
  await page.press('[aria-label="Column to plot"]', 'Enter');
  const added = page.locator(`[data-plot="${body}"]`);
  await added.locator('.legend', { hasText: `${body}.z` }).waitFor();
  await page.fill('[aria-label="Column to plot"]', 'nonsense');
  await page.press('[aria-label="Column to plot"]', 'Enter');
  await page.locator('.notice.error', { hasText: 'nonsense' }).waitFor();
  assert.equal(await charts(), count + 1);
  const now = await page.evaluate(() => window.molejo.studio.time);
  await studio.until((t) => window.molejo.studio.time > t + 0.5, now);
  await added.hover();
  const [csv] = await Promise.all([page.waitForEvent('download'), added.locator('text=csv').click()]);
  const lines = readFileSync(await csv.path(), 'utf8').trim().split('\n');
  assert.equal(lines[0], `t,${body}.x,${body}.y,${body}.z`);
  assert.ok(lines.length > 5 && lines[1].split(',').every((v) => Number.isFinite(Number(v))));
  await added.hover();
  const [svg] = await Promise.all([page.waitForEvent('download'), added.locator('text=svg').click()]);
  assert.match(readFileSync(await svg.path(), 'utf8'), /<polyline[^>]+points="\d/);
  await page.press('[aria-label="Column to plot"]', 'Escape');
});

test('the address keeps the state over a reload', async () => {
  await studio.open('scenes/heavy_top.json');
  await page.evaluate(() => window.molejo.studio.toggle('trails', true));
  const before = await page.evaluate(() => location.hash);
  assert.match(before, /file=scenes\/heavy_top\.json/);
  assert.match(before, /show=[^&]*trails/);
  await page.reload();
  await studio.until(() => window.molejo?.studio.file === 'scenes/heavy_top.json');
  assert.equal(await page.evaluate(() => window.molejo.studio.is_on('trails')), true);
  await page.evaluate(() => window.molejo.studio.toggle('trails', false));
});

test('help tells the keys; the command can be had', async () => {
  await page.keyboard.press('?');
  await page.locator('#help dd', { hasText: 'pull a body with a spring' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#help').isHidden(), true);
  await page.click('#command-button');
  const command = await page.locator('.notice code').innerText();
  assert.match(command, /^molejo .*heavy_top\.json/);
});

test('script takes below 4 ms a frame for a figure and 8 ms for a thousand boxes', async () => {
  const cost = async (file) => {
    await page.evaluate((f) => window.molejo.studio.open(f), file);
    await studio.until((f) => window.molejo.studio.file === f && window.molejo.studio.time > 0, file);
    // pictures are few here: the first ones tell of the compiler, not of the script
    for (const pictures of [25, 25]) {
      const drawn = await page.evaluate(() => (window.molejo.stage.cost.clear(), window.molejo.stage.drawn));
      await studio.until(([n, more]) => window.molejo.stage.drawn > n + more, [drawn, pictures], 240_000);
    }
    return page.evaluate(() => ({ draw: window.molejo.stage.cost.median('draw'), sum: window.molejo.stage.cost.sum }));
  };
  const figure = await cost('scenes/gaits/basic_run_closed.gait.json');
  const boxes = await cost('scenes/pile.json');
  const tell = ({ draw, sum }) => `${sum.toFixed(2)} ms (drawing ${draw.toFixed(2)})`;
  console.log(`# script: ${tell(figure)} for a figure, ${tell(boxes)} for a thousand boxes`);
  // on a busy machine the clock says nothing about the script
  if (loadavg()[0] < cpus().length) assert.ok(figure.sum < 4 && boxes.sum < 8);
});

test('frames cost at most eight bytes for a freedom', async () => {
  const bytes = await page.evaluate(() => new Promise((resolve) => {
    const off = window.molejo.studio.connection.on('frame', (view) => {
      if (view.getUint8(0) !== 1) return;
      off();
      resolve(view.byteLength);
    });
  }));
  const freedoms = 6 * 1000;
  console.log(`# ${bytes} bytes a frame, ${(bytes / freedoms).toFixed(2)} for a freedom`);
  assert.ok(bytes <= 8 * freedoms);
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
