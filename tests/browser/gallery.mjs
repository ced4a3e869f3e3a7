// Every file of the gallery is opened and looked at: make test-browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Studio } from './studio.mjs';

const studio = await Studio.start({ width: 960, height: 540 });
const { page } = studio;
after(() => studio.stop());

const files = await page.evaluate(async () => (await (await fetch('/gallery.json')).json())
  .filter((e) => ['scene', 'gait', 'walk'].includes(e.kind)).map((e) => e.file));

test('the gallery is not empty', () => assert.ok(files.length > 30, `${files.length} files`));

for (const file of files) {
  test(`${file} opens and shows something`, { timeout: 60_000 }, async () => {
    await page.evaluate((f) => window.molejo.studio.open(f), file);
    await studio.until((f) => window.molejo.studio.file === f && window.molejo.studio.time > 0, file);
    const before = await page.evaluate(() => window.molejo.stage.drawn);
    await studio.until((n) => window.molejo.stage.drawn > n + 1, before);
    const picture = await studio.picture();
    const { colours } = await studio.compare(picture, picture);
    assert.ok(colours > 6, `${colours} colours`);
    studio.assert_no_errors();
  });
}
