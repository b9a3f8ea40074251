import {
  compileJsonPath,
  escapedJson,
  humanDuration,
  type JsonPath,
  JsonPathBudget,
  type JsonValue,
  type KubeObject,
  parseTime,
  printFloat,
  tableOf,
} from '@annex/machinery';
import { sortedJson } from '@annex/schema';
import type { TableColumn } from '@annex/kinds';
import type { CrdVersion, PrinterColumn } from '../crd/crd.ts';

const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};

const creationTimeDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: creationTimeDescription,
  jsonPath: '.metadata.creationTimestamp',
};
/** Returns the columns of a version: the name, then its printer columns, or the age if it has none. */
export function columnsOf(version: CrdVersion): TableColumn[] {
  const { additionalPrinterColumns: declared = [] } = version;
  const columns = declared.length > 0 ? declared : [ageColumn];
  // All cells of a row share a budget, because many columns may search a large object.
  let budget = new JsonPathBudget();
  const first: TableColumn = {
    ...nameColumn,
    cell(object, now) {
      budget = new JsonPathBudget();
      return nameColumn.cell(object, now);
    },
  };
  const compiled: TableColumn[] = [first];
  for (const column of columns) {
    const path = tryCompile(column.jsonPath);
    // kube shows the columns before a path that cannot be parsed.
    if (path === undefined) break;
    compiled.push(compileColumn(column, (object) => firstMatch(path, object, budget)));
  }
  return compiled;
}

/** Returns a compiled path; `undefined` if it cannot be parsed. */
export function tryCompile(path: string): JsonPath | undefined {
  try {
    return compileJsonPath(path);
  } catch {
    return undefined;
  }
}

function compileColumn(column: PrinterColumn, find: (object: KubeObject) => unknown): TableColumn {
  const { name, type, jsonPath } = column;
  const print = cells.get(type) ?? (() => null);
  return {
    name,
    type,
    format: column.format ?? '',
    description: column.description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: column.priority ?? 0,
    cell: (object, now) => {
      const value = find(object);
      return value === undefined ? null : print(value, now);
    },
  };
}

/** Returns the first match; `undefined` if the path does not match the object. */
export function firstMatch(path: JsonPath, object: KubeObject, budget?: JsonPathBudget): unknown {
  try {
    return path.find(object, budget)[0];
  } catch {
    return undefined;
  }
}

type Print = (value: unknown, now: number) => unknown;

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** Cells by the type of the column: a value of another type has no cell, but every value can be a string. */
const cells = tableOf<Print>({
  string: printText,
  integer: (value) => (isNumber(value) ? goInt64(value) : null),
  number: (value) => (isNumber(value) ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? printDate(value, now) : null),
});

// The result of Go's float conversion on amd64 if the value overflows.
const overflown = -(2n ** 63n);

function goInt64(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value;
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : overflown;
}

function printDate(value: string, now: number): string {
  if (value === '' || value === 'null') return '<unknown>';
  const time = parseTime(value);
  return time === undefined ? '<invalid>' : humanDuration(now - time);
}

/** Prints a value as Go's templates do; objects and lists as JSON. */
export function printText(value: unknown): string {
  if (value === null) return '<no value>';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : printFloat(value);
  return typeof value === 'object' ? goJson(value) : String(value);
}

// Go's encoder sorts map keys.
const goJson = (value: unknown): string => escapedJson(sortedJson(value as JsonValue));
