// The report on mutants, and the list of those that are known to survive.

// tests/mutants.md: under a heading with the name of a file, for each mutant three lines:
//
//   - `the line as it is`
//     `the line that it becomes`
//     Equivalent: why nothing can notice
//
// -> Map: key -> reason
export function knownSurvivors(text) {
  const known = new Map();
  let file = '';
  for (const block of text.split(/\n(?=## |- `)/)) {
    file = block.match(/^## (\S+)/)?.[1] ?? file;
    const found = block.match(/^- `(.*)`\n {2}`(.*)`\n((?: {2}.*\n?)+)/m);
    if (found) known.set(keyOf({ file, was: found[1], becomes: found[2] }), found[3].trim().replace(/\s+/g, ' '));
  }
  return known;
}

const keyOf = ({ file, was, becomes }) => [file, was, becomes].join('\n');

// A mutant that nothing can notice is no gap in the tests.
const isEquivalent = (reason) => /^Equivalent\b/.test(reason ?? '');

export const leastKilled = 0.95;

export function report(results, known, { seed }) {
  const modules = [...new Set(results.map((r) => r.module))].sort();
  const row = (name, list) => {
    const killed = list.filter((r) => r.verdict === 'killed').length;
    const equivalent = list.filter((r) => r.verdict === 'survived' && isEquivalent(known.get(keyOf(r)))).length;
    return { name, all: list.length, killed, equivalent, gaps: list.length - killed - equivalent };
  };
  const rows = modules.map((m) => row(m, results.filter((r) => r.module === m)));
  const sum = row('all', results);
  const share = (r) => (r.all > r.equivalent ? r.killed / (r.all - r.equivalent) : 1);
  const line = (r) => `| ${[r.name, r.all, r.killed, r.equivalent, r.gaps, (100 * share(r)).toFixed(1) + ' %'].join(' | ')} |`;
  const survivors = results.filter((r) => r.verdict === 'survived')
    .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  const text = [
    `Mutants of seed ${seed}: ${sum.killed} of ${sum.all} killed (${(100 * sum.killed / sum.all).toFixed(1)} %), ` +
      `${(100 * share(sum)).toFixed(1)} % of those that can be`,
    '',
    '| module | mutants | killed | equivalent | survive | killed of those that can be |',
    '|---|---|---|---|---|---|',
    ...rows.map(line), line(sum), '',
    ...survivors.flatMap((r) => [`${r.file}:${r.line}`, `- \`${r.was}\``, `  \`${r.becomes}\``,
      `  ${known.get(keyOf(r)) ?? 'NOT KNOWN'}`]),
    '',
  ];
  return { report: text.join('\n'), good: share(sum) >= leastKilled };
}
