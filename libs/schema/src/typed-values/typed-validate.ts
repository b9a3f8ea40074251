import {
  countParts,
  isObject,
  type JsonObject,
  type JsonValue,
  maxFieldErrors,
  namesInPasses,
  type Passes,
  visitedAtOnce,
} from '@annex/machinery';
import { fieldElement, type PathElement, printElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import {
  formOf,
  goSyntax,
  goText,
  goTypeName,
  itemElement,
  itemError,
  TypedError,
  type TypedValidationError,
} from './typed-value.ts';

/** Validates a value against its merge type. Throws a TypedError with the errors: at most one more than a response has. */
export function validateTyped(
  value: JsonValue,
  type: MergeType,
  options: { allowDuplicates: boolean },
): void {
  const walk = new Validation(options.allowDuplicates);
  walk.visit(value, type);
  if (walk.errors.length > 0) throw new TypedError(walk.errors);
}

/** The same for a large value, in passes. */
export function* validateTypedInPasses(
  value: JsonValue,
  type: MergeType,
  options: { allowDuplicates: boolean },
): Passes<void> {
  const walk = new Validation(options.allowDuplicates);
  yield* walk.visitLarge(value, type);
  if (walk.errors.length > 0) throw new TypedError(walk.errors);
}

class Validation {
  readonly errors: TypedValidationError[] = [];
  // Names of fields, and list items. They are formatted only for errors.
  private readonly path: (string | (() => PathElement))[] = [];
  private readonly allowDuplicates: boolean;
  /** How many parts this pass still visits. */
  private left = visitedAtOnce;

  constructor(allowDuplicates: boolean) {
    this.allowDuplicates = allowDuplicates;
  }

  visit(value: JsonValue, type: MergeType): void {
    if (value === null) return;
    const form = formOf(type, value);
    if (form === 'scalar') {
      const message = scalarError(value, type.scalar as NonNullable<MergeType['scalar']>);
      if (message !== undefined) this.add(message);
    } else if (form === 'list') {
      if (Array.isArray(value)) this.visitItems(value, type.list as MergeList);
      else this.add(`expected list, got &{${goText(value)}}`);
    } else if (typeof value === 'object' && !Array.isArray(value)) {
      this.visitFields(value, type.map as MergeMap);
    } else {
      this.add(`expected map, got &{${goText(value)}}`);
    }
  }

  /** Visits a value in passes: containers with few parts at once. */
  *visitLarge(value: JsonValue, type: MergeType): Passes<void> {
    const parts = countParts(value, visitedAtOnce);
    if ((this.left -= parts) <= 0) yield* this.nextPass();
    const form = parts > visitedAtOnce ? formOf(type, value) : undefined;
    if (form === 'list' && Array.isArray(value)) yield* this.visitManyItems(value, type.list as MergeList);
    else if (form === 'map' && isObject(value)) yield* this.visitManyFields(value, type.map as MergeMap);
    else this.visit(value, type);
  }

  private *nextPass(): Passes<void> {
    yield;
    this.left = visitedAtOnce;
  }

  private visitItems(items: readonly JsonValue[], list: MergeList): void {
    const seen = this.seenItems(list);
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as JsonValue;
      if (!this.acceptsItem(item, i, list, seen)) return;
      if (isPlain(item, list.element)) continue;
      this.path.push(list.atomic ? () => `i:${i}` : () => itemElement(list, item));
      this.visit(item, list.element);
      this.path.pop();
    }
  }

  private *visitManyItems(items: readonly JsonValue[], list: MergeList): Passes<void> {
    const seen = this.seenItems(list);
    for (let i = 0; i < items.length; i++) {
      if (--this.left <= 0) yield* this.nextPass();
      const item = items[i] as JsonValue;
      if (!this.acceptsItem(item, i, list, seen)) return;
      if (isPlain(item, list.element)) continue;
      this.path.push(list.atomic ? () => `i:${i}` : () => itemElement(list, item));
      yield* this.visitLarge(item, list.element);
      this.path.pop();
    }
  }

  private seenItems(list: MergeList): Set<PathElement> | undefined {
    return this.allowDuplicates || list.atomic ? undefined : new Set<PathElement>();
  }

  /** Checks an item itself. Returns false if no further item is checked. */
  private acceptsItem(
    item: JsonValue,
    index: number,
    list: MergeList,
    seen: Set<PathElement> | undefined,
  ): boolean {
    const error = list.atomic ? undefined : itemError(list, item);
    if (error !== undefined) this.add(`element ${index}: ${error}`);
    else if (seen !== undefined) this.checkDuplicate(seen, itemElement(list, item));
    return error === undefined;
  }

  private checkDuplicate(seen: Set<PathElement>, element: PathElement): void {
    if (seen.has(element)) this.add(`duplicate entries for key ${printElement(element)}`);
    seen.add(element);
  }

  private visitFields(object: JsonObject, map: MergeMap): void {
    for (const name of Object.keys(object)) {
      const type = map.fields.get(name)?.type ?? map.element;
      const value = object[name] as JsonValue;
      if (type !== undefined && isPlain(value, type)) continue;
      this.path.push(name);
      if (type === undefined) this.add('field not declared in schema');
      else this.visit(value, type);
      this.path.pop();
      // structured-merge-diff also stops at the first undeclared field of a map.
      if (type === undefined) return;
    }
  }

  private *visitManyFields(object: JsonObject, map: MergeMap): Passes<void> {
    for (const name of yield* namesInPasses(object)) {
      if (--this.left <= 0) yield* this.nextPass();
      const type = map.fields.get(name)?.type ?? map.element;
      // permitted: no-inherited-keys, these are its own names
      const value = object[name] as JsonValue;
      if (type !== undefined && isPlain(value, type)) continue;
      this.path.push(name);
      if (type === undefined) this.add('field not declared in schema');
      else yield* this.visitLarge(value, type);
      this.path.pop();
      if (type === undefined) return;
    }
  }

  private add(message: string): void {
    const path = this.path.map((part) =>
      printElement(typeof part === 'string' ? fieldElement(part) : part()),
    );
    this.errors.push({ path: path.join(''), message });
    if (this.errors.length > maxFieldErrors) throw new TypedError(this.errors);
  }
}

/** Returns true for values that are valid without further checks: most values. */
const isPlain = (value: JsonValue, { scalar }: MergeType): boolean =>
  typeof value === 'string' ? scalar === 'string' || scalar === 'untyped' : value === null;

function scalarError(value: JsonValue, scalar: NonNullable<MergeType['scalar']>): string | undefined {
  const actual = typeof value;
  const isNumber = actual === 'number' || actual === 'bigint';
  switch (scalar) {
    case 'numeric':
      return isNumber ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      return actual === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return actual === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
    default:
      return actual !== 'object' ? undefined : `expected any scalar, got &{${goText(value)}}`;
  }
}
