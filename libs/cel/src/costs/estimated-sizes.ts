import type { Expr } from '../syntax/expr.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import { type CelType, types } from '../typing/type.ts';
import { codePointCount } from '../values/container.ts';
import type { SizeEstimator } from './cost.ts';
import { exactly, type Range, spanRanges, unknownRange } from './range.ts';

/** The sizes of the keys (or indices) and values of a container. */
export interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/** A variable of a comprehension: its path, and its sizes if they are known. */
interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

/** The paths and sizes of the nodes of one expression, as they are estimated. */
export class EstimatedSizes {
  readonly estimator: SizeEstimator;
  readonly #checked: CheckedExpr;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: CheckedExpr, estimator: SizeEstimator) {
    this.#checked = checked;
    this.estimator = estimator;
  }

  local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  leave(name: string): void {
    this.#locals.get(name)?.pop();
  }

  /** Declares a variable that holds the value of an expression. */
  enterValue(name: string, expr: Expr): void {
    this.#enter(name, { path: this.path(expr), size: this.size(expr), entry: this.entry(expr) });
  }

  /** Declares a variable that holds an element of a list or a key of a map. */
  enterElement(name: string, range: Expr): void {
    if (this.#containerOf(range) === 'list') this.enterEntryValue(name, range);
    else this.#enterPart(name, range, '@keys', this.entry(range)?.key);
  }

  enterKey(name: string, range: Expr): void {
    const ofList = this.#containerOf(range) === 'list';
    const step = ofList ? '@indices' : '@keys';
    // cel-go appends the path of the value to the same array as the path of the key. When the array has spare capacity, the
    // value overwrites the key. The capacity is a power of two.
    const overwritten = !isPowerOfTwo(this.path(range).length);
    this.#enterPart(
      name,
      range,
      overwritten ? (ofList ? '@items' : '@values') : step,
      this.entry(range)?.key,
    );
  }

  enterEntryValue(name: string, range: Expr): void {
    const step = this.#containerOf(range) === 'list' ? '@items' : '@values';
    this.#enterPart(name, range, step, this.entry(range)?.value);
  }

  path(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? [];
  }

  setPath(expr: Expr, path: readonly string[]): void {
    this.#paths.set(expr.id, path);
  }

  size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known) return known;
    const type = this.#typeOf(expr);
    const estimated = this.estimator({ path: this.path(expr), type, expr });
    if (estimated) this.#sizes.set(expr.id, estimated);
    if (estimated) return estimated;
    if (isScalar(type)) return exactly(1);
    return expr.kind === 'ident' ? this.local(expr.name)?.size : undefined;
  }

  sizeOrUnknown(expr: Expr): Range {
    return this.size(expr) ?? unknownRange;
  }

  setSize(expr: Expr, size: Range | undefined): void {
    if (size) this.#sizes.set(expr.id, size);
  }

  entry(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === 'ident' ? this.local(expr.name)?.entry : undefined);
  }

  setEntry(expr: Expr, entry: EntrySize | undefined): void {
    if (entry) this.#entries.set(expr.id, entry);
  }

  /** Sets the entry sizes of a container that concatenates or selects between two others. */
  joinEntries(expr: Expr, [left, right]: readonly Expr[]): void {
    const a = this.entry(left!);
    const b = this.entry(right!);
    if (!a || !b) return;
    const { container } = a;
    this.setEntry(expr, {
      container,
      key: spanRanges(a.key, b.key),
      value: spanRanges(a.value, b.value),
    });
  }

  copy(from: Expr, to: Expr): void {
    this.setSize(to, this.size(from));
    this.setEntry(to, this.entry(from));
  }

  #enter(name: string, local: Local): void {
    const around = this.#locals.get(name);
    if (around) around.push(local);
    else this.#locals.set(name, [local]);
  }

  #enterPart(name: string, range: Expr, step: string, size: Range | undefined): void {
    this.#enter(name, { path: [...this.path(range), step], size, entry: undefined });
  }

  #containerOf(range: Expr): string {
    return this.entry(range)?.container ?? this.#typeOf(range).kind;
  }

  #typeOf(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) ?? types.dyn;
  }
}

function isPowerOfTwo(length: number): boolean {
  return (length & (length - 1)) === 0;
}

/** Returns the size of a literal. */
function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal':
      if (typeof expr.value === 'string') return exactly(codePointCount(expr.value));
      return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return exactly(expr.elements.length);
    case 'map':
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

const scalarKinds: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** Returns true if all values of the type have size 1. */
function isScalar(type: CelType): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.parameters[0]!);
  return scalarKinds.has(type.kind);
}
