// Puts small faults into the library, one at a time, and sees whether a test notices.
//
//   node scripts/mutate.mjs BUILD       BUILD: a complete build (make mutate makes one)
//
//   MUTANTS=300   how many      SEED=1   which      JOBS=1   how many at a time
//   BUDGET=60     seconds of tests for one mutant, about; it survives then. All unless given
//   ONLY=io,molejo/net/run.cpp,molejo/live/host.cpp:95       modules, files or lines; all: ALL=1
//
// A mutant is compiled from a copy, with its file's own command and together with the sources that
// are compiled with it, and linked in front of the library: neither the sources nor the build are
// touched. A mutant that does not compile, or whose machine code is that of the original, is none.
//
// Test files run in the order of their distance in #includes, the module's own before the others;
// behind the own ones of `optimise` come those of several processes (mpirun), for it alone; last the
// program's tests, those first that name the command. The first failure that comes a second time,
// too, kills. What was found is kept in BUILD/mutate: a run that was stopped goes on, and survivors
// are tried again when tests have changed.
//
// tests/mutants.md holds the known survivors and why they survive.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { candidates, describe, mutate, pick } from './mutants.mjs';
import { knownSurvivors, report } from './mutants_report.mjs';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const build = path.resolve(process.argv[2] ?? path.join(source, 'build'));
const count = Number(process.env.MUTANTS ?? 300), seed = Number(process.env.SEED ?? 1);
const jobs = Number(process.env.JOBS ?? 1);
const only = process.env.ONLY?.split(',');
const budget = Number(process.env.BUDGET ?? Infinity);
const all = process.env.ALL === '1'; // every candidate instead of a choice
const mostIncluders = 8; // a header that more objects contain is not mutated: too much to compile
const scratch = path.join(build, 'mutate');
const nobody = 65534;

const read = (file) => fs.readFileSync(path.join(source, file), 'utf8');
const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const isRoot = process.getuid() === 0;

// ---- what there is -------------------------------------------------------------------------

// 'molejo/io/glb.cpp' -> {object, command, input}; the input is the file itself, or what includes
// it together with others
const commands = new Map();
for (const entry of JSON.parse(fs.readFileSync(path.join(build, 'compile_commands.json')))) {
  const input = path.resolve(entry.directory, entry.file);
  const command = { object: entry.command.match(/ -o (\S+)/)[1], command: entry.command, input };
  if (command.object.includes('/molejo_wide.dir/')) continue; // tests run with the baseline instructions
  const together = /\/Unity\/unity_\w+\.cxx$/.test(input)
    ? [...fs.readFileSync(input, 'utf8').matchAll(/^#include "(.+\.cpp)"/gm)].map((m) => m[1]) : [path.relative(source, input)];
  for (const file of together) commands.set(file, command);
}

const files = execFileSync('git', ['ls-files', 'molejo', 'apps/cli', 'tests'], { cwd: source })
  .toString().split('\n').filter((f) => /\.(cpp|h)$/.test(f));

// header -> the commands whose objects contain it
function includers() {
  const of = new Map();
  const byObject = new Map([...commands.values()].map((command) => [command.object, command]));
  let current = null;
  for (const line of execFileSync('ninja', ['-C', build, '-t', 'deps'], { maxBuffer: 1 << 30 }).toString().split('\n')) {
    const head = line.match(/^(\S+): #deps/);
    if (head) current = byObject.get(head[1]);
    else if (current && line.startsWith('    ')) {
      const file = path.relative(source, path.resolve(build, line.trim()));
      if (!of.has(file)) of.set(file, new Set());
      of.get(file).add(current);
    }
  }
  return of;
}
const includedBy = includers();

// what to compile anew when this file changes; null: too much, or nothing
function affected(file) {
  if (file.endsWith('.cpp')) return commands.has(file) ? [commands.get(file)] : null;
  const list = [...(includedBy.get(file) ?? [])];
  return list.length > 0 && list.length <= mostIncluders ? list : null;
}

const moduleOf = (file) => (file.startsWith('apps/') ? 'apps' : file.split('/')[1]);

// a whole file is wanted, too, for one of its lines
function isWanted(file, line) {
  if (!only) return true;
  return only.some((word) => word === moduleOf(file) || word === file ||
    (line ? word === `${file}:${line}` : word.startsWith(file + ':')));
}

function allCandidates() {
  const byModule = {};
  for (const file of files) {
    if (file.startsWith('tests/') || !affected(file) || !isWanted(file)) continue;
    const text = read(file);
    for (const mutant of candidates(text)) {
      if (!isWanted(file, describe(text, mutant).line)) continue;
      (byModule[moduleOf(file)] ??= []).push({ ...mutant, file });
    }
  }
  return byModule;
}

// ---- which tests, in which order -------------------------------------------------------------

// A unit is a test file of an executable, or a function of a script.
const programScript = 'tests/cli/program.sh', ranksScript = 'tests/optimise/mpi/ranks.sh', mpiModule = 'molejo_mpi.so';
function functionsOf(script) {
  const text = read(script);
  return [...text.matchAll(/^(test_[a-z0-9_]+)\(\)/gm)]
    .map((m) => ({ name: m[1], body: text.slice(m.index, text.indexOf('\n}', m.index)) }));
}

function allUnits() {
  const units = [];
  for (const [file, { object }] of commands) {
    const target = object.match(/tests\/CMakeFiles\/(test_\w+)\.dir\//)?.[1];
    if (!target || target === 'test_support' || !/\bTEST_CASE/.test(read(file))) continue;
    units.push({ name: file, target, file, run: (bin, without) => [bin, `-sf=*/${file}`,
      ...(without.length ? [`-tce=${without.map((name) => name.replaceAll(',', '\\,')).join(',')}`] : []), '--abort-after=1', '-nc=true', '-nv=true'] });
  }
  const take = (script, target, more, run) => {
    for (const { name, body } of functionsOf(script)) {
      units.push({ name: `${script} ${name}`, target, script, body, ...more, run: (bin) => ['bash', path.join(source, script), ...run(bin), name] });
    }
  };
  take(programScript, 'molejo_cli', {}, (bin) => [bin]);
  const mpirun = fs.readFileSync(path.join(build, 'CMakeCache.txt'), 'utf8').match(/^MPIEXEC_EXECUTABLE:\w+=(\/.*)$/m)?.[1];
  if (mpirun && fs.existsSync(path.join(build, mpiModule))) {
    take(ranksScript, 'test_mpi', { only: 'optimise', beside: mpiModule }, (bin) => [mpirun, bin]);
  }
  return units;
}

const stem = (file) => file.replace(/\.(cpp|h)$/, '');

// From a file to all that reach it over #includes: name -> distance. What a source of the same
// module includes may be declared there and implemented here.
function distances(from) {
  const level = new Map([[stem(from), 0]]);
  for (let front = [stem(from)], distance = 1; front.length > 0; ++distance) {
    const next = [];
    for (const node of front) {
      const declared = [...(includesOf.get(node) ?? [])].filter((h) => moduleOf(h) === moduleOf(node));
      for (const other of [...(usersOf.get(node) ?? []), ...declared]) {
        if (level.has(other)) continue;
        level.set(other, distance);
        next.push(other);
      }
    }
    front = next;
  }
  return level;
}

const includesOf = new Map(), usersOf = new Map();
for (const file of files) {
  for (const [, header] of read(file).matchAll(/^#include "((?:molejo|tests|apps)\/[^"]+)\.h"/gm)) {
    if (header === stem(file)) continue;
    if (!includesOf.has(stem(file))) includesOf.set(stem(file), new Set());
    includesOf.get(stem(file)).add(header);
    if (!usersOf.has(header)) usersOf.set(header, new Set());
    usersOf.get(header).add(stem(file));
  }
}

// A command of the program has a source of its name.
const mentions = (text, word) => new RegExp(`\\b${word}\\b`).test(text);

function ordered(units, file) {
  const level = distances(file);
  const own = `tests/${moduleOf(file)}/`;
  const rank = (unit) => {
    if (!unit.file) return unit.only ? 99 : mentions(unit.body, path.basename(stem(file))) ? 1000 : 1001;
    if (stem(unit.file) === own + path.basename(stem(file))) return -1;
    if (unit.file.startsWith(own)) return level.get(stem(unit.file));
    return unit.file.startsWith('tests/hashes/') ? 100 : 100 + level.get(stem(unit.file));
  };
  const cpu = (unit) => baselines[unit.name]?.cpu ?? 0;
  return units.filter((u) => !u.file || level.has(stem(u.file)))
    .filter((u) => !u.only || u.only === moduleOf(file))
    .filter((u) => !file.startsWith('apps/') || !u.file)
    .map((unit) => ({ unit, rank: rank(unit) }))
    .sort((a, b) => a.rank - b.rank || (cpu(a.unit) - cpu(b.unit)))
    .map((x) => x.unit);
}

// ---- compile, link, run ----------------------------------------------------------------------

function execute(argv, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
    let output = '', late = false;
    const keep = (data) => { output = (output + data).slice(-20000); };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* all gone */ } };
    const timer = setTimeout(() => { late = true; end(); }, (options.seconds ?? 900) * 1000);
    const done = (code) => { clearTimeout(timer); resolve({ code: code ?? -1, output, late }); };
    child.on('error', (error) => { output = String(error); done(-1); });
    child.on('close', done);
    child.on('exit', (code) => {
      end(); // what it left behind, too; who left its group may hold its output for ever
      setTimeout(() => { child.stdout.destroy(); child.stderr.destroy(); done(code); }, 1000);
    });
  });
}

const shell = (command, options) => execute(['bash', '-c', command], options);

function linkCommand(target) {
  const last = execFileSync('ninja', ['-C', build, '-t', 'commands', target], { maxBuffer: 1 << 28 })
    .toString().trim().split('\n').at(-1);
  return last.replace(/^: && /, '').split(' && ')[0];
}
const linkers = new Map();

// A header of the library may be in objects of the program or of other tests, too.
const isInArchive = (object) => /CMakeFiles\/(molejo_(fast|plain)|test_support)\.dir\//.test(object);

// with these objects instead of those of the build
async function link(target, objects, out) {
  if (!linkers.has(target)) linkers.set(target, linkCommand(target));
  let words = linkers.get(target).split(/\s+/);
  words[words.indexOf('-o') + 1] = out;
  for (const [was, is] of objects) {
    if (words.includes(was)) words = words.map((w) => (w === was ? is : w));
    else if (isInArchive(was)) words.splice(words.findIndex((w) => w.endsWith('.a')), 0, is);
  }
  const { code, output } = await execute([...words, '-fuse-ld=gold'], { cwd: build });
  if (code !== 0) throw new Error(`cannot link ${target}: ${output.slice(0, 500)}`);
}

class Worker {
  constructor(number) {
    // programs and objects; beside scenes, where a program looks for those that it may read
    this.own = path.join(source, `build-mutate-${number}`);
    this.room = path.join(scratch, `room${number}`); // what tests write
    fs.mkdirSync(this.own, { recursive: true });
  }
  // Some find a module beside them, which others must not find.
  place({ target, beside }) {
    if (!beside) return path.join(this.own, target);
    const folder = path.join(this.own, `beside_${beside}`), module = path.join(folder, beside);
    fs.mkdirSync(folder, { recursive: true });
    fs.rmSync(module, { force: true });
    fs.symlinkSync(path.join(build, beside), module);
    return path.join(folder, target);
  }
  // tests write into this room
  async prepare() {
    const places = commands.get('tests/support/places.cpp');
    this.places = [places.object, path.join(this.own, 'places.o')];
    const command = places.command.replaceAll(`MOLEJO_BINARY_DIR=\\"${build}\\"`, `MOLEJO_BINARY_DIR=\\"${this.room}\\"`)
      .replace(/ -o \S+/, ` -o ${this.places[1]}`);
    const { code, output } = await shell(command, { cwd: build });
    if (code !== 0) throw new Error(output);
  }
  clean() {
    fs.rmSync(this.room, { recursive: true, force: true });
    fs.mkdirSync(path.join(this.room, 'tmp'), { recursive: true });
    if (isRoot) for (const folder of [this.room, path.join(this.room, 'tmp')]) fs.chownSync(folder, nobody, nobody);
  }
  // What a mutant does is anybody's guess: it runs as nobody, with bounded memory and time.
  // Its home lies elsewhere: a project with somebody's home in it is too wide for files to name others of it.
  async run(unit, program) {
    const words = unit.run(program, unit.without ?? []).map((w) => `'${w.replaceAll("'", "'\\''")}'`).join(' ');
    const cpu = Math.ceil(unit.cpu === undefined ? 600 : 3 * unit.cpu + 5);
    const as = isRoot ? `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups ` : '';
    const began = Date.now();
    const result = await shell(
      `ulimit -t ${cpu} -v 8000000 -f 4000000 -c 0; TIMEFORMAT='cpu %U %S'; time ${as}${words}`,
      { cwd: this.room, seconds: unit.wall === undefined ? 900 : 20 * unit.wall + 60,
        env: { ...process.env, MOLEJO_INSTRUCTIONS: 'baseline', HOME: '/nonexistent', TMPDIR: path.join(this.room, 'tmp') } });
    const times = [...result.output.matchAll(/^cpu ([\d.]+) ([\d.]+)$/gm)].at(-1);
    return { ...result, cpu: times ? Number(times[1]) + Number(times[2]) : cpu, wall: (Date.now() - began) / 1000 };
  }
}

// runs what has no fault
const yardstick = (async () => {
  const worker = new Worker('plain');
  await worker.prepare();
  worker.clean();
  return worker;
})();

const failedCase = (output) => output.match(/^TEST CASE: +(.*)/m)?.[1] ?? output.match(/^FAILED: (.*)/m)?.[1] ?? '';

// ---- baseline: a unit passes without faults, and takes so long --------------------------------

const baselineFile = path.join(scratch, 'baseline.json');
const baselines = fs.existsSync(baselineFile) ? JSON.parse(fs.readFileSync(baselineFile)) : {};
let measuring = Promise.resolve();
const plain = new Map(); // target -> promise of the program without faults, which tests in a room of its own

// What is known of a unit goes into it; found out when it is first needed.
async function measure(unit) {
  const text = hash(read(unit.file ?? unit.script) + fs.statSync(path.join(build, 'libmolejo.a')).mtimeMs);
  if (baselines[unit.name]?.text !== text) {
    const worker = await yardstick;
    if (!plain.has(unit.target)) {
      const program = worker.place(unit);
      plain.set(unit.target, link(unit.target, [worker.places], program).then(() => program));
    }
    const program = await plain.get(unit.target);
    // cases that fail without any fault (no browser for nobody, say) are left out
    const without = [];
    for (let passes = false; !passes;) {
      measuring = measuring.then(() => worker.run({ ...unit, without }, program)); // they share a room
      const result = await measuring;
      passes = result.code === 0;
      baselines[unit.name] = { text, passes, without, cpu: result.cpu, wall: result.wall };
      if (passes) break;
      const name = failedCase(result.output);
      console.log(`fails without any fault, left out: ${unit.name} ${name}`);
      if (!unit.file || !name || without.includes(name)) break;
      without.push(name);
    }
    fs.writeFileSync(baselineFile, JSON.stringify(baselines, null, 1));
  }
  Object.assign(unit, baselines[unit.name]);
}

// ---- one mutant ------------------------------------------------------------------------------

// How the compiler was told where the sources are: ccache makes that relative.
function placeIn(object, file) {
  const at = object.indexOf('/' + file + '\0', 'latin1');
  if (at < 0) return source;
  return object.toString('latin1', object.lastIndexOf(0, at) + 1, at);
}

// Objects of a mutant by the objects they replace; a string when it is none.
async function compile(mutant, worker) {
  const overlay = path.join(worker.own, 'overlay');
  fs.rmSync(overlay, { recursive: true, force: true });
  const copy = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(overlay, file)), { recursive: true });
    fs.writeFileSync(path.join(overlay, file), text);
  };
  copy(mutant.file, mutate(read(mutant.file), mutant));
  const objects = [];
  let differs = false;
  for (const { object, command, input } of affected(mutant.file)) {
    const from = input === path.join(source, mutant.file) ? path.join(overlay, mutant.file) : input;
    const out = path.join(worker.own, `mutant${objects.length}.o`);
    // as if it were at its place: the same __FILE__ makes the same machine code
    const original = fs.readFileSync(path.join(build, object));
    const compiler = command.replace(/ -o \S+ -c \S+$/, '').replace(' ', ` -iquote ${overlay} `);
    const { code } = await shell(
      `ulimit -v 8000000; ${compiler} -w -fmacro-prefix-map=${overlay}=${placeIn(original, mutant.file)} -o ${out} -c ${from}`,
      { cwd: build, seconds: 300 });
    if (code !== 0) return 'does not compile';
    differs ||= !fs.readFileSync(out).equals(original);
    objects.push([object, out]);
  }
  return differs ? objects : 'same machine code';
}

async function judge(mutant, units, worker) {
  const objects = await compile(mutant, worker);
  if (typeof objects === 'string') return { verdict: objects };
  worker.clean();
  const programs = new Map();
  let spent = 0;
  for (const unit of ordered(units, mutant.file)) {
    await (unit.measured ??= measure(unit));
    if (!unit.passes) continue;
    if (spent + unit.cpu > budget) continue; // a shorter one may still do
    spent += unit.cpu;
    if (!programs.has(unit.target)) {
      programs.set(unit.target, worker.place(unit));
      await link(unit.target, [worker.places, ...objects], programs.get(unit.target));
    }
    let result = await worker.run(unit, programs.get(unit.target));
    if (result.code === 0) continue;
    const first = result;
    worker.clean();
    result = await worker.run(unit, programs.get(unit.target)); // no accident?
    if (result.code === 0) continue;
    return { verdict: 'killed', by: unit.name, how: first.late || result.late ? 'out of time' : failedCase(first.output) };
  }
  return { verdict: 'survived' };
}

// ---- all of them -----------------------------------------------------------------------------

const testsHash = hash(budget + fs.readFileSync(fileURLToPath(import.meta.url)) + files.filter((f) => f.startsWith('tests/')).map(read).join() + read(programScript) + read(ranksScript));
const resultsFile = path.join(scratch, 'results.jsonl');
const results = new Map();

function keyOf(mutant) {
  const { line, was, becomes } = describe(read(mutant.file), mutant);
  return { id: hash([mutant.file, mutant.kind, mutant.start, hash(read(mutant.file)), mutant.replacement].join('\0')),
           file: mutant.file, kind: mutant.kind, line, was, becomes };
}

function remembered(id) {
  const known = results.get(id);
  return known && (known.verdict !== 'survived' || known.tests === testsHash) ? known : null;
}

async function main() {
  fs.mkdirSync(scratch, { recursive: true });
  if (fs.existsSync(resultsFile)) {
    for (const line of fs.readFileSync(resultsFile, 'utf8').split('\n').filter(Boolean)) {
      const result = JSON.parse(line);
      results.set(result.id, result);
    }
  }
  const workers = Array.from({ length: jobs }, (_, i) => new Worker(i));
  for (const worker of workers) await worker.prepare();
  const units = allUnits();

  const byModule = allCandidates();
  const total = Object.values(byModule).reduce((sum, list) => sum + list.length, 0);
  const drawn = pick(byModule, all ? total : Math.min(count, total), seed);
  const found = []; // results of this run
  const wanted = drawn.flatMap((module) => Array.from({ length: module.share }, (_, k) => ({ module, k })));
  wanted.sort((a, b) => a.k - b.k); // modules take turns
  const next = () => {
    const turn = wanted.shift();
    return turn?.module;
  };
  const work = async (worker) => {
    for (let module = next(); module; module = next()) {
      for (let mutant = module.draw(); mutant; mutant = module.draw()) {
        const key = keyOf(mutant);
        let result = remembered(key.id);
        if (!result) {
          const began = Date.now();
          result = { ...key, ...(await judge(mutant, units, worker)), tests: testsHash, seconds: (Date.now() - began) / 1000 };
          results.set(key.id, result);
          fs.appendFileSync(resultsFile, JSON.stringify(result) + '\n');
        }
        result = { ...result, line: key.line };
        if (result.verdict !== 'killed' && result.verdict !== 'survived') continue;
        found.push({ ...result, module: module.module });
        console.log(`${found.length}/${count} ${result.verdict === 'killed' ? 'killed  ' : 'SURVIVED'} ${result.file}:${result.line}  ` +
          `${result.was}  =>  ${result.becomes}  ${result.by ?? ''}`);
        break;
      }
    }
  };
  await Promise.all(workers.map(work));
  const text = report(found, knownSurvivors(read('tests/mutants.md')), { seed });
  fs.writeFileSync(path.join(scratch, `report-${seed}.md`), text.report);
  console.log(text.report);
  process.exitCode = text.good ? 0 : 1;
}

await main();
