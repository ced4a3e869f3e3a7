// What must work in the browser after every change.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, Studio } from './studio.mjs';

const studio = await Studio.start();
const { page } = studio;
after(() => studio.stop());

test('it starts on a figure that runs', async () => {
  assert.equal(await page.evaluate(() => window.molejo.studio.kind), 'gait');
  await studio.assert_moves();
  const corner = await page.locator('#speed').innerText();
  assert.match(corner, /real time/);
});

test('a pulled body goes to the hand', async () => {
  await studio.open('scenes/chain.json');
  const names = await page.evaluate(() => window.molejo.studio.describe.model.bodies.map((b) => b.name));
  const last = names[names.length - 1];
  await studio.pause(); // stands still while one aims
  const aim = await studio.on_screen(last);
  await page.keyboard.down('Control');
  await page.mouse.move(aim.x, aim.y);
  await page.mouse.down();
  await page.mouse.move(aim.x + 90, aim.y - 60, { steps: 4 });
  await page.keyboard.up('Control');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(([name, x, y]) => {
    const { studio, stage } = window.molejo;
    const i = studio.describe.model.bodies.findIndex((b) => b.name === name);
    const p = stage.cameras.controls.target.clone().set(...stage.poses.slice(7 * i, 7 * i + 3)).project(stage.cameras.camera);
    const box = document.getElementById('canvas').getBoundingClientRect();
    return Math.hypot(box.left + box.width * (p.x + 1) / 2 - x, box.top + box.height * (1 - p.y) / 2 - y) < 60;
  }, [last, aim.x + 90, aim.y - 60]);
  assert.equal(await page.evaluate(() => window.molejo.stage.overlays.pull !== null), true);
  await page.mouse.up();
  await studio.until(() => window.molejo.stage.overlays.pull === null);
});

test('a good formula acts, a bad one stands red under its column', async () => {
  await studio.open('scenes/mobile_in_wind.json');
  await page.keyboard.press('m');
  const line = page.locator('.formula input[type=text]').first();
  await line.fill('0.1*leaf.y_axis');
  await line.press('Enter');
  await page.locator('.formula', { hasText: 'in force' }).first().waitFor();
  await line.fill('3*winnd');
  await line.press('Enter');
  const error = page.locator('.formula .error:not(.caret)').first();
  await error.waitFor();
  assert.match(await error.innerText(), /winnd/);
  assert.equal(await line.getAttribute('aria-invalid'), 'true');
  await line.press('Escape');
});

test('the shown range becomes a GLB that the validator takes', async () => {
  await studio.open('scenes/double_pendulum.json');
  await studio.until(() => window.molejo.studio.status.end > 0.5);
  await page.click('text=export');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-export=glb]')]);
  const file = join(tmpdir(), `molejo-browser-${process.pid}.glb`);
  await download.saveAs(file);
  const report = execFileSync('node', [join(root, 'scripts/validate_glb.mjs'), file], { encoding: 'utf8' });
  assert.match(report, /0 errors, 0 warnings.* [1-9]\d* animations/);
});

test('nothing went wrong so far', () => studio.assert_no_errors());

test('nothing is to be had without the token', async () => {
  const bare = studio.address.replace(/\?.*/, '');
  assert.notEqual(bare, studio.address);
  for (const path of ['', 'index.html', 'app.js', 'style.css', 'gallery.json', 'live', 'nowhere']) {
    assert.equal((await fetch(bare + path)).status, 401, path);
  }
  assert.equal((await fetch(studio.address)).status, 200);
});

test('the page runs no script and asks no server but its own', async () => {
  const intruder = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = true';
    document.body.append(script);
    const asked = await fetch('http://127.0.0.1:9/').then(() => true, () => false);
    script.remove();
    return window.intruder === true || asked;
  });
  assert.equal(intruder, false);
  const forbidden = () => studio.errors.filter((e) => e.startsWith('against the policy'));
  for (let i = 0; i < 50 && forbidden().length < 2; ++i) await page.waitForTimeout(50);
  assert.deepEqual(forbidden().map((e) => e.split(' ')[3]).sort(), ['connect-src', 'script-src-elem']);
  studio.errors.length = 0; // all of them were meant
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
