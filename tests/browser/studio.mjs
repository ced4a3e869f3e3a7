// A studio in a browser, for tests: the real server, Debian's Chromium, software rendering.
//
// The program is $MOLEJO, or build/molejo. Exit code 3 (for ctest: skipped) without playwright-core or
// Chromium.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const program = resolve(process.env.MOLEJO ?? `${root}/build/molejo`);
const chromium_path = '/usr/bin/chromium';

async function find_chromium() {
  try {
    const { chromium } = await import('playwright-core');
    if (existsSync(chromium_path)) return chromium;
    console.error(`${chromium_path} is not installed: run "scripts/install_deps --test"`);
  } catch {
    console.error('playwright-core is not installed: run "npm ci" in the folder of package.json');
  }
  process.exit(3);
}

const flags = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

export async function launch_browser() {
  return (await find_chromium()).launch({ executablePath: chromium_path, args: flags });
}

export class Studio {
  errors = []; // of the page: console errors, exceptions, what its content security policy forbids
  printed = ''; // by the server
  trainings = mkdtempSync(join(tmpdir(), 'molejo-trainings-')); // those of the user stay out of it

  static async start({ file, ...view } = {}) {
    const studio = new Studio();
    await find_chromium();
    await studio.serve(file);
    await studio.look(view);
    return studio;
  }

  async serve(file) {
    this.server = spawn(program, ['studio', '--port', '0', '--trainings', this.trainings, ...(file ? [file] : [])],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, XDG_RUNTIME_DIR: this.trainings } });
    this.address = await new Promise((found, failed) => {
      this.server.stdout.on('data', (part) => {
        this.printed += part;
        const address = /https?:\/\/\S+/.exec(this.printed);
        if (address && this.printed.endsWith('\n')) found(address[0]);
      });
      this.server.on('exit', (code) => failed(new Error(`molejo studio ended with ${code}`)));
      setTimeout(() => failed(new Error('molejo studio does not say where it is')), 15_000).unref();
    });
  }

  // A browser with the page.
  async look({ width = 1280, height = 720, scheme = 'light', hash = '' } = {}) {
    this.browser = await launch_browser();
    this.page = await this.browser.newPage({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
    this.page.on('console', (m) => m.type() === 'error' && this.errors.push(m.text()));
    this.page.on('pageerror', (error) => this.errors.push(String(error)));
    await this.page.addInitScript(() => document.addEventListener('securitypolicyviolation',
      ({ effectiveDirective, blockedURI }) => console.error(`against the policy: ${effectiveDirective} ${blockedURI}`)));
    this.page.setDefaultTimeout(30_000);
    await this.page.goto(this.address + hash);
    await this.until(() => window.molejo?.studio.kind !== '' && window.molejo.stage.drawn > 2);
  }

  // Without a word to the server.
  async kill_browser() {
    const { browser } = this;
    const gone = new Promise((over) => browser.on('disconnected', over));
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    process.kill(processInfo.find(({ type }) => type === 'browser').id, 'SIGKILL');
    await gone;
  }

  // SIGTERM, as whoever ends a service does; its exit code.
  async end_server() {
    const { server } = this;
    if (server.exitCode !== null) return server.exitCode;
    const ended = new Promise((over) => server.on('exit', over));
    server.kill('SIGTERM');
    return ended;
  }

  async stop() {
    await this.browser?.close();
    await this.end_server();
    rmSync(this.trainings, { recursive: true, force: true });
  }

  // Waits until it is so in the page. Not by frames drawn: software rendering makes few.
  until(condition, argument, timeout = 30_000) {
    return this.page.waitForFunction(condition, argument, { polling: 50, timeout });
  }

  // Opens a file of the gallery as a person does, and waits for its first frames.
  async open(file) {
    const { page } = this;
    if (await page.evaluate((f) => window.molejo.studio.file === f, file)) return;
    const entry = page.locator(`.entry[data-file="${file}"]`);
    if (!await entry.isVisible()) await page.locator('details', { has: entry }).locator('summary').click();
    await entry.click();
    await this.until((f) => window.molejo.studio.file === f && window.molejo.studio.time > 0, file);
  }

  // Stands still, and what is drawn is what is.
  async pause() {
    if (await this.page.evaluate(() => window.molejo.studio.status.playing)) await this.page.keyboard.press(' ');
    await this.until(() => !window.molejo.studio.status.playing);
    await this.page.waitForTimeout(200); // frames that are on their way
    // walkers are drawn again and again
    await this.until(() => window.molejo.stage.guest_place() || (window.molejo.stage.settled && !window.molejo.stage.dirty));
  }

  // Where a point of a body is on the screen.
  on_screen(body) {
    return this.page.evaluate((name) => {
      const { stage, studio } = window.molejo;
      const i = studio.describe.model.bodies.findIndex((b) => b.name === name);
      const p = stage.cameras.controls.target.clone().set(...stage.poses.slice(7 * i, 7 * i + 3));
      const world = p.toArray();
      p.project(stage.cameras.camera);
      const box = document.getElementById('canvas').getBoundingClientRect();
      return { x: box.left + box.width * (p.x + 1) / 2, y: box.top + box.height * (1 - p.y) / 2, world };
    }, body);
  }

  // Lets a file fall onto the page, with all its bytes.
  async drop(name, bytes) {
    const data = await this.page.evaluateHandle(([n, text]) => {
      const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([raw], n));
      return transfer;
    }, [name, Buffer.from(bytes).toString('base64')]);
    await this.page.dispatchEvent('#view', 'dragover', { dataTransfer: data });
    await this.page.dispatchEvent('#view', 'drop', { dataTransfer: data });
  }

  // A picture of the 3D view alone. The page takes no style from elsewhere, not even for this.
  async picture() {
    const show_others = (shown) => this.page.evaluate((visibility) => {
      for (const part of document.querySelectorAll('#view > :not(canvas)')) part.style.visibility = visibility;
    }, shown ? '' : 'hidden');
    await show_others(false);
    const picture = await this.page.screenshot({ clip: await this.page.locator('#canvas').boundingBox() });
    await show_others(true);
    return picture;
  }

  // Of two pictures: how many pixels differ visibly; of the first: how many colours it has.
  compare(a, b) {
    return this.page.evaluate(async ([first, second]) => {
      const read = async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [p, q] = [await read(first), await read(second)];
      let differing = 0;
      const colours = new Set();
      for (let i = 0; i < p.length; i += 4) {
        if (Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) > 40) differing += 1;
        colours.add((p[i] >> 3) << 10 | (p[i + 1] >> 3) << 5 | p[i + 2] >> 3);
      }
      return { differing, colours: colours.size };
    }, [a.toString('base64'), b.toString('base64')]);
  }

  // The figure is seen, and it moves.
  async assert_moves(least = 100) {
    let seen = null;
    const before = await this.picture();
    for (let attempt = 0; attempt < 8; ++attempt) {
      await this.page.waitForTimeout(300);
      seen = await this.compare(before, await this.picture());
      if (seen.differing >= least && seen.colours > 12) return;
    }
    assert.fail(`nothing moves in the view: ${JSON.stringify(seen)}`);
  }

  // The browser's own message about a refused upload is no error of the page.
  assert_no_errors(allowed = /status of 400/) {
    assert.deepEqual(this.errors.filter((e) => !allowed.test(e)), []);
  }
}
