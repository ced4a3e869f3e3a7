// The workbench for ground and walkers, used as a person uses it: make test-browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Studio } from './studio.mjs';

const studio = await Studio.start({ width: 900, height: 560 }); // few pixels: software renders them
const { page } = studio;
after(() => studio.stop());

const place = () => page.evaluate(() => window.molejo.stage.guest_place()?.toArray() ?? null);
// Of the quality that is shown, as numbers: adapted, and the clip alone.
const figure = async (name) => {
  const cells = await page.locator(`[data-figure=${name}] td`).allInnerTexts();
  return cells.map(Number);
};

// Where a point of the world is on the screen.
const on_screen = (point) => page.evaluate((p) => {
  const { stage } = window.molejo;
  stage.cameras.update();
  stage.cameras.camera.updateMatrixWorld();
  const at = stage.cameras.controls.target.clone().set(...p).project(stage.cameras.camera);
  const box = document.getElementById('canvas').getBoundingClientRect();
  return { x: box.left + box.width * (at.x + 1) / 2, y: box.top + box.height * (1 - at.y) / 2 };
}, point);

// Where it stands, once it does.
async function at_rest() {
  for (let before = await place(); ;) {
    await page.waitForTimeout(1000);
    const now = await place();
    if (Math.hypot(now[0] - before[0], now[1] - before[1]) < 0.01) return now;
    before = now;
  }
}

async function look_from(key) {
  const drawn = await page.evaluate(() => window.molejo.stage.drawn);
  await page.keyboard.press(key);
  await studio.until((n) => window.molejo.stage.drawn > n + 2, drawn);
}
// So that places before a character can be aimed at.
const look_from_above = () => look_from('3');

// The drawn ground at (x, y).
const ground_height = (x, y) => page.evaluate(([gx, gy]) => {
  const { stage } = window.molejo;
  const ray = stage.ray(0, 0);
  ray.ray.origin.set(gx, gy, 1000);
  ray.ray.direction.set(0, 0, -1);
  return stage.guest.ground.pick(ray)?.z ?? null;
}, [x, y]);

async function open_walk(file) {
  await page.evaluate((f) => window.molejo.studio.open(f), file);
  await studio.until((f) => window.molejo.studio.file === f && window.molejo.stage.guest_place() !== null, file);
  await studio.until(() => window.molejo.stage.guest.announced);
}

test('a hill that is sculpted before a character carries its feet', { timeout: 180_000 }, async () => {
  await open_walk('scenes/walks/stick_a.walk.json');
  await page.selectOption('[aria-label=Ground]', 'scenes/terrains/flat.terrain.json');
  await studio.until(() => window.molejo.studio.describe.ground.includes('flat'));
  await page.click('[data-rest]');
  const [x, y, z] = await at_rest();
  assert.ok(Math.abs(z) < 0.05, `stands on the floor, not at ${z}`);
  const hill = [x, y + 1.6]; // it looks along y
  await look_from_above();
  await page.check('[data-sculpt]');
  await page.locator('[aria-label="Radius of the brush"]').fill('1.5');
  await page.locator('[aria-label="Height of a stroke"]').fill('0.05');
  await page.evaluate(() => {
    window.sculpted = [];
    window.molejo.studio.on('server', (e) => e.event === 'sculpted' && window.sculpted.push(e));
  });
  const aim = await on_screen([...hill, 0]);
  await page.mouse.move(aim.x, aim.y);
  await page.mouse.down();
  await studio.until(() => window.sculpted.length >= 8);
  await page.mouse.up();
  await page.waitForTimeout(500);
  await page.uncheck('[data-sculpt]');
  const strokes = await page.evaluate(() => window.sculpted);
  const raised = strokes.reduce((sum, s) => sum + s.height, 0);
  const top = strokes[0];
  assert.ok(Math.hypot(top.x - hill[0], top.y - hill[1]) < 0.1, `sculpted at ${top.x}, ${top.y}, not ${hill}`);
  const drawn = await ground_height(top.x, top.y);
  assert.ok(Math.abs(drawn - raised) < 0.02, `${raised} m was sculpted, ${drawn} m is drawn`);
  // it walks over the top and down again; the highest that it gets is the hill
  await page.evaluate(([tx, ty]) => {
    window.highest = 0;
    window.molejo.stage.before_draw.push(() => {
      const { guest } = window.molejo.stage;
      if (!guest) return;
      for (const actor of guest.actors) {
        const p = actor?.root.position;
        if (p && Math.hypot(p.x - tx, p.y - ty) < 0.5) window.highest = Math.max(window.highest, p.z);
      }
    });
  }, [top.x, top.y]);
  await page.keyboard.down('ArrowUp');
  await studio.until((end) => window.molejo.stage.guest_place().y > end, top.y + 0.2, 60_000);
  const highest = await page.evaluate(() => window.highest);
  assert.ok(Math.abs(highest - raised) < 0.12 * raised + 0.04, `rose by ${highest} m on a hill of ${raised} m`);
  // by now the last three seconds are the way over the top
  await studio.until((end) => window.molejo.stage.guest_place().y > end, top.y + 1, 60_000);
  const [heel] = await figure('penetration_heel_mm'), [toe] = await figure('penetration_toe_mm');
  assert.ok(heel < 10 && toe < 10, `heel ${heel} mm, toe ${toe} mm in the ground`);
  await studio.until((end) => window.molejo.stage.guest_place().y > end, top.y + 1.8, 60_000);
  await page.keyboard.up('ArrowUp');
  assert.ok(Math.abs((await place())[2]) < 0.05, 'down again');
  // Shift digs; level takes everything away
  await page.click('[data-rest]');
  const ahead = await at_rest();
  await look_from_above();
  await page.check('[data-sculpt]');
  const hole = await on_screen([ahead[0], ahead[1] + 1.6, 0]);
  await page.keyboard.down('Shift');
  await page.mouse.move(hole.x, hole.y);
  await page.mouse.down();
  await studio.until(() => window.sculpted.at(-1).height < 0);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.uncheck('[data-sculpt]');
  await page.click('[data-level]');
  await page.waitForFunction(async ([gx, gy]) => {
    const { stage } = window.molejo;
    const ray = stage.ray(0, 0);
    ray.ray.origin.set(gx, gy, 1000);
    ray.ray.direction.set(0, 0, -1);
    return Math.abs(stage.guest.ground.pick(ray)?.z ?? 1) < 1e-3;
  }, [top.x, top.y], { polling: 100 });
});

test('one is steered, and all are', { timeout: 120_000 }, async () => {
  await page.click('[data-add]');
  await studio.until(() => window.molejo.stage.guest.actors.length === 2 && window.molejo.stage.guest.actors[1]?.root.visible);
  const who = '[aria-label="Who is steered"]';
  assert.match(await page.locator(who).inputValue(), / 2$/, 'the new one is chosen');
  const places = () => page.evaluate(() => window.molejo.stage.guest.actors.map((a) => a.root.position.toArray()));
  const moved = (from, to) => from.map((p, i) => Math.hypot(to[i][0] - p[0], to[i][1] - p[1]));
  await page.locator(who).evaluate((e) => e.blur());
  let before = await places();
  await page.keyboard.down('ArrowUp');
  await studio.until(([x, y]) => {
    const p = window.molejo.stage.guest.actors[1].root.position;
    return Math.hypot(p.x - x, p.y - y) > 0.7;
  }, before[1]);
  let [first, second] = moved(before, await places());
  assert.ok(first < 0.2 && second > 0.6, `only the chosen one: ${first} m, ${second} m`);
  await page.keyboard.up('ArrowUp');
  await page.selectOption(who, '*');
  await page.locator(who).evaluate((e) => e.blur());
  before = await places();
  await page.keyboard.down('ArrowUp');
  await studio.until((from) => window.molejo.stage.guest.actors.every(({ root }, i) =>
    Math.hypot(root.position.x - from[i][0], root.position.y - from[i][1]) > 0.7), before);
  await page.keyboard.up('ArrowUp');
});

test('way-points are set with Shift, and reached', { timeout: 120_000 }, async () => {
  await page.selectOption('[aria-label="Who is steered"]', { index: 0 });
  await page.click('[data-rest]');
  await at_rest();
  await look_from_above();
  const [x, y, z] = await place();
  await page.evaluate(() => window.molejo.studio.act({ do: 'pause' })); // so that it does not get there before the second
  for (const goal of [[x + 0.9, y + 0.9, z], [x - 0.5, y + 1.6, z]]) {
    const at = await on_screen(goal);
    await page.keyboard.down('Shift');
    await page.mouse.click(at.x, at.y);
    await page.keyboard.up('Shift');
  }
  await studio.until(() => window.molejo.stage.guest.marks.count === 2);
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.stage.guest.marks.count === 0, null, 60_000);
  const end = await place();
  assert.ok(Math.hypot(end[0] - x + 0.5, end[1] - y - 1.6) < 0.7, `${end} from ${[x, y]}`);
});

test('feet go where they shall, and their ways are drawn', { timeout: 120_000 }, async () => {
  await open_walk('scenes/walks/stick_a.walk.json');
  await page.check('[data-feet]');
  await studio.until(() => window.molejo.stage.guest.feet().planned > 0, null, 60_000);
  await page.keyboard.down('ArrowUp');
  await studio.until(() => window.molejo.stage.guest.feet().feet.every((f) => f.target.length > 20), null, 90_000);
  const misses = await page.evaluate(() => window.molejo.stage.guest.feet().misses);
  assert.ok(misses.length === 2 && Math.max(...misses) < 0.03, `real feet are ${misses} m from their targets`);
  // while it walks: the curves of one that rests are short
  await page.evaluate(() => window.molejo.studio.act({ do: 'pause' }));
  await page.keyboard.up('ArrowUp');
  await look_from('1');
  await page.waitForTimeout(500);
  // the curves end at the feet that are drawn
  await studio.until(() => {
    const { guest, cameras } = window.molejo.stage;
    const { feet: joints } = window.molejo.studio.describe.characters[0];
    return guest.feet().feet.every(({ real }, i) => {
      const at = guest.actors[0].joints[joints[i]].getWorldPosition(cameras.controls.target.clone()).toArray();
      return Math.hypot(...real.end.map((x, k) => x - at[k])) < 0.01;
    });
  });
  const before = await studio.picture();
  await page.uncheck('[data-feet]');
  await page.waitForTimeout(400);
  const { differing } = await studio.compare(before, await studio.picture());
  assert.ok(differing > 20, `${differing} pixels of foot curves`);
  await page.keyboard.press(' ');
});

test('options, quality and formulas answer', { timeout: 120_000 }, async () => {
  await page.evaluate(() => window.molejo.studio.act({ do: 'steer', walk: true, turn: 0 }));
  await studio.until(() => Number(document.querySelector('[data-figure=slip_mean_mm] td')?.textContent) >= 0
    && Number(document.querySelector('[data-figure=microseconds] td')?.textContent) > 0);
  const [micro] = await figure('microseconds');
  assert.ok(micro > 0.1 && micro < 2000, `${micro} µs a character`);
  await page.uncheck('[data-option=inverse_kinematics]');
  await studio.until(() => window.molejo.studio.describe.characters[0].options.inverse_kinematics === false);
  await page.check('[data-option=inverse_kinematics]');
  const line = page.locator('.formula input').locator('visible=true').first();
  await line.fill('0.2*sinn(x)');
  await line.press('Enter');
  await page.locator('.formula .error', { hasText: 'sinn' }).first().waitFor();
  await line.fill('0.2*sin(x)');
  await line.press('Enter');
  await studio.until(() => window.molejo.studio.describe.elevation === '0.2*sin(x)');
  await studio.until(() => {
    const { stage } = window.molejo;
    const ray = stage.ray(0, 0);
    ray.ray.origin.set(Math.PI / 2, 0, 1000);
    ray.ray.direction.set(0, 0, -1);
    return Math.abs((stage.guest.ground.pick(ray)?.z ?? 0) - 0.2) < 0.02;
  });
});

test('the ground follows the scheme of the system at once', { timeout: 60_000 }, async () => {
  const brightness = () => page.evaluate(() => window.molejo.stage.guest.ground.material.color.r);
  const before = await studio.picture();
  const light = await brightness();
  await page.emulateMedia({ colorScheme: 'dark' });
  await studio.until((l) => window.molejo.stage.guest.ground.material.color.r < 0.3 * l, light);
  const { differing } = await studio.compare(before, await studio.picture());
  assert.ok(differing > 50_000, `${differing} pixels`);
  await page.emulateMedia({ colorScheme: 'light' });
  await studio.until((l) => Math.abs(window.molejo.stage.guest.ground.material.color.r - l) < 1e-3, light);
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
