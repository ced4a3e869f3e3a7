// What the export menu offers, for each kind of file, had as a person has it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, Studio } from './studio.mjs';

const studio = await Studio.start();
const { page } = studio;
const folder = mkdtempSync(join(tmpdir(), 'molejo-export-'));
after(async () => {
  await studio.stop();
  rmSync(folder, { recursive: true });
});

const kinds = [
  ['scenes/double_pendulum.json', ['glb', 'csv', 'svg']],
  ['scenes/gaits/basic_run_closed.gait.json', ['glb', 'csv', 'svg']],
  ['scenes/gaits/basic_run.motion.json', ['glb', 'csv', 'svg', 'motion']],
  ['scenes/shows/walk.show.json', ['glb', 'csv', 'json', 'pnml', 'svg', 'gantt', 'events']],
  ['scenes/nets/jump.net.json', ['json', 'pnml', 'svg', 'gantt', 'events']],
  ['scenes/walks/stick_a.walk.json', ['glb', 'bvh', 'csv']],
  ['scenes/walks/stick_walk.bvh', ['glb', 'bvh', 'csv']],
];
const slow = 180_000; // ms for what a busy machine draws

async function open_menu() {
  await page.click('.menu > button');
  await page.locator('.menu [role=menuitem]').first().waitFor();
}

async function exported(what) {
  await open_menu();
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: slow }), page.click(`.menu [data-export=${what}]`)]);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

async function stand_still() {
  await page.evaluate(() => window.molejo.studio.act({ do: 'pause' }));
  await studio.until(() => !window.molejo.studio.status.playing);
}

// The range from the frame nearest to one time to that of another, by the keys for it.
async function mark(from, to) {
  await stand_still();
  for (const [t, key] of [[from, '['], [to, ']']]) {
    await page.evaluate((x) => window.molejo.studio.seek(x), t);
    await studio.until((x) => Math.abs(window.molejo.studio.time - x) < 0.03, t);
    await page.keyboard.press(key);
  }
}

function ffmpegs() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'ffmpeg' &&
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3] === String(studio.server.pid);
    } catch {
      return false; // it has ended
    }
  }).length;
}

// Of a film: its size, how many pictures it has, and how many of them differ from the one before.
function seen_in(file) {
  const [width, height, duration, frames] = execFileSync('ffprobe', ['-v', 'error', '-count_frames', '-select_streams', 'v:0',
    '-show_entries', 'stream=width,height,duration,nb_read_frames', '-of', 'csv=p=0', file], { encoding: 'utf8' }).trim().split(',').map(Number);
  const hashes = execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-f', 'framemd5', '-'], { encoding: 'utf8' })
    .split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split(',').at(-1).trim());
  return { width, height, duration, frames, differing: new Set(hashes).size };
}

for (const [file, expected] of kinds) {
  test(`${file}: all that is offered can be had`, async () => {
    await studio.open(file);
    await studio.until(() => window.molejo.studio.status.end > 0.3);
    await stand_still();
    await open_menu();
    const offered = await page.locator('.menu [role=menuitem]').evaluateAll((all) => all.map((e) => e.dataset.export));
    await page.click('.menu > button');
    assert.deepEqual(offered, ['mp4', ...expected]);
    for (const what of expected) {
      const made = await exported(what);
      const text = readFileSync(made, 'utf8');
      assert.ok(text.length > 50, `${what}: ${text.length} bytes`);
      if (what === 'glb') {
        const report = execFileSync('node', [join(root, 'scripts/validate_glb.mjs'), made], { encoding: 'utf8' });
        assert.match(report, /0 errors, 0 warnings.* [1-9]\d* animations/);
      }
      if (what === 'svg' || what === 'gantt') assert.match(text, /^<svg[^]*<\/svg>/);
      if (what === 'bvh') assert.match(text, /^HIERARCHY[^]*MOTION/);
      if (['json', 'motion'].includes(what)) assert.equal(typeof JSON.parse(text), 'object');
    }
    assert.equal(await page.locator('.notice.error').count(), 0);
  });
}

test('a table has the columns of its kind and the times of the marked range alone', async () => {
  for (const [file, column] of [['scenes/double_pendulum.json', 'kinetic'], ['scenes/walks/stick_a.walk.json', 'stick.left.slip']]) {
    await studio.open(file);
    await studio.until(() => window.molejo.studio.status.playing || window.molejo.studio.act({ do: 'play' }));
    await studio.until(() => window.molejo.studio.status.end > 1.2);
    await mark(0.4, 0.9);
    const lines = readFileSync(await exported('csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
    const [names, ...rows] = lines;
    assert.equal(names[0], 't');
    assert.ok(names.includes(column), `${file} has no ${column}`);
    const fps = await page.evaluate(() => window.molejo.studio.describe.fps);
    const times = rows.map((row) => Number(row[0]));
    assert.ok(Math.abs(times[0] - 0.4) < 0.03 && Math.abs(times.at(-1) - 0.9) < 0.03, `${times[0]} to ${times.at(-1)}`);
    assert.equal(times.length, Math.round((times.at(-1) - times[0]) * fps) + 1);
    assert.ok(rows.every((row) => row.length === names.length && row.every((x) => Number.isFinite(Number(x)))));
  }
});

test('the marked range becomes a film of what is seen; then all is as it was', async () => {
  await studio.open('scenes/double_pendulum.json');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.end > 1);
  await mark(0.2, 0.6);
  await page.evaluate(() => window.molejo.studio.seek(0.8));
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.playing);
  const size = await page.evaluate(() => [window.molejo.stage.renderer.domElement.width, window.molejo.stage.renderer.domElement.height]);
  const shown = [];
  await page.exposeFunction('told_progress', (text) => shown.push(text));
  await page.evaluate(() => {
    new MutationObserver(() => {
      const notice = document.querySelector('.notice .filming');
      if (notice) window.told_progress(`${notice.querySelector('progress').value} ${notice.textContent}`);
    }).observe(document.getElementById('notices'), { childList: true, subtree: true, characterData: true });
  });
  const begun = await page.evaluate(() => window.molejo.studio.time);
  const film = seen_in(await exported('mp4'));
  assert.equal(film.width, 1280);
  assert.equal(film.height, 720);
  assert.equal(film.frames, 12);
  assert.ok(Math.abs(film.duration - 0.4) < 0.01, `${film.duration} s`);
  assert.ok(film.differing >= 11, `only ${film.differing} pictures differ`);
  assert.ok(shown.some((text) => /^0\.\d+ .*[1-9]\d* of 12 pictures, [\d.]+ a second, \d+ s left/.test(text)), shown.join('\n'));
  await studio.until(() => window.molejo.studio.status.playing && !document.body.classList.contains('filming'));
  const after_film = await page.evaluate(() => ({
    t: window.molejo.studio.time, inert: document.querySelectorAll('[inert]').length, manual: window.molejo.stage.manual,
    size: [window.molejo.stage.renderer.domElement.width, window.molejo.stage.renderer.domElement.height],
  }));
  assert.ok(after_film.t >= begun - 0.1, `${after_film.t} s, it was ${begun} s`);
  assert.deepEqual([after_film.inert, after_film.manual, after_film.size], [0, false, size]);
  await studio.assert_moves(30);
  assert.equal(ffmpegs(), 0);
});

test('a film shows the walkers move, as large as the view', async () => {
  await studio.open('scenes/walks/stick_a.walk.json');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.end > 1 && window.molejo.stage.guest_place() !== null);
  await mark(0.5, 0.8);
  const size = await page.evaluate(() => [window.molejo.stage.renderer.domElement.width, window.molejo.stage.renderer.domElement.height]);
  await open_menu();
  await page.selectOption('[aria-label="Size of the film"]', 'as seen');
  await page.selectOption('[aria-label="Pictures a second"]', '60');
  await page.click('.menu > button');
  const film = seen_in(await exported('mp4'));
  assert.deepEqual([film.width, film.height], size.map((x) => x - x % 2));
  assert.equal(film.frames, 18);
  assert.ok(film.differing >= 17, `only ${film.differing} pictures differ`);
  assert.equal(await page.evaluate(() => window.molejo.studio.status.playing), false, 'it stood still before');
  assert.ok(Math.abs(await page.evaluate(() => window.molejo.studio.time) - 0.8) < 0.03);
});

test('a film of a net alone shows its tokens move', async () => {
  await studio.open('scenes/nets/ball_top.net.json');
  await studio.until(() => window.molejo.studio.status.end > 2);
  await mark(0.5, 1.5);
  await open_menu();
  await page.selectOption('[aria-label="Size of the film"]', '1280 × 720');
  await page.selectOption('[aria-label="Pictures a second"]', '30');
  await page.click('.menu > button');
  const film = seen_in(await exported('mp4'));
  assert.deepEqual([film.width, film.height], [1280, 720]);
  assert.ok(film.frames >= 28 && film.differing > 20, JSON.stringify(film));
});

test('a film can be cancelled, by button and by key, and leaves no process', async () => {
  await studio.open('scenes/double_pendulum.json');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.end > 2, undefined, 60_000);
  await stand_still();
  const time = await page.evaluate(() => window.molejo.studio.time);
  for (const stop of [() => page.click('[data-cancel=film]'), () => page.keyboard.press('Escape')]) {
    await open_menu();
    await page.click('.menu [data-export=mp4]');
    await page.locator('.notice .filming', { hasText: /[1-9]\d* of \d+ pictures/ }).waitFor({ timeout: slow });
    assert.equal(ffmpegs(), 1);
    await stop();
    await studio.until(() => !document.body.classList.contains('filming'));
    await page.locator('.notice .filming').waitFor({ state: 'detached' });
    assert.equal(ffmpegs(), 0);
    assert.ok(Math.abs(await page.evaluate(() => window.molejo.studio.time) - time) < 0.02, 'the time is as it was');
  }
  assert.equal(await page.locator('.notice.error').count(), 0);
});

test('a plot has its past at once: after a reload, and when it is added', async () => {
  await studio.open('scenes/double_pendulum.json');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.end > 1.5, undefined, 60_000);
  await stand_still();
  const end = await page.evaluate(() => window.molejo.studio.status.end);
  const fps = await page.evaluate(() => window.molejo.studio.describe.fps);
  const curve = async (chart) => {
    await chart.hover();
    const [csv] = await Promise.all([page.waitForEvent('download'), chart.locator('text=csv').click()]);
    return readFileSync(await csv.path(), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
  };
  await page.reload();
  await studio.until(() => window.molejo?.studio.kind !== '' && window.molejo.stage.drawn > 0);
  const energy = page.locator('.chart[data-plot^=energy]');
  await page.waitForTimeout(500);
  const rows = await curve(energy);
  assert.ok(rows.length > 0.9 * end * fps, `${rows.length} points of ${end} s`);
  assert.ok(rows[0][0] < 0.1 && Math.abs(rows.at(-1)[0] - end) < 0.1);
  const totals = rows.map((row) => row[4]);
  assert.ok(Math.max(...totals) - Math.min(...totals) < 0.02 * Math.max(...rows.map((row) => Math.abs(row[2]))), 'energy is kept');
  await page.fill('[aria-label="Column to plot"]', 'lz');
  await page.press('[aria-label="Column to plot"]', 'Enter');
  const added = page.locator('.chart[data-plot="lz"]');
  await added.waitFor();
  await page.waitForTimeout(500);
  assert.ok((await curve(added)).length > 0.9 * end * fps);
  await energy.hover({ position: { x: 150, y: 60 } });
  assert.match(await energy.locator('.legend').innerText(), /[\d.]+ s/);
});

test('a walk plots speed, hips and slip; a net alone nothing; neither complains', async () => {
  await studio.open('scenes/walks/stick_a.walk.json');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await studio.until(() => window.molejo.studio.status.end > 1);
  assert.deepEqual(await page.locator('.chart').evaluateAll((all) => all.map((c) => c.dataset.plot)),
    ['speed (m/s)', 'height of the hips (m)', 'slip of the feet (m)']);
  await page.locator('.chart .legend', { hasText: /stick.left.slip [\d.]/ }).waitFor();
  assert.equal(await page.locator('.notice.error').count(), 0);
  await studio.open('scenes/nets/jump.net.json');
  assert.equal(await page.locator('#plots').isHidden(), true);
  assert.equal(await page.locator('.notice.error').count(), 0);
  await page.goto(`${studio.address}#file=scenes/walks/stick_a.walk.json`);
  await page.reload();
  await studio.until(() => window.molejo?.studio.file === 'scenes/walks/stick_a.walk.json' && window.molejo.stage.drawn > 0);
  await page.waitForTimeout(500);
  assert.equal(await page.locator('.notice.error').count(), 0);
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
