// Real clips of people from npm packages, as files of one folder:
//
//   node scripts/unpack_clips.mjs NODE_MODULES OUT
//
// viverse/*.glb   walk, run, idle, jumps, and a skinned mannequin (@pmndrs/viverse, MIT)
// dcl/*.glb       walk, run, idle, jump, emotes (@dcl/wearable-preview, Apache-2.0)
// cmu/*.bvh       a motion capture with the joint names of CMU (bvh-loader, GPL: used, never shipped)
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, out] = process.argv.slice(2).map(folder => path.resolve(folder));
const folder = name => {
  const made = path.join(out, name);
  fs.mkdirSync(made, { recursive: true });
  return made;
};
fs.rmSync(out, { recursive: true, force: true });
let count = 0;

const viverse = path.join(modules, '@pmndrs/viverse/dist/assets');
for (const file of fs.existsSync(viverse) ? fs.readdirSync(viverse) : []) {
  if (!file.endsWith('.js')) continue;
  const { url } = await import(pathToFileURL(path.join(viverse, file)).href);
  const prefix = 'data:model/gltf-binary;base64,';
  if (!url?.startsWith(prefix)) continue;
  const bytes = Buffer.from(url.slice(prefix.length), 'base64');
  fs.writeFileSync(path.join(folder('viverse'), file.replace('.js', '.glb')), bytes);
  ++count;
}

const copies = [['dcl', '@dcl/wearable-preview/emotes', '.glb'],
  ['cmu', 'bvh-loader/javascript-bvh', '.bvh']];
for (const [name, place, ending] of copies) {
  const from = path.join(modules, place);
  for (const file of fs.existsSync(from) ? fs.readdirSync(from) : []) {
    if (!file.endsWith(ending)) continue;
    fs.copyFileSync(path.join(from, file), path.join(folder(name), file));
    ++count;
  }
}
console.log(`unpack_clips: ${count} files in ${path.relative(process.cwd(), out)}`);
