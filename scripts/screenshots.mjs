// Pictures of the whole page for README.md: node scripts/screenshots.mjs FOLDER
import { join } from 'node:path';
import { Studio } from '../tests/browser/studio.mjs';

const folder = process.argv[2] ?? 'docs/pictures';
const studio = await Studio.start({ width: 1280, height: 720 });
const { page } = studio;

async function picture(name, file, panel, seconds) {
  await studio.open(file);
  const tab = page.locator(`[data-panel=${panel}]`);
  if (await tab.getAttribute('aria-selected') !== 'true') await tab.click();
  await studio.until((t) => window.molejo.studio.time > t, seconds, 120_000);
  await studio.pause();
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.keyboard.press(' ');
}

try {
  await picture('studio_vibrations', 'scenes/gaits/basic_run.motion.json', 'vibrations', 1.2);
  await picture('studio_net', 'scenes/shows/ball_game.show.json', 'net', 4.3);
  await picture('studio_terrain', 'scenes/walks/demo_a.walk.json', 'terrain', 3);
} finally {
  await studio.stop();
}
