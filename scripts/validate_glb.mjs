// Khronos glTF validator on files: node scripts/validate_glb.mjs FILE...
// Exit code 0: no errors and no warnings; 1: some; 3: the npm package is not installed.
import { readFile } from 'node:fs/promises';

let validator;
try {
  validator = (await import('gltf-validator')).default;
} catch {
  console.error('gltf-validator is not installed: run "npm ci" in the folder of package.json');
  process.exit(3);
}

let clean = true;
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(file));
  const { issues, info } = await validator.validateBytes(bytes, { uri: file, maxIssues: 50 });
  const { numErrors, numWarnings, numInfos, numHints } = issues;
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ` +
    `${numHints} hints, ${info?.animationCount ?? 0} animations, ` +
    `${info?.totalTriangleCount ?? 0} triangles`);
  for (const m of issues.messages) console.log(`  ${m.code} ${m.pointer ?? ''}: ${m.message}`);
  clean = clean && numErrors === 0 && numWarnings === 0;
}
process.exit(clean ? 0 : 1);
