import { tableOf, type JsonObject, type Passes } from '@annex/machinery';
import type { InternalCrd } from '../crd/internal-form.ts';
import { anySchemaOf } from './schema-parts.ts';

const textFormats = new Set([
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'datetime',
  'k8sshortname',
  'k8slongname',
]);

const numberFormats = tableOf<readonly string[]>({
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
});

function isRecognized(schema: JsonObject, format: string): boolean {
  const type = String(schema.type ?? '');
  if (type === '' || type === 'string') return textFormats.has(format.replaceAll('-', ''));
  return numberFormats.get(type)?.includes(format) ?? false;
}

function* unrecognizedFormats(crd: InternalCrd): Passes<string[]> {
  const formats: string[] = [];
  yield* anySchemaOf(crd.spec, (schema) => {
    const { format } = schema;
    if (typeof format === 'string' && format !== '' && !isRecognized(schema, format)) formats.push(format);
    return false;
  });
  return formats;
}

/** Returns warnings for new formats that the server does not check. */
export function* formatWarnings(crd: InternalCrd, old: InternalCrd | undefined): Passes<string[]> {
  const before = new Set(old && (yield* unrecognizedFormats(old)));
  return (yield* unrecognizedFormats(crd))
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
