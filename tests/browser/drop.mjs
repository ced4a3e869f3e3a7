// Files of every kind that fall onto the page: make test-browser.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, Studio } from './studio.mjs';

const studio = await Studio.start({ width: 900, height: 560 }); // few pixels: software renders them
const { page } = studio;
after(() => studio.stop());

const clip = 'node_modules/.molejo-clips/viverse/walk.glb';
const kinds = [
  { file: 'scenes/chain.json', kind: 'scene', title: /\w+/, bad: '{"bodys": []}', why: /bodys/ },
  { file: clip, kind: 'walk', title: /walk/i, bad: Buffer.from('glTF\x02\0\0\0broken'), why: /broken|glb|glTF/i },
  { file: 'scenes/walks/dog_walk.bvh', kind: 'walk', title: /dog.walk/i, bad: 'HIERARCHY\nROOT\n', why: /broken/ },
  { file: 'scenes/walks/stick_walk.bvh', kind: 'walk', title: /stick.walk/i, bad: 'no bvh', why: /broken/ },
  { file: 'scenes/nets/kanban_5.pnml', kind: 'net', title: /kanban/i, bad: '<pnml><net>', why: /broken/ },
  { file: 'scenes/imports/figure.xml', kind: 'scene', title: /\w+/, bad: '<mujoco><worldbody><bod/></worldbody></mujoco>', why: /bod/ },
  { file: 'scenes/imports/arm.urdf', kind: 'scene', title: /\w+/, bad: '<robot name="r"><link/></robot>', why: /broken/ },
];

for (const { file, kind, title, bad, why } of kinds) {
  const path = join(root, file);
  const ending = file.replace(/^[^.]*/, '');
  test(`${file} is shown when it is dropped; a broken one says why`, { timeout: 120_000, skip: !existsSync(path) }, async () => {
    const name = file.replace(/^.*\//, '');
    await studio.drop(name, readFileSync(path));
    await studio.until((n) => window.molejo.studio.file.startsWith('upload/') && window.molejo.studio.file.endsWith(n), name);
    assert.equal(await page.evaluate(() => window.molejo.studio.kind), kind);
    assert.match(await page.locator('#title strong').innerText(), title);
    if (kind === 'net') {
      assert.ok(await page.locator('.net-drawing .place').count() > 5);
    } else {
      await studio.until(() => window.molejo.studio.time > 0);
      await studio.assert_moves();
    }
    await studio.drop(`broken${ending}`, bad);
    const notice = page.locator('.notice.error', { hasText: why });
    await notice.first().waitFor();
    assert.match(await page.evaluate(() => window.molejo.studio.file), new RegExp(`${name}$`), 'what was open stays');
  });
}

test('a file of no known kind is refused with those that are known', async () => {
  await studio.drop('thing.docx', 'PK');
  await page.locator('.notice.error', { hasText: /thing\.docx.*\.urdf/ }).waitFor();
});

test('nothing went wrong behind the scenes', () => studio.assert_no_errors());
