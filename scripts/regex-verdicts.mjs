// recheck's verdicts about the regular expressions of the sources. They are committed, so that the lint does not start recheck; `node
// scripts/judge-regexes.mjs` writes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './install.mjs';

/** Maximum milliseconds of recheck for one expression; most take a few. */
const timeout = 60_000;
/** Milliseconds to wait for the response of recheck's process: a process that ended sends none. */
const responseTimeout = timeout + 10_000;

const require = createRequire(import.meta.url);
const { version } = require(join(root, 'package-lock.json')).packages['node_modules/recheck'];
/** The variable with a file of verdicts that are used instead of the committed ones. */
export const otherVerdicts = 'ANNEX_REGEX_VERDICTS';
const committed = join(root, 'scripts', 'regex-verdicts.json');
const keyOf = (source, flags) => `/${source}/${flags}`;

const readVerdicts = (file) => {
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  // Verdicts of another version of recheck are ignored.
  return new Map(kept.recheck === version ? Object.entries(kept.verdicts) : []);
};
/** The verdict about each expression, which is written as `/source/flags`. */
export const verdicts = readVerdicts(process.env[otherVerdicts] ?? committed);

/** Returns null for an expression that takes linear time, or the reason for rejecting it; undefined for an expression without a verdict. */
export const verdictOf = (source, flags) => verdicts.get(keyOf(source, flags));

const unjudgedText = ' has no verdict';

/** Returns the error about an expression without a verdict. */
export const unjudgedError = (source, flags) =>
  `${keyOf(source, flags)}${unjudgedText}: run node scripts/judge-regexes.mjs, and commit its output.`;

/** Returns the expressions that errors of the lint name, because they have no verdict. */
export const unjudgedOf = (errors) => [
  ...new Set(
    errors.flatMap(({ message }) => {
      const end = message.lastIndexOf(unjudgedText);
      return end < 0 ? [] : [message.slice(0, end)];
    }),
  ),
];

/**
 * Resolves to the verdicts about expressions. They are judged one at a time, because recheck starts one process for each of the first concurrent
 * calls.
 */
export async function judgeAll(keys) {
  const judged = new Map();
  for (const key of keys) judged.set(key, await judge(key));
  return judged;
}

async function judge(key) {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(key);
  let timer;
  const noResponse = new Promise((_, reject) => {
    const error = new Error(`recheck did not respond within ${responseTimeout} ms about ${key}`);
    timer = setTimeout(() => reject(error), responseTimeout);
  });
  try {
    // Not checkSync: on a busy machine it misses the response of its thread, and throws a TypeError.
    return problemOf(await Promise.race([require('recheck').check(source, flags, { timeout }), noResponse]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns null for a proof of linear time. If recheck cannot prove the time, it tries random texts, with results that may change between
 * runs.
 */
function problemOf({ status, checker, complexity, attack, error }) {
  if (status === 'safe' && checker === 'automaton') return null;
  if (status === 'safe')
    return 'cannot be proved to be linear: count less, without references and assertions';
  if (status === 'unknown') return `cannot be judged (${error?.kind ?? 'unknown'}): make it simpler`;
  return `takes ${complexity.type} time, for example on ${attack.pattern}`;
}

/** Writes verdicts, sorted, one on each line. */
export function writeVerdicts(judged, file = committed) {
  const kept = Object.fromEntries([...judged].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify({ recheck: version, verdicts: kept }, null, 2)}\n`);
}
