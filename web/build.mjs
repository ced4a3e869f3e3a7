// node web/build.mjs [OUT]: the page as three files.
import { copyFileSync, mkdirSync } from 'node:fs';
const out = process.argv[2] ?? new URL('dist', import.meta.url).pathname;
mkdirSync(out, { recursive: true });
for (const name of ['index.html', 'app.js', 'style.css']) copyFileSync(new URL(name, import.meta.url), `${out}/${name}`);
