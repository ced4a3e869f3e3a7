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
    const told = await (await fetch(`/upload${location.search}&name=${file}`, { method: 'POST', body: text })).json();
    await window.molejo.studio.open(told.file);
  }, [name, typeof net === 'string' ? net : JSON.stringify(net)]);
  await page.waitForFunction((f) => window.molejo.studio.file.endsWith(f), name);
}

// Nodes and arcs by their names, wherever they stand.
const drawn_net = () => page.evaluate(async () => {
  const { net } = await window.molejo.studio.connection.ask({ do: 'describe' });
  const arcs = net.arcs.map((a) => `${a.kind} ${net.places[a.place].name} ${net.transitions[a.transition].name} ${a.weight}`);
  return { places: net.places.map((p) => [p.name, p.delay, p.tokens]), transitions: net.transitions.map((t) => [t.name, t.priority]), arcs: arcs.sort() };
});

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
  await sentence('4 transitions can never fire: T4, T6, T7, T9').waitFor();
  assert.equal(await page.locator('.transition.dead').count(), 4);
  await sentence('at most 3 tokens in P3').waitFor();
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
  for (let i = 0; i < 3; ++i) await page.locator('[data-act="undo"]').click();
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
  await page.locator('.net-field .error', { hasText: "'soon': expected seconds" }).waitFor();
  await page.locator('[data-field="delay"]').fill('-1');
  await page.locator('[data-field="delay"]').press('Enter');
  await page.locator('.net-field .error', { hasText: "'-1': expected seconds" }).waitFor();
  await page.locator('[data-field="name"]').fill('b_one');
  await page.locator('[data-field="name"]').press('Enter');
  await page.locator('.net-field .error', { hasText: "there is a place 'b_one' already" }).waitFor();
  assert.equal(await page.locator('[data-place="a_one"] .delay').textContent(), '0.25 s'); // nothing has changed
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
  await page.waitForTimeout(500); // the move is answered, and the net drawn anew
  await page.locator('[data-place="spoon"]').focus();
  await page.keyboard.press('Enter');
  await page.locator('[data-place="spoon"].chosen').waitFor();
  await page.keyboard.press('Delete');
  await spoon.waitFor({ state: 'detached' });
  const download = async (what) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-save="${what}"]`).click()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const json = await download('json'), pnml = await download('pnml');
  assert.equal(json.name, 'dining.net.json');
  const saved = JSON.parse(json.text);
  assert.deepEqual(saved.places.map((p) => p.name), dining.places.map((p) => p.name));
  assert.equal(saved.places[3].delay, 0.25);
  // opened again, both are the same net
  await upload('again.net.json', json.text);
  const first = await drawn_net();
  await upload('again.pnml', pnml.text);
  assert.deepEqual(await drawn_net(), first);
  assert.equal(first.places.length, 6);
});

test('nodes stay where they were put when the page is loaded anew', async () => {
  await studio.open('scenes/nets/jump.net.json');
  const place = page.locator('[data-place="P1a"]');
  await place.waitFor();
  await page.evaluate(() => window.molejo.studio.act({ do: 'pause' }));
  const box = await place.locator('.place').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 90, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.locator('[data-act="undo"]:enabled').waitFor();
  const put = await place.getAttribute('transform');
  await studio.open('scenes/nets/walk.net.json');
  await page.reload();
  await studio.until(() => window.molejo?.studio.kind === 'net');
  await studio.open('scenes/nets/jump.net.json');
  await page.waitForFunction((at) => document.querySelector('[data-place="P1a"]')?.getAttribute('transform') === at, put);
  await page.locator('[data-act="arrange"]').click();
  await page.waitForFunction((at) => document.querySelector('[data-place="P1a"]').getAttribute('transform') !== at, put);
});

test('names do not run into each other, at any distance', async () => {
  for (const file of ['philosophers_10.pnml', 'mapk_8.pnml', 'kanban_5.pnml', 'fms_5.pnml']) {
    await studio.open(`scenes/nets/${file}`);
    await page.evaluate(() => window.molejo.studio.act({ do: 'pause' }));
    let shown = 0;
    for (const act of ['fit', 'farther', ...Array(6).fill('nearer')]) {
      await page.locator(`[data-act="${act}"]`).click();
      await page.mouse.move(5, 300);
      await page.waitForTimeout(300);
      const { meeting, count } = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('.net-drawing text.name')].filter((t) => t.textContent).map((t) => t.getBoundingClientRect());
        const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
        return { count: boxes.length, meeting: boxes.flatMap((a, i) => boxes.slice(0, i).filter((b) => meet(a, b))).length };
      });
      assert.equal(meeting, 0, `${file} ${act}`);
      shown = Math.max(shown, count);
    }
    assert.ok(shown > 20, `${file}: ${shown}`);
  }
});

test('keys lead to what can fire, on to its neighbours, and fire', async () => {
  await upload('keys.net.json', dining);
  await page.locator('[data-mode="hand"]').click();
  await page.waitForFunction(() => window.molejo.studio.status.mode === 'hand' && window.molejo.studio.status.frame === 0);
  await page.waitForFunction(() => document.querySelectorAll('.transition.allowed').length === 2);
  await page.locator('[data-act="fit"]').focus();
  await page.keyboard.press('Tab');
  const at = () => page.evaluate(() => document.activeElement.dataset.transition ?? document.activeElement.dataset.place);
  const first = await at();
  assert.ok(['a_left', 'b_left'].includes(first), first);
  await page.keyboard.press('Enter');
  await page.waitForFunction((name) => document.querySelector(`[data-place="${name[0]}_one"] .token`), first);
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
  assert.notEqual(await at(), undefined); // still in the net
  await page.keyboard.press('>');
  await page.waitForFunction(() => document.querySelectorAll('[data-place$="_one"] .token').length === 2 || document.querySelectorAll('[data-place$="_one"] .token').length === 0);
});

test('what a sentence is about is shown in the net', async () => {
  await studio.open('scenes/nets/walk.net.json');
  const dead = sentence('4 transitions can never fire');
  await dead.waitFor();
  await dead.locator('[data-act="show"]').click();
  await page.waitForFunction(() => document.querySelectorAll('.node.pointed').length === 4);
  await studio.open('scenes/nets/ball_top.net.json');
  await page.locator('[data-group="sums"] summary').click();
  await sentence('P1 + P2 + P3 + P4 + P5 + P6 + P7 + P8 = 1, always').waitFor();
  await page.locator('[data-group="siphons"] summary').click();
  await sentence('none can ever run empty').waitFor();
});

test('a net of ten thousand places is played, a part of it is drawn, and the page goes on', async () => {
  const count = 10_000;
  const nodes = Array.from({ length: count }, (_, i) =>
    `<place id="q${i}">${i === 5 ? '<initialMarking><text>1</text></initialMarking>' : ''}</place><transition id="u${i}"/>` +
    `<arc id="a${i}" source="q${i}" target="u${i}"/><arc id="b${i}" source="u${i}" target="q${(i + 1) % count}"/>`).join('');
  const pnml = `<?xml version="1.0"?><pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" ` +
    `type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">${nodes}</page></net></pnml>`;
  const begun = Date.now();
  await upload('ring.pnml', pnml);
  await page.locator('.net-part', { hasText: '10,000 places' }).waitFor();
  console.log(`  ring of ${count}: shown after ${Date.now() - begun} ms`);
  assert.equal(await page.locator('.net-drawing .node').count(), 120);
  // a whole second of the page, while it plays and is analysed: no long silence
  const longest = await page.evaluate(() => new Promise((resolve) => {
    let last = performance.now(), most = 0;
    const end = last + 1000;
    const look = () => {
      const now = performance.now();
      most = Math.max(most, now - last);
      last = now;
      if (now > end) resolve(most);
      else setTimeout(look, 5);
    };
    look();
  }));
  console.log(`  longest silence of the page: ${longest.toFixed(0)} ms`);
  const asked = Date.now();
  await page.evaluate(() => window.molejo.studio.connection.ask({ do: 'status' }));
  console.log(`  the server answers after ${Date.now() - asked} ms`);
  await page.locator('.net-tools input').fill('q7000');
  await page.locator('.net-tools input').press('Enter');
  await page.locator('[data-place="q7000"].chosen').waitFor();
  await page.locator('[data-field="delay"]').fill('-2');
  await page.locator('[data-field="delay"]').press('Enter');
  await page.locator('.net-field .error', { hasText: 'expected seconds' }).waitFor();
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

test('the line in the chart goes with the time', async () => {
  const left = () => page.evaluate(() => document.querySelector('.net-chart .cursor').getBoundingClientRect().left);
  await page.evaluate(() => window.molejo.studio.seek(0.5));
  await page.waitForFunction(() => Math.abs(window.molejo.studio.time - 0.5) < 0.05);
  const early = await left();
  await page.evaluate(() => window.molejo.studio.seek(2));
  await page.waitForFunction(() => Math.abs(window.molejo.studio.time - 2) < 0.05);
  assert.ok(await left() > early + 20);
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
