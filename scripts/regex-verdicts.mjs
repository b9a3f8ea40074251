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
const file = join(root, 'scripts', 'regex-verdicts.json');
const keyOf = (source, flags) => `/${source}/${flags}`;

// Verdicts of another version of recheck are ignored.
function load() {
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  return kept.recheck === version ? kept.verdicts : {};
}

const verdicts = new Map(Object.entries(load()));
const requested = new Set();

/** Returns null for an expression that takes linear time, or the reason for rejecting it; undefined for an expression without a verdict. */
export function verdictOf(source, flags) {
  const key = keyOf(source, flags);
  requested.add(key);
  return verdicts.get(key);
}

/** Returns the expressions without a verdict for which `verdictOf` was called. */
export const unjudged = () => [...requested].filter((key) => !verdicts.has(key));

/**
 * Judges the expressions of `unjudged`, one at a time, because recheck starts one process for each of the first concurrent calls. The
 * verdicts are only in memory until `saveVerdicts`.
 */
export async function judgeRequested() {
  for (const key of unjudged()) verdicts.set(key, await judge(key));
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

/** Writes the verdicts of the requested expressions, sorted, one on each line. */
export function saveVerdicts() {
  const kept = [...requested].sort().map((key) => [key, verdicts.get(key)]);
  const text = JSON.stringify({ recheck: version, verdicts: Object.fromEntries(kept) }, null, 2);
  writeFileSync(file, `${text}\n`);
  return kept;
}
