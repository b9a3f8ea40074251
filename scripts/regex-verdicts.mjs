// Judges regular expressions with recheck, and keeps what it found in .cache/, so that each is judged once.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './install.mjs';

/** How long recheck may take for one expression, in milliseconds; most take a few. */
const timeout = 120_000;

const require = createRequire(import.meta.url);
/** Loaded where something is not in the cache. */
const recheck = () => require('recheck');
const { version } = require(join(root, 'package-lock.json')).packages['node_modules/recheck'];
const file = join(root, '.cache', 'regex-verdicts.json');
const keyOf = (source, flags) => `/${source}/${flags}`;

function load() {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    return kept.version === version ? kept.verdicts : {};
  } catch {
    return {};
  }
}

const verdicts = new Map(Object.entries(load()));
let changed = false;

/**
 * Null for an expression that takes linear time; else what is wrong with it. Where recheck cannot prove the time, it tries
 * out texts of random, and may find today what it did not find before.
 */
function problemOf({ status, checker, complexity, attack, error }) {
  if (status === 'safe' && checker === 'automaton') return null;
  if (status === 'safe')
    return 'cannot be proved to be linear: count less, without references and assertions';
  if (status === 'unknown') return `cannot be judged (${error?.kind ?? 'unknown'}): make it simpler`;
  return `takes ${complexity.type} time, for example on ${attack.pattern}`;
}

function remember(key, diagnostics) {
  const problem = problemOf(diagnostics);
  // What could not be judged on a busy machine may be judged next time.
  if (diagnostics.status !== 'unknown') {
    verdicts.set(key, problem);
    changed = true;
  }
  return problem;
}

/** The same, from the cache where it is there. Blocks. */
export function regexProblem(source, flags) {
  const key = keyOf(source, flags);
  const known = verdicts.get(key);
  return known === undefined ? remember(key, recheck().checkSync(source, flags, { timeout })) : known;
}

/** Judges the literals of source files at the same time, so that the lint finds them in the cache. */
export async function judgeLiterals(files) {
  const waiting = [...new Set(files.flatMap(literalsOf))].filter((literal) => !verdicts.has(literal));
  const judge = async () => {
    for (let literal = waiting.pop(); literal !== undefined; literal = waiting.pop()) {
      const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal);
      remember(literal, await recheck().check(source, flags, { timeout }));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, judge));
  save();
}

function literalsOf(path) {
  const text = readFileSync(path, 'utf8');
  const found = [];
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

function save() {
  if (!changed) return;
  changed = false;
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}`;
  const all = { ...load(), ...Object.fromEntries(verdicts) };
  writeFileSync(partial, JSON.stringify({ version, verdicts: all }));
  renameSync(partial, file);
}

process.on('exit', save);
