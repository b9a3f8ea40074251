import { getOwn, type JsonObject, type JsonValue } from '@annex/machinery';
import { fieldElement, type PathElement, printElement } from './field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import {
  ElementError,
  formOf,
  goSyntax,
  goText,
  goTypeName,
  itemElement,
  TypedError,
  type TypedMistake,
} from './typed-value.ts';

/** Throws a TypedError with every mistake where a value does not fit its merge type. */
export function validateTyped(
  value: JsonValue,
  type: MergeType,
  options: { allowDuplicates: boolean },
): void {
  const walk = new Validation(options.allowDuplicates);
  walk.visit(value, type);
  if (walk.mistakes.length > 0) throw new TypedError(walk.mistakes);
}

class Validation {
  readonly mistakes: TypedMistake[] = [];
  private readonly path: PathElement[] = [];
  private readonly allowDuplicates: boolean;

  constructor(allowDuplicates: boolean) {
    this.allowDuplicates = allowDuplicates;
  }

  visit(value: JsonValue, type: MergeType): void {
    if (value === null) return;
    const form = formOf(type, value);
    if (form === 'scalar') {
      const message = scalarMistake(value, type.scalar as NonNullable<MergeType['scalar']>);
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

  private visitItems(items: readonly JsonValue[], list: MergeList): void {
    const seen = new Set<PathElement>();
    for (const [i, item] of items.entries()) {
      const element = list.atomic ? `i:${i}` : this.elementOf(list, item, i);
      if (element === undefined) return;
      if (seen.has(element) && !this.allowDuplicates)
        this.add(`duplicate entries for key ${printElement(element)}`);
      seen.add(element);
      this.path.push(element);
      this.visit(item, list.element);
      this.path.pop();
    }
  }

  private elementOf(list: MergeList, item: JsonValue, index: number): PathElement | undefined {
    try {
      return itemElement(list, item);
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      this.add(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  private visitFields(object: JsonObject, map: MergeMap): void {
    for (const name of Object.keys(object)) {
      const field = map.fields.get(name);
      const type = field?.type ?? map.element;
      this.path.push(field?.id ?? fieldElement(name));
      if (type === undefined) this.add('field not declared in schema');
      else this.visit(getOwn(object, name) as JsonValue, type);
      this.path.pop();
      // Upstream stops at the first undeclared field of a map, too.
      if (type === undefined) return;
    }
  }

  private add(message: string): void {
    this.mistakes.push({ path: this.path.map(printElement).join(''), message });
  }
}

export function scalarMistake(
  value: JsonValue,
  scalar: NonNullable<MergeType['scalar']>,
): string | undefined {
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
