// Small faults that can be put into a C++ source, found by its text alone: operators swapped,
// constants changed, conditions turned round, statements left out. clang-format makes that safe:
// an operator between spaces has two operands.
//
//   candidates(text) -> [{kind, start, end, replacement}]    lines keep their numbers
//   describe(text, mutant) -> {line, was, becomes}
//   pick(byModule, count, seed) -> [candidate]               the same for the same seed

// The text with all that is no code made blank, character for character.
export function mask(text) {
  const out = text.split('');
  const blank = (from, to) => {
    for (let i = from; i < to; ++i) if (out[i] !== '\n') out[i] = ' ';
  };
  const patterns = [
    /\/\/[^\n]*/y,
    /\/\*[^]*?\*\//y,
    /R"([^(\s]*)\([^]*?\)\1"/y,
    /"(?:[^"\\\n]|\\.)*"/y,
    /(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'/y,
  ];
  let lineIsEmpty = true;
  for (let i = 0; i < text.length;) {
    if (lineIsEmpty && text[i] === '#') {
      const end = /(?:[^\\\n]|\\[^])*/y;
      end.lastIndex = i;
      end.exec(text);
      blank(i, end.lastIndex);
      i = end.lastIndex;
      continue;
    }
    const pattern = patterns.find((p) => ((p.lastIndex = i), p.test(text)));
    if (pattern) {
      blank(i, pattern.lastIndex);
      i = pattern.lastIndex;
      lineIsEmpty = false;
      continue;
    }
    if (text[i] === '\n') lineIsEmpty = true;
    else if (!/\s/.test(text[i])) lineIsEmpty = false;
    ++i;
  }
  return out.join('');
}

const closing = { '(': ')', '[': ']', '{': '}' };

// Where the bracket at `open` ends; -1 when it does not.
function matching(code, open) {
  const expected = [];
  for (let i = open; i < code.length; ++i) {
    if (closing[code[i]]) expected.push(closing[code[i]]);
    else if (')]}'.includes(code[i])) {
      if (expected.pop() !== code[i]) return -1;
      if (expected.length === 0) return i;
    }
  }
  return -1;
}

const swaps = {
  relation: [/(?<=\s)(<=|>=|<|>)(?=\s)/g, { '<': '<=', '>': '>=', '<=': '<', '>=': '>' }],
  equality: [/(?<=\s)(==|!=)(?=\s)/g, { '==': '!=', '!=': '==' }],
  sum: [/(?<=\s)([+-]=?)(?=\s)/g, { '+': '-', '-': '+', '+=': '-=', '-=': '+=' }],
  product: [/(?<=\s)([*/]=?)(?=\s)/g, { '*': '/', '/': '*', '*=': '/=', '/=': '*=' }],
  logic: [/(?<=\s)(&&|\|\|)(?=\s)/g, { '&&': '||', '||': '&&' }],
};

function* operators(text, code) {
  for (const [kind, [pattern, becomes]] of Object.entries(swaps)) {
    for (const found of code.matchAll(pattern)) {
      const start = found.index, end = start + found[0].length;
      // texts are joined, not added
      if (kind === 'sum' && /"\s*$/.test(text.slice(0, start)) | /^\s*"/.test(text.slice(end))) continue;
      yield { kind, start, end, replacement: becomes[found[0]] };
    }
  }
}

// One more, or a hundredth more.
function* constants(code) {
  const number = /(?<![\w.'])(0[xX][\da-fA-F']+|\d[\d']*(?:\.[\d']*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)([uUlLfFzZ]*)(?![\w.'])/g;
  for (const found of code.matchAll(number)) {
    const [whole, digits, suffix] = found;
    const plain = digits.replaceAll("'", '');
    const isInteger = /^(0[xX].*|\d+)$/.test(plain) && !/[fF]$/.test(suffix);
    const replacement = isInteger ? `${BigInt(plain) + 1n}${suffix}`
      : Number(plain) === 0 ? `1.0${suffix}` : `(1.01${suffix} * ${whole})`;
    yield { kind: 'constant', start: found.index, end: found.index + whole.length, replacement };
  }
}

function* conditions(code) {
  for (const found of code.matchAll(/\b(?:if|while) \(/g)) {
    const open = found.index + found[0].length - 1;
    const end = matching(code, open);
    if (end < 0) continue;
    // what comes before a semicolon only declares
    const start = open + 1 + Math.max(0, code.slice(open + 1, end).lastIndexOf(';') + 1);
    const condition = code.slice(start, end);
    if (/^\s*(const\b|auto\b|[\w:<>*&, ]+ [*&]?\w+ = )/.test(condition)) continue;
    yield { kind: 'condition', start: open + 1, end, replacement: (text) => {
      const head = text.slice(open + 1, start), space = condition.match(/^\s*/)[0];
      return `${head}${space}!(${text.slice(start + space.length, end)})`;
    } };
  }
}

const notACall = new Set(`alignas assert auto break case catch class const constexpr continue default
  delete do else enum explicit extern for friend goto if inline mutable namespace new operator
  private protected public return static static_assert struct switch template try typedef typename
  union using virtual volatile while`.split(/\s+/));

// Statements that can be left out: calls, throws, assignments; and what is returned.
function* statements(code) {
  const brackets = [];
  for (let i = 0; i < code.length; ++i) {
    const c = code[i];
    if (closing[c]) brackets.push(c);
    else if (')]}'.includes(c)) brackets.pop();
    const begins = c === ';' || c === '{' || c === '}' || c === ')' || /\belse$/.test(code.slice(i - 4, i + 1));
    if (!begins || (brackets.length > 0 && brackets.at(-1) !== '{')) continue;
    const rest = /\s*/y;
    rest.lastIndex = i + 1;
    rest.exec(code);
    const start = rest.lastIndex;
    const end = statementEnd(code, start);
    if (end < 0) continue;
    const found = statement(code.slice(start, end));
    if (found) yield { ...found, start: start + (found.from ?? 0), end };
  }
}

function statementEnd(code, start) {
  for (let i = start; i < code.length; ++i) {
    if (closing[code[i]]) {
      i = matching(code, i);
      if (i < 0) return -1;
    } else if (code[i] === ';') return i;
    else if (')]}'.includes(code[i])) return -1;
  }
  return -1;
}

// the text outside of all brackets
function surface(code) {
  let out = '';
  for (let i = 0; i < code.length; ++i) {
    out += code[i];
    if (closing[code[i]]) {
      i = matching(code, i);
      out += code[i];
    }
  }
  return out;
}

function statement(code) {
  const word = code.match(/^\w+/)?.[0];
  if (word === 'return') {
    const value = code.slice(6).trim();
    if (!value || /^(\{\s*\}|0|nullptr|std::nullopt)$/.test(value)) return null;
    return { kind: 'return', from: 6, replacement: value === 'false' ? ' true' : ' {}' };
  }
  if (word === 'throw') return code.trim() === 'throw' ? null : { kind: 'call', replacement: '(void)0' };
  if (!/^[\w*(+-]/.test(code) || notACall.has(word)) return null;
  const outside = surface(code).trim();
  if (/^(\+\+|--)|(\+\+|--)$/.test(outside)) return { kind: 'assignment', replacement: '(void)0' };
  if (/^\S+ (=|[-+*/%&|^]=|<<=|>>=)\s/.test(outside)) return { kind: 'assignment', replacement: '(void)0' };
  if (word && /^\S+\)$/.test(outside)) return { kind: 'call', replacement: '(void)0' };
  return null;
}

// Asserts tell what cannot be: their faults have no effect.
function assertions(code) {
  return [...code.matchAll(/\b(?:static_)?assert\(/g)].map(
    (found) => [found.index, matching(code, found.index + found[0].length - 1)]);
}

export function candidates(text) {
  const code = mask(text);
  const asserted = assertions(code);
  const all = [...operators(text, code), ...constants(code), ...conditions(code), ...statements(code)];
  return all
    .filter((m) => !asserted.some(([from, to]) => m.start >= from && m.end <= to))
    .map((m) => ({ ...m, replacement: padded(text.slice(m.start, m.end),
      typeof m.replacement === 'function' ? m.replacement(text) : m.replacement) }))
    .sort((a, b) => a.start - b.start || a.kind.localeCompare(b.kind));
}

// as many line ends as before
function padded(was, becomes) {
  const lines = (s) => s.split('\n').length - 1;
  return becomes + '\n'.repeat(Math.max(0, lines(was) - lines(becomes)));
}

export function mutate(text, mutant) {
  return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
}

// The first line that differs; the number, and what it was and becomes.
export function describe(text, mutant) {
  const before = text.split('\n'), after = mutate(text, mutant).split('\n');
  const at = before.findIndex((line, i) => line !== after[i]);
  return { line: at + 1, was: before[at].trim(), becomes: after[at].trim() };
}

function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// From every module a share by its number of candidates, of all kinds alike. An endless source of
// them: `next(module)` gives another one for one that turned out to be none.
export function pick(byModule, count, seed) {
  const modules = Object.keys(byModule).sort();
  const total = modules.reduce((sum, m) => sum + byModule[m].length, 0);
  const exact = modules.map((m) => (count * byModule[m].length) / total);
  const shares = exact.map((x) => Math.max(1, Math.floor(x)));
  const byRest = modules.map((_, i) => i).sort((a, b) => (exact[b] % 1) - (exact[a] % 1) || a - b);
  for (let i = 0, missing = count - shares.reduce((a, b) => a + b, 0); missing > 0; --missing, ++i) {
    ++shares[byRest[i % byRest.length]];
  }
  return modules.map((module, i) => {
    const next = random(seed * 1000 + i + 1);
    const kinds = new Map();
    for (const candidate of byModule[module]) {
      if (!kinds.has(candidate.kind)) kinds.set(candidate.kind, []);
      kinds.get(candidate.kind).push(candidate);
    }
    const draw = () => {
      const names = [...kinds.keys()].filter((k) => kinds.get(k).length > 0).sort();
      if (names.length === 0) return null;
      const list = kinds.get(names[Math.floor(next() * names.length)]);
      return list.splice(Math.floor(next() * list.length), 1)[0];
    };
    return { module, share: shares[i], draw };
  });
}
