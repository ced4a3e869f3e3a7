// The page of the studio: web/src -> web/dist (index.html, app.js, style.css), or into the folder given.
//
//   node web/build.mjs [FOLDER]
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const web = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(web, 'dist'));
await mkdir(dist, { recursive: true });

await build({
  entryPoints: [join(web, 'src/main.ts')],
  outfile: join(dist, 'app.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'eof',
  logLevel: 'warning',
});

const plots = join(web, '../node_modules/uplot/dist/uPlot.min.css');
const styles = `${await readFile(plots, 'utf8')}\n${await readFile(join(web, 'style.css'), 'utf8')}`;
await writeFile(join(dist, 'style.css'), (await transform(styles, { loader: 'css', minify: true })).code);
await copyFile(join(web, 'index.html'), join(dist, 'index.html'));
