// The static gallery, opened from the file system as a person does: every kind of card is there and moves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch_browser, program, root } from './studio.mjs';

const files = ['pendulum.json', 'gaits/basic_run_closed.gait.json', 'gaits/basic_run.motion.json',
  'shows/jump.show.json', 'nets/jump.net.json', 'nets/philosophers_10.pnml', 'walks/stick_fall.walk.json',
  'walks/stick_walk.bvh', 'walks/stick_idle.bvh', 'terrains/hills.terrain.json', 'characters/stick_figure.json',
  'characters/humanoid.json'];
const moving = ['pendulum', 'gaits-basic_run_closed.gait', 'gaits-basic_run.motion', 'shows-jump.show',
  'walks-stick_fall.walk', 'characters-humanoid'];

const folder = mkdtempSync(join(tmpdir(), 'molejo-gallery-'));
for (const file of files) cpSync(`${root}/scenes/${file}`, join(folder, 'in', file), { recursive: true });
execFileSync(program, ['gallery', join(folder, 'in'), join(folder, 'out')], { stdio: ['ignore', 'ignore', 'inherit'] });

const browser = await launch_browser();
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
const errors = [];
page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
page.on('pageerror', (error) => errors.push(String(error)));
page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
await page.goto(pathToFileURL(join(folder, 'out', 'index.html')).href);
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// A number for what a canvas shows, and how many of its pixels differ from its upper left corner.
const canvas_of = (id) => page.evaluate((card) => {
  const canvas = document.getElementById(card).querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let hash = 0, painted = 0;
  for (let i = 0; i < data.length; i += 4) {
    hash = (Math.imul(hash, 31) + data[i] + 256 * data[i + 1] + 65536 * data[i + 2]) | 0;
    painted += Math.abs(data[i] - data[0]) + Math.abs(data[i + 2] - data[2]) > 60;
  }
  return { hash, painted };
}, id);
const scroll_to = (id) => page.evaluate((card) => document.getElementById(card).scrollIntoView(), id);

for (const id of moving) {
  test(`${id} is drawn and moves while it is seen, and only then`, async () => {
    await scroll_to(id);
    await page.waitForFunction((card) => document.getElementById(card).querySelector('canvas').dataset.drawn > 300, id);
    const first = await canvas_of(id);
    assert.ok(first.painted > 300, `${first.painted} pixels`);
    const time = () => page.evaluate((card) => document.getElementById(card).querySelector('output').textContent, id);
    const before = await time();
    await page.waitForFunction(([card, t]) =>
      document.getElementById(card).querySelector('output').textContent !== t, [id, before]);
    assert.notEqual((await canvas_of(id)).hash, first.hash);

    // away from it: to the other end of the page
    await page.evaluate((top) => scrollTo(0, top ? 0 : document.body.scrollHeight), !id.startsWith('gaits'));
    await page.waitForFunction((card) => !players.get(document.getElementById(card)).visible, id);
    const left = await time();
    await page.waitForTimeout(300);
    assert.equal(await time(), left);
  });
}

test('a film stops, and is looked at from where one drags it', async () => {
  await scroll_to('pendulum');
  const card = page.locator('#pendulum');
  await card.locator('.controls button').click();
  await page.waitForTimeout(100);
  const still = await canvas_of('pendulum');
  await page.waitForTimeout(300);
  assert.equal((await canvas_of('pendulum')).hash, still.hash);
  await card.locator('input').fill('0.5');
  assert.equal(await card.locator('output').textContent(), '5.00 s');
  const middle = await canvas_of('pendulum');
  assert.notEqual(middle.hash, still.hash);
  const box = await card.locator('canvas').boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 220, box.y + 110);
  await page.mouse.up();
  assert.notEqual((await canvas_of('pendulum')).hash, middle.hash);
});

test('pictures are loaded when they are seen: plots, nets and charts', async () => {
  for (const name of ['pendulum.svg', 'nets-jump.net.svg', 'shows-jump.show.gantt.svg', 'shows-jump.show.net.svg']) {
    const picture = page.locator(`img[src="${name}"]`);
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction((src) => {
      const image = document.querySelector(`img[src="${src}"]`);
      return image.complete && image.naturalWidth > 100;
    }, name);
    assert.ok((await picture.boundingBox()).width > 150);
  }
});

test('the search leaves what fits, in the index too', async () => {
  const shown = () => page.locator('.card:visible').evaluateAll((cards) => cards.map((c) => c.id));
  assert.equal((await shown()).length, 9);
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press('/');
  await page.keyboard.type('jump net');
  assert.deepEqual(await shown(), ['nets-jump.net', 'shows-jump.show']);
  assert.equal(await page.locator('nav a:visible').count(), 2);
  assert.equal(await page.locator('section.topic:visible').count(), 1);
  await page.keyboard.type(' nothing of this');
  assert.ok(await page.locator('#nothing').isVisible());
  await page.keyboard.press('Escape');
  assert.equal((await shown()).length, 9);
});

test('light and dark: page and moving pictures', async () => {
  await scroll_to('pendulum');
  const looks = () => page.evaluate(() => {
    const canvas = document.querySelector('#pendulum canvas');
    const sky = canvas.getContext('2d').getImageData(5, 5, 1, 1).data[0];
    return { theme: document.documentElement.dataset.theme, sky, paper: getComputedStyle(document.body).backgroundColor };
  });
  await page.waitForFunction(() => players.get(document.getElementById('pendulum')).visible);
  const light = await looks();
  assert.equal(light.theme, 'light');
  assert.ok(light.sky > 200, `the sky is ${light.sky}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  const dark = await looks();
  assert.ok(dark.sky < 60, `the sky is ${dark.sky}`);
  assert.notEqual(dark.paper, light.paper);
  // chosen by hand, it stays when the page is opened again
  await page.locator('#theme').click();
  assert.equal((await looks()).theme, 'light');
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
});

test('nothing went wrong in the page', () => assert.deepEqual(errors, []));
