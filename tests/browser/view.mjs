// The 3D view: what is switched on over the figure, the hand, light and dark: make test-browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Studio } from './studio.mjs';

const studio = await Studio.start({ width: 900, height: 560 }); // few pixels: software renders them
const { page } = studio;
after(() => studio.stop());

// How many pixels differ between two pictures, and how many of these are warm and red in the second.
const change = (a, b) => page.evaluate(async ([first, second]) => {
  const read = async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  };
  const [p, q] = [await read(first), await read(second)];
  let count = 0, warm = 0, red = 0;
  for (let i = 0; i < p.length; i += 4) {
    if (Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) <= 40) continue;
    count += 1;
    if (q[i] > q[i + 2] + 60) warm += 1;
    if (q[i] > q[i + 1] + 60 && q[i] > q[i + 2] + 60) red += 1;
  }
  return { count, warm, red };
}, [a.toString('base64'), b.toString('base64')]);

async function open_bodies(file) {
  await page.evaluate((f) => window.molejo.studio.open(f), file);
  await studio.until((f) => window.molejo.studio.file === f && window.molejo.studio.time > 0, file);
  if (await page.locator('[data-toggle=joints]').isHidden()) await page.keyboard.press('b');
}

// Switches it on in a still view, and tells what is seen of it.
async function switched(name) {
  const before = await studio.picture();
  await page.click(`[data-toggle=${name}]`);
  await page.waitForTimeout(300);
  await studio.until(() => window.molejo.stage.settled && !window.molejo.stage.dirty);
  const after = await studio.picture();
  const seen = await change(before, after);
  await page.click(`[data-toggle=${name}]`);
  await page.waitForTimeout(200);
  return seen;
}

test('switches draw joints, frames, the centre of mass, trails and ghosts', { timeout: 120_000 }, async () => {
  await open_bodies('scenes/chain.json');
  await studio.until(() => window.molejo.studio.time > 1.2);
  await studio.pause();
  for (const name of ['joints', 'frames', 'center', 'trails', 'ghosts']) {
    const { count } = await switched(name);
    assert.ok(count > 15, `${name}: ${count} pixels`);
  }
  await page.keyboard.press(' ');
});

test('contacts and their forces are red', { timeout: 120_000 }, async () => {
  await open_bodies('scenes/stack.json');
  await studio.until(() => window.molejo.studio.time > 0.5);
  for (const name of ['contacts', 'forces']) {
    await page.click(`[data-toggle=${name}]`);
    await studio.until(() => window.molejo.stage.overlays.contacts.length > 0);
    await studio.pause();
    await page.click(`[data-toggle=${name}]`);
    await page.waitForTimeout(300);
    const { count, red } = await switched(name);
    assert.ok(red > 20 && red > 0.5 * count, `${name}: ${red} of ${count} pixels are red`);
    await page.keyboard.press(' ');
    await studio.until(() => window.molejo.studio.status.playing);
  }
});

test('loaded joints are tinted, and the load is what springs and stops say', { timeout: 120_000 }, async () => {
  await open_bodies('scenes/gaits/basic_run_closed.gait.json');
  await page.click('[data-toggle=stress]');
  await page.locator('.legend-stress').waitFor();
  await studio.until(() => window.molejo.studio.time > 1.2);
  await studio.pause();
  await page.evaluate(() => window.molejo.studio.act({ do: 'seek', t: 1 })); // the same moment on any machine
  await studio.until(() => Math.abs(window.molejo.studio.time - 1) < 0.02 && window.molejo.stage.settled && !window.molejo.stage.dirty);
  const { loads, torques } = await page.evaluate(() => {
    const { stage, studio: { describe: { model } } } = window.molejo;
    const { stress, coordinates } = stage.overlays;
    const torques = model.bodies.map(({ joint }) => {
      if (joint.ball || !joint.drives || joint.drives.some((d) => d.lower !== undefined || d.upper !== undefined)) return null;
      return Math.max(0, ...joint.drives.map((d, k) => Math.abs((d.stiffness ?? 0) * ((d.rest ?? 0) - coordinates[joint.first + k]))));
    });
    return { loads: [...stress.loads], torques };
  });
  assert.ok(Math.max(...loads) <= 1 && Math.max(...loads) > 0.2, `${loads}`);
  // of two joints with springs alone, the one with the larger torque is loaded more
  const springs = torques.flatMap((torque, i) => (torque > 0 ? [[torque, loads[i]]] : [])).sort((a, b) => a[0] - b[0]);
  for (let i = 1; i < springs.length; ++i) assert.ok(springs[i][1] >= springs[i - 1][1] - 1e-9, JSON.stringify(springs));
  await page.click('[data-toggle=stress]');
  await page.waitForTimeout(200);
  const { count, warm } = await switched('stress');
  // joints that bear little at this moment are tinted too, but not warm
  assert.ok(warm > 200, `${warm} of ${count} pixels are warm`);
  await page.keyboard.press(' ');
});

test('a push of chosen size and direction gives a body its momentum', { timeout: 120_000 }, async () => {
  await open_bodies('scenes/dzhanibekov.json'); // 1 kg, no gravity
  await page.fill('[aria-label="Push in newtons"]', '6');
  await page.fill('[aria-label="Seconds of a push"]', '0.05');
  await page.selectOption('[aria-label="Direction of a push"]', 'left, +y');
  await page.locator('.tree button', { hasText: 'handle' }).click();
  assert.match(await page.locator('#inspector').innerText(), /0\.3 N s/);
  const velocity = () => page.evaluate(() => new Promise((resolve) => {
    const { studio, stage } = window.molejo;
    const seen = [];
    const off = studio.on('time', (t) => {
      seen.push([t, ...stage.newer.slice(0, 3)]);
      if (t < seen[0][0] + 0.5) return;
      off();
      const [a, b] = [seen[0], seen.at(-1)];
      resolve([1, 2, 3].map((k) => (b[k] - a[k]) / (b[0] - a[0])));
    });
  }));
  const rest = await velocity();
  await page.click('[data-push]');
  await page.waitForTimeout(400);
  const pushed = await velocity();
  const gained = pushed.map((v, k) => v - rest[k]);
  assert.ok(Math.abs(gained[1] - 0.3) < 0.01 && Math.abs(gained[0]) < 0.01 && Math.abs(gained[2]) < 0.01, `${gained} m/s`);
});

test('Alt-click pushes into the view, Alt-drag along the arrow', { timeout: 120_000 }, async () => {
  await open_bodies('scenes/chain.json');
  await studio.pause();
  const last = await page.evaluate(() => window.molejo.studio.describe.model.bodies.at(-1).name);
  const asked = await page.evaluateHandle(() => {
    const { connection } = window.molejo.studio, list = [];
    const ask = connection.ask.bind(connection);
    connection.ask = (message) => {
      if (message.do === 'push') list.push(message);
      return ask(message);
    };
    return list;
  });
  const { x, y } = await studio.on_screen(last);
  await page.keyboard.down('Alt');
  await page.mouse.click(x, y);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y, { steps: 4 });
  assert.ok(await page.evaluate(() => window.molejo.stage.overlays.pull !== null), 'the arrow is seen');
  await page.mouse.up();
  await page.keyboard.up('Alt');
  const [into, along] = await asked.jsonValue();
  const axes = await page.evaluate(() => {
    const { camera } = window.molejo.stage.cameras;
    const e = camera.matrixWorld.elements;
    return { right: e.slice(0, 3), ahead: e.slice(8, 11).map((v) => -v) };
  });
  const part = (force, axis) => force.reduce((sum, f, k) => sum + f * axis[k], 0) / Math.hypot(...force);
  assert.equal(into.body, last);
  assert.ok(part(into.force, axes.ahead) > 0.9, 'into the view');
  assert.ok(part(along.force, axes.right) > 0.98, 'to the right');
  await page.keyboard.press(' ');
  await studio.assert_moves();
});

test('light and dark follow the system at once', { timeout: 60_000 }, async () => {
  const corner = async () => {
    const picture = await studio.picture();
    return page.evaluate(async (data) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(3, 3, 1, 1).data[0];
    }, picture.toString('base64'));
  };
  const light = await corner();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(500);
  const dark = await corner();
  assert.ok(light > 200 && dark < 60, `${light}, ${dark}`);
  await page.emulateMedia({ colorScheme: 'light' });
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
