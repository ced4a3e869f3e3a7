// The faults that `make mutate` makes: what is found in a source, what is left alone, and that the
// same seed chooses the same ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidates, describe, mask, mutate, pick } from '../../scripts/mutants.mjs';
import { knownSurvivors, report } from '../../scripts/mutants_report.mjs';

const inBody = (line) => `void f() {\n  ${line}\n}\n`;
// the kinds and what the line becomes, of all faults in one line of a function
function faults(line, kind) {
  const text = inBody(line);
  return candidates(text).filter((m) => !kind || m.kind === kind).map((m) => describe(text, m).becomes);
}

test('operators between spaces are swapped', () => {
  assert.deepEqual(faults('b = i < n;', 'relation'), ['b = i <= n;']);
  assert.deepEqual(faults('b = i >= n;', 'relation'), ['b = i > n;']);
  assert.deepEqual(faults('b = i == n;', 'equality'), ['b = i != n;']);
  assert.deepEqual(faults('b = i + n;', 'sum'), ['b = i - n;']);
  assert.deepEqual(faults('x *= y / z;', 'product'), ['x /= y / z;', 'x *= y * z;']);
  assert.deepEqual(faults('b = a && c || d;', 'logic'), ['b = a || c || d;', 'b = a && c && d;']);
});

test('what only looks like an operator is left alone', () => {
  for (const line of ['std::vector<int> list;', 'auto f = [&](T&& x) { g(); };', 'x = -1;', 'p->q();', 'T* x;']) {
    assert.deepEqual(faults(line).filter((l) => /[<>]=|\|\||!=|- >/.test(l)), [], line);
  }
  assert.deepEqual(faults('s = "a" + b;', 'sum'), []); // texts are joined
  assert.deepEqual(faults('assert(a < b);'), []); // cannot be
  assert.deepEqual(faults('// a < b'), []);
  assert.deepEqual(faults('s = "a < 1";', 'relation'), []);
  assert.deepEqual(candidates('#define A 1 < 2\n#include <a>\n'), []);
});

test('constants grow by one or by a hundredth', () => {
  assert.deepEqual(faults("n = 10'000;", 'constant'), ['n = 10001;']);
  assert.deepEqual(faults('n = 0x1fu;', 'constant'), ['n = 32u;']);
  assert.deepEqual(faults('x = 1e-3;', 'constant'), ['x = (1.01 * 1e-3);']);
  assert.deepEqual(faults('x = 0.0;', 'constant'), ['x = 1.0;']);
  assert.deepEqual(faults('x1 = a_2;', 'constant'), []);
});

test('conditions are turned round, what they declare is not', () => {
  assert.deepEqual(faults('if (ready) go = now;', 'condition'), ['if (!(ready)) go = now;']);
  assert.deepEqual(faults('if (const auto x = f()) g();', 'condition'), []);
  assert.deepEqual(faults('if (auto x = f(); x.good) g();', 'condition'), ['if (auto x = f(); !(x.good)) g();']);
  assert.deepEqual(faults('while (!over()) g();', 'condition'), ['while (!(!over())) g();']);
});

test('calls, throws and assignments are left out', () => {
  assert.deepEqual(faults('list.push_back(x);', 'call'), ['(void)0;']);
  assert.deepEqual(faults('if (bad) fail("no");', 'call'), ['if (bad) (void)0;']);
  assert.deepEqual(faults('throw Error("no");', 'call'), ['(void)0;']);
  assert.deepEqual(faults('Thing thing(x);', 'call'), []); // a declaration
  assert.deepEqual(faults('x.y[3] = z;', 'assignment'), ['(void)0;']);
  assert.deepEqual(faults('++n;', 'assignment'), ['(void)0;']);
  assert.deepEqual(faults('const double x = y;', 'assignment'), []);
  assert.deepEqual(faults('for (int i = 0; i < 3; ++i) f(i);', 'call'), ['for (int i = 0; i < 3; ++i) (void)0;']);
});

test('what is returned becomes nothing', () => {
  assert.deepEqual(faults('return x;', 'return'), ['return {};']);
  assert.deepEqual(faults('return false;', 'return'), ['return true;']);
  assert.deepEqual(faults('return {};', 'return'), []);
  assert.deepEqual(faults('return;', 'return'), []);
});

test('lines keep their numbers', () => {
  const text = inBody('call(first,\n       second);\n  if (a &&\n      b) c();\n  n = 1;');
  for (const m of candidates(text)) {
    assert.equal(mutate(text, m).split('\n').length, text.split('\n').length, m.kind);
  }
  assert.equal(mask(text).length, text.length);
  assert.equal(mask('a = R"(x\n" y)" + 1;').replaceAll(' ', '.'), 'a.=.....\n......+.1;');
});

test('the same seed draws the same, from every module its share', () => {
  const list = (module, count) => Array.from({ length: count }, (_, i) => ({ kind: i % 2 ? 'sum' : 'call', id: module + i }));
  const draw = (seed) => pick({ a: list('a', 100), b: list('b', 300) }, 40, seed)
    .map(({ module, share, draw: next }) => [module, Array.from({ length: share }, () => next().id)]);
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  assert.deepEqual(draw(1).map(([module, drawn]) => [module, drawn.length]), [['a', 10], ['b', 30]]);
  for (const [, drawn] of draw(3)) assert.equal(new Set(drawn).size, drawn.length);
});

test('survivors are known by their lines, and those that nothing can notice do not count', () => {
  const known = knownSurvivors('# T\n\n## molejo/a.cpp\n\n- `x = 1;`\n  `x = 2;`\n  Equivalent: x is\n  not read.\n- `y();`\n  `(void)0;`\n  Speed only.\n');
  assert.equal(known.size, 2);
  const result = (was, becomes, verdict) => ({ module: 'm', file: 'molejo/a.cpp', line: 1, was, becomes, verdict });
  const found = [result('x = 1;', 'x = 2;', 'survived'), ...Array(19).fill(result('z', 'w', 'killed'))];
  assert.equal(report(found, known, { seed: 1 }).good, true);
  const gap = report([...found, result('y();', '(void)0;', 'survived'), result('q', 'r', 'survived')], known, { seed: 1 });
  assert.equal(gap.good, false);
  assert.match(gap.report, /\| m \| 22 \| 19 \| 1 \| 2 \| 90.5 % \|/);
  assert.match(gap.report, /Equivalent: x is not read\./);
  assert.match(gap.report, /NOT KNOWN/);
});
