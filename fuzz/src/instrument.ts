import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Edges } from './edges.ts';

/** A module with branch counters. */
export interface InstrumentedModule {
  firstEdge: number;
  endEdge: number;
  /** The string literals of its code, which are words of the format that it parses. */
  words: readonly string[];
}

/**
 * Adds a counter to each branch of package modules that are loaded from now on. V8's precise coverage is no alternative: reading it takes
 * longer than most inputs.
 */
export function instrumentModules(
  edges: Edges,
  isInstrumented: (file: string) => boolean,
): InstrumentedModule[] {
  const modules: InstrumentedModule[] = [];
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
      const file = fileURLToPath(url);
      if (!isInstrumented(file)) return nextLoad(url, context);
      const { source, count, words } = countBranches(readFileSync(file, 'utf8'), edges.total);
      const firstEdge = edges.reserve(count);
      modules.push({ firstEdge, endEdge: firstEdge + count, words });
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
  return modules;
}

/** True for sources of packages, without tests and test-only packages. */
export const isPackageSource =
  (root: string) =>
  (file: string): boolean =>
    ['libs', 'apps'].some((folder) => file.startsWith(`${root}${sep}${folder}${sep}`)) &&
    !file.includes('testkit') &&
    !file.endsWith('.fuzz.ts');

/** Adds counters to a module, numbered from `firstEdge`. Lines and types do not change. */
export function countBranches(
  text: string,
  firstEdge: number,
): { source: string; count: number; words: readonly string[] } {
  const words = new Set<string>();
  const insertions = new Insertions();
  let count = 0;
  const hit = (): string => {
    const edge = firstEdge + count++;
    return `__annexEdges[${edge}]++||__annexFirst(${edge})`;
  };
  const countExpression = (node: ts.Expression): void => insertions.around(node, `(${hit()},(`, '))');
  const countStatement = (node: ts.Statement): void => insertions.around(node, `{${hit()};`, '}');
  const countBlock = (node: ts.Node): void => insertions.open(node.getStart() + 1, `${hit()};`);

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) && node.text.length >= 2 && node.text.length <= 40) words.add(node.text);
    if (ts.isIfStatement(node)) {
      if (node.elseStatement === undefined) insertions.close(node.end, `else{${hit()}}`);
      else countStatement(node.elseStatement);
      countStatement(node.thenStatement);
    } else if (ts.isConditionalExpression(node)) {
      countExpression(node.whenTrue);
      countExpression(node.whenFalse);
    } else if (ts.isBinaryExpression(node) && isShortCircuit(node.operatorToken.kind)) {
      countExpression(node.right);
    } else if (ts.isCaseOrDefaultClause(node)) {
      insertions.open(node.statements.pos, `${hit()};`);
    } else if (ts.isIterationStatement(node, false)) {
      countStatement(node.statement);
    } else if (ts.isCatchClause(node)) {
      countBlock(node.block);
    } else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      countExpression(node.body);
    } else if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      countBlock(node.body as ts.Block);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('module.ts', text, ts.ScriptTarget.ESNext, true));
  return { source: insertions.into(text), count, words: [...words] };
}

const isShortCircuit = (kind: ts.SyntaxKind): boolean =>
  kind === ts.SyntaxKind.AmpersandAmpersandToken ||
  kind === ts.SyntaxKind.BarBarToken ||
  kind === ts.SyntaxKind.QuestionQuestionToken;

/** Texts to insert around nested nodes, recorded from the outer node to the inner one. */
class Insertions {
  readonly #opening: { at: number; text: string }[] = [];
  readonly #closing: { at: number; text: string }[] = [];

  open(at: number, text: string): void {
    this.#opening.push({ at, text });
  }

  close(at: number, text: string): void {
    this.#closing.push({ at, text });
  }

  around(node: ts.Node, before: string, after: string): void {
    this.open(node.getStart(), before);
    this.close(node.end, after);
  }

  /**
   * Applies the insertions. At the same position, closing texts precede opening ones, and those of inner nodes precede those of outer ones.
   */
  into(text: string): string {
    const sorted = [...this.#closing.toReversed(), ...this.#opening].sort((a, b) => a.at - b.at);
    const pieces: string[] = [];
    let end = 0;
    for (const { at, text: inserted } of sorted) {
      pieces.push(text.slice(end, at), inserted);
      end = at;
    }
    pieces.push(text.slice(end));
    return pieces.join('');
  }
}
