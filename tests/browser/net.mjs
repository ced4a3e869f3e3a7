// The Net workbench in the browser: nets alone and nets that direct a show, used as a person would.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Studio } from './studio.mjs';

const studio = await Studio.start({ file: 'scenes/nets/walk_coarse.net.json', hash: '#panel=net' });
const { page } = studio;
after(() => studio.stop());

const tokens = (place) => page.evaluate((name) => {
  const group = document.querySelector(`[data-place="${name}"] .tokens`);
  const count = group.querySelector('.count');
  return count ? Number(count.textContent) : group.querySelectorAll('.token').length;
}, place);
const bar = (name) => page.locator(`[data-transition="${name}"] .reach`);
const sentence = (text) => page.locator('.net-sentences li', { hasText: text });
const status = () => page.evaluate(() => window.molejo.studio.status);

async function upload(name, net) {
  await page.evaluate(async ([file, text]) => {
    const told = await (await fetch(`/upload?name=${file}`, { method: 'POST', body: text })).json();
    await window.molejo.studio.open(told.file);
  }, [name, JSON.stringify(net)]);
  await page.waitForFunction((f) => window.molejo.studio.file.endsWith(f), name);
}

// Two who each take one of two forks and want the other.
const dining = {
  name: 'Two eat',
  places: [{ name: 'fork1', tokens: 1 }, { name: 'fork2', tokens: 1 }, { name: 'a', tokens: 1 }, { name: 'a_one' },
           { name: 'b', tokens: 1 }, { name: 'b_one' }],
  transitions: [{ name: 'a_left', in: ['a', 'fork1'], out: ['a_one'] },
                { name: 'a_right', in: ['a_one', 'fork2'], out: ['a', 'fork1', 'fork2'] },
                { name: 'b_left', in: ['b', 'fork2'], out: ['b_one'] },
                { name: 'b_right', in: ['b_one', 'fork1'], out: ['b', 'fork1', 'fork2'] }],
};

test('a net is drawn with all its nodes, and tokens move by themselves', async () => {
  assert.equal(await page.locator('.net-drawing [data-place]').count(), 9);
  assert.equal(await page.locator('.net-drawing [data-transition]').count(), 11);
  assert.equal(await page.locator('.net-drawing .arc').count(), 28);
  await page.evaluate(async () => {
    for (const word of ['pause', 'reset', 'step', 'step', 'step']) await window.molejo.studio.act({ do: word });
  });
  // three thirtieths of half a second
  await page.waitForFunction(() => document.querySelector('[data-place="P2"] .pie').getAttribute('data-runs') === '0.200');
  await page.evaluate(() => window.molejo.studio.act({ do: 'play' }));
  await page.waitForFunction(() => window.molejo.studio.time > 1);
  await page.waitForFunction(() => !window.molejo.studio.status.playing);
  assert.equal(await tokens('P1'), 0);
  assert.equal(await tokens('P5'), 1);
  await sentence('T4 can never fire').waitFor();
  assert.equal(await page.locator('[data-transition="T4"].dead').count(), 1);
  assert.ok(Number(await page.locator('.net-chart').getAttribute('data-rows')) >= 6);
});

test('a transition is fired by a click', async () => {
  await upload('dining.net.json', dining);
  await page.locator('[data-mode="hand"]').click();
  await page.waitForFunction(() => window.molejo.studio.status.mode === 'hand');
  await page.waitForFunction(() => document.querySelectorAll('.transition.allowed').length === 2);
  assert.equal(await tokens('a_one'), 0);
  await bar('a_left').click();
  await page.waitForFunction(() => document.querySelector('[data-place="a_one"] .token'));
  assert.equal(await tokens('fork1'), 0);
  // the dot that travelled has arrived
  await page.waitForFunction(() => document.querySelectorAll('.flying').length === 0);
  // what is not enabled does not fire
  await bar('b_right').click();
  assert.equal(await tokens('a_one'), 1);
  assert.equal(await tokens('b_one'), 0);
});

test('a deadlock is found and its trace is played', async () => {
  const found = sentence('deadlock after 2 firings');
  await found.waitFor();
  assert.equal(await found.getAttribute('class'), 'bad');
  await found.locator('button', { hasText: 'play it' }).click();
  await page.locator('.net-trace:not([hidden])', { hasText: 'a_left' }).waitFor();
  await page.waitForFunction(() => window.molejo.studio.status.mode === 'trace' && !window.molejo.studio.status.playing);
  assert.equal(await tokens('a_one'), 1);
  assert.equal(await tokens('b_one'), 1);
  assert.equal(await page.locator('.transition.allowed').count(), 0);
  await page.locator('[data-act="leave-trace"]').click();
  await page.waitForFunction(() => window.molejo.studio.status.mode === 'auto');
});

test('arcs drawn with the mouse take the deadlock away, undo brings it back', async () => {
  await page.locator('[data-mode="hand"]').click();
  await page.locator('[data-transition="b_left"]').focus();
  await page.keyboard.press('Enter'); // chosen, and fired
  const lines = page.locator('.net-arc');
  await lines.first().waitFor();
  // b takes fork1 first too
  await page.locator('.net-arc', { hasText: 'fork2' }).locator('button').click();
  await page.waitForFunction(() => document.querySelectorAll('.net-drawing .arc').length === 15);
  await page.locator('[data-tool="arc"]').click();
  await page.locator('[data-place="fork1"]').dragTo(bar('b_left'), { force: true });
  await page.waitForFunction(() => document.querySelectorAll('.net-drawing .arc').length === 16);
  await page.locator('[data-tool="hand"]').click();
  await page.locator('[data-transition="b_right"]').focus();
  await page.keyboard.press('Enter');
  await page.locator('h3', { hasText: 'b_right' }).waitFor();
  await page.locator('.net-arc', { hasText: 'fork1' }).locator('select').first().waitFor();
  await page.evaluate(() => window.molejo.studio.act({ do: 'edit', edits: [
    { op: 'arc', kind: 'input', place: 'fork1', transition: 'b_right', weight: 0 },
    { op: 'arc', kind: 'input', place: 'fork2', transition: 'b_right' }] }));
  await sentence('never a deadlock').waitFor();
  for (let i = 0; i < 3; ++i) await page.locator('.net-tools button', { hasText: 'undo' }).click();
  await sentence('deadlock after 2 firings').waitFor();
});

test('fields change a place, a bad value stands red under it', async () => {
  await page.locator('[data-place="a_one"]').focus();
  await page.keyboard.press('Enter');
  const delay = page.locator('[data-field="delay"]');
  await delay.fill('1/4');
  await delay.press('Enter');
  await page.waitForFunction(() => window.molejo.studio.describe && document.querySelector('[data-place="a_one"] .delay').textContent === '0.25 s');
  await page.locator('[data-field="delay"]').fill('soon');
  await page.locator('[data-field="delay"]').press('Enter');
  await page.locator('.net-field .error', { hasText: 'expected seconds' }).waitFor();
  const property = page.locator('.net-property input');
  await property.fill('never: a_one & b_won');
  await property.press('Enter');
  await page.locator('.net-property .error', { hasText: "did you mean 'b_one'" }).waitFor();
  await property.fill('never: a_one & b_one');
  await property.press('Enter');
  const answer = sentence('never: a_one & b_one');
  await answer.waitFor();
  assert.equal(await answer.getAttribute('class'), 'bad');
});

test('a node is added, renamed where it stands, moved and removed', async () => {
  await page.locator('[data-tool="place"]').click();
  const paper = await page.locator('.net-drawing').boundingBox();
  await page.mouse.click(paper.x + 40, paper.y + 40);
  await page.locator('[data-place="P1"]').waitFor();
  await page.locator('[data-tool="hand"]').click();
  await page.locator('[data-place="P1"] .place').dblclick();
  await page.locator('.net-name').fill('spoon');
  await page.locator('.net-name').press('Enter');
  const spoon = page.locator('[data-place="spoon"] .place');
  await spoon.waitFor();
  const before = await spoon.boundingBox();
  await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
  await page.mouse.down();
  await page.mouse.move(before.x + 80, before.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((x) => document.querySelector('[data-place="spoon"] .place').getBoundingClientRect().x > x + 40, before.x);
  await page.locator('[data-place="spoon"]').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Delete');
  await spoon.waitFor({ state: 'detached' });
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('[data-act="save"]').click()]);
  assert.equal(file.suggestedFilename(), 'dining.net.json');
  const saved = JSON.parse(readFileSync(await file.path(), 'utf8'));
  assert.deepEqual(saved.places.map((p) => p.name), dining.places.map((p) => p.name));
  assert.equal(saved.places[3].delay, 0.25);
});

test('a show moves with its net, and its counterexample is played in the view', async () => {
  await studio.open('scenes/shows/jump.show.json');
  await page.locator('#net').waitFor();
  const view = await page.locator('#view').boundingBox();
  const net = await page.locator('#net').boundingBox();
  assert.ok(view.height > 150 && net.height > 150 && view.y + view.height <= net.y + 1);
  const property = page.locator('.net-property input');
  await property.fill('never: P4a');
  await property.press('Enter');
  const found = sentence('never: P4a');
  await found.waitFor();
  await found.locator('button', { hasText: 'play it' }).click();
  await page.waitForFunction(() => window.molejo.studio.status.mode === 'trace' && !window.molejo.studio.status.playing, null, { timeout: 60_000 });
  // what it shows is in the view: the figure stands, then leaps
  const look_at = async (t) => {
    await page.evaluate((time) => window.molejo.studio.seek(time), t);
    await page.waitForFunction((time) => Math.abs(window.molejo.studio.time - time) < 0.05, t);
    await page.waitForTimeout(1500);
    return studio.picture();
  };
  const height = () => page.evaluate(() => window.molejo.stage.poses[7 * 1 + 2]);
  const standing = await look_at(0);
  const stood = await height();
  const leaping = await look_at(3);
  const leapt = await height();
  assert.ok(Math.abs(leapt - stood) > 0.05, `${stood} ${leapt}`);
  const seen = await studio.compare(standing, leaping);
  assert.ok(seen.differing > 60 && seen.colours > 12, JSON.stringify(seen));
  assert.ok((await status()).end > 2);
  assert.equal((await status()).failure, undefined);
});

test('a press on the chart goes to that time', async () => {
  const chart = page.locator('.net-chart canvas');
  await page.waitForFunction(() => Number(document.querySelector('.net-chart').getAttribute('data-rows')) > 3);
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.click(box.x + box.width * 0.3, box.y + 30);
  await page.waitForFunction(() => {
    const { studio } = window.molejo;
    return studio.time > 0.1 * studio.status.end && studio.time < 0.6 * studio.status.end;
  });
});

test('no errors', () => studio.assert_no_errors());
