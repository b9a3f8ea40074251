import { helpText, parseOptions, type Validated } from '@annex/runtime';
import { allCases, type Case } from './cases.ts';
import { NotPassing } from './not-passing.ts';
import { type ConformanceOptions, conformanceOptions } from './options.ts';
import { type Outcome, playAll } from './play-all.ts';
import { areaTable, compareWithList, countAreas, hasFailed, hasPassed, type Surprises } from './report.ts';

const parsed = parseOptions(conformanceOptions, process.argv.slice(2), process.env, (config) => [
  ...(config.server !== undefined && config.pki === undefined ? ['--server requires --pki'] : []),
  ...(config.init && !config.update ? ['--init requires --update'] : []),
]);
if (parsed.kind === 'help') print(helpText('npm run conformance -- [options]', conformanceOptions));
else if (parsed.kind === 'errors') {
  process.stderr.write(`${parsed.errors.join('\n')}\n`);
  process.exitCode = 2;
} else await run(parsed.config);

async function run(options: Validated<ConformanceOptions>): Promise<void> {
  const pattern = new RegExp(options.only ?? '');
  const cases = allCases().filter(
    ({ name, isExtra = false }) => pattern.test(name) && !(isExtra && options.only === undefined),
  );
  if (options.list) return print(cases.map(({ name }) => name).join('\n'));
  const list = NotPassing.read();
  const section = options.replicas > 1 || options.etcdServers !== undefined ? 'replicas' : options.section;
  const listed = list.of(section);
  const outcomes: Outcome[] = [];
  await playAll(cases, options, listed, (outcome) => {
    outcomes.push(outcome);
    printFailure(outcome, listed, options);
  });
  print(areaTable(countAreas(sortedLike(outcomes, cases))));
  let surprises = compareWithList(outcomes, listed);
  // What is listed there depends on an order that is not determined.
  if (section === 'replicas') surprises = { ...surprises, passing: [] };
  if (options.update) surprises = updateList(list, { ...options, section }, surprises);
  conclude(outcomes, surprises);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printFailure(outcome: Outcome, listed: ReadonlySet<string>, options: ConformanceOptions): void {
  const { name } = outcome.played;
  if (hasPassed(outcome)) outcome.before?.forEach((line) => print(`${name} differed once: ${line}`));
  if (!hasFailed(outcome) || (listed.has(name) && !options.verbose)) return;
  print(`FAIL ${name}`);
  for (const line of outcome.before?.slice(0, options.lines) ?? [])
    print(`    when it was played first: ${line}`);
  for (const line of outcome.problems?.slice(0, options.lines) ?? []) print(`    ${line}`);
}

function sortedLike(outcomes: readonly Outcome[], cases: readonly Case[]): Outcome[] {
  return outcomes.toSorted((a, b) => cases.indexOf(a.played) - cases.indexOf(b.played));
}

// The list can only become shorter, except with --init.
function updateList(list: NotPassing, options: ConformanceOptions, surprises: Surprises): Surprises {
  const names = new Set(list.of(options.section));
  surprises.passing.forEach((name) => names.delete(name));
  if (options.init) surprises.failing.forEach((name) => names.add(name));
  list.replace(options.section, names);
  list.write();
  return { passing: [], failing: options.init ? [] : surprises.failing };
}

function conclude(outcomes: readonly Outcome[], { passing, failing }: Surprises): void {
  for (const name of failing) print(`does not pass, and is not listed: ${name}`);
  for (const name of passing)
    print(`passes, but is listed in not-passing.txt (npm run conformance -- --update): ${name}`);
  const notYet = outcomes.filter(hasFailed).length - failing.length;
  if (notYet > 0) print(`${notYet} not passing yet, as listed`);
  const passed = outcomes.filter(hasPassed).length - passing.length;
  print(`${passed} passed, ${failing.length + passing.length} failed`);
  if (failing.length + passing.length > 0) process.exitCode = 1;
}
