// The packages of npm run where the project promises to run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (name) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url)));
// "18" or "18.20.4" as one number
const number = (version) => version.split('.').reduce((sum, part, i) => sum + Number(part) / 1000 ** i, 0);

test('every package runs with the Node.js of Debian 12', () => {
  assert.equal(read('package.json').engines.node, '>=18');
  const debian = number('18.20.4');
  for (const [name, { engines }] of Object.entries(read('package-lock.json').packages)) {
    if (!engines?.node) continue;
    const [, least] = /^>= ?([\d.]+)$/.exec(engines.node) ?? assert.fail(`${name}: '${engines.node}' is not understood`);
    assert.ok(number(least) <= debian, `${name} needs Node.js ${least}, Debian 12 has 18.20.4`);
  }
});

test('the lock names no registry', () => {
  const { packages } = read('package-lock.json');
  assert.deepEqual(Object.keys(packages).filter((name) => packages[name].resolved), []);
});
