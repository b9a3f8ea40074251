import { booleanParameter, type ConnectOptions, type RequestContext } from '@annex/kinds';
import { badRequest, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { compileBuiltin, type SchemaNode } from '@annex/schema';

/** Reads a query parameter. */
type Reader = readonly [SchemaNode, (values: readonly string[]) => JsonValue | undefined];

const text: SchemaNode = { type: 'string' };
const flag: Reader = [{ type: 'boolean' }, ([value]) => (booleanParameter(value) ? true : undefined)];
const string: Reader = [text, ([value]) => value || undefined];
/** The only parameter that is shown if it is absent. */
const strings: Reader = [
  { type: 'array', items: text, nullable: true },
  (values) => (values.length > 0 ? [...values] : null),
];
const ports: Reader = [
  { type: 'array', items: { type: 'integer', format: 'int32' } },
  (values) => (values.length > 0 ? values.flatMap((value) => value.split(',').map(portOf)) : undefined),
];

function portOf(value: string): number {
  const why = /^\d+$/.test(value)
    ? BigInt(value) > 0xffffn
      ? 'value out of range'
      : undefined
    : 'invalid syntax';
  if (why === undefined) return Number(value);
  throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(value)}: ${why}`);
}

/** The parameters of each connection, in the order of the Go types of kube-apiserver. */
const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: string };

export const attachOptions = connectOptions(streams);
export const execOptions = connectOptions({ ...streams, command: strings });
export const portForwardOptions = connectOptions({ ports });

/** The rest of the path is a parameter that replaces that of the query. */
export const proxyOptions = connectOptions({ path: string }, ({ info, path, query }) => {
  const rest = info.parts.slice(3).join('/');
  const proxied = rest === '' || rest.startsWith('/') ? rest : `/${rest}`;
  const ends = path.endsWith('/') && !proxied.endsWith('/') ? '/' : '';
  return query.toMap().set('path', [proxied + ends]);
});

function connectOptions(
  fields: Readonly<Record<string, Reader>>,
  paramsIn = ({ query }: RequestContext): Map<string, readonly string[]> => query.toMap(),
): ConnectOptions {
  const properties = new Map([
    ['kind', text],
    ['apiVersion', text],
    ...Object.entries(fields).map(([name, [schema]]) => [name, schema] as const),
  ]);
  return {
    schema: compileBuiltin({ type: 'object', properties }),
    read(request) {
      const params = paramsIn(request);
      const options: JsonObject = {};
      for (const [name, [, read]] of Object.entries(fields)) {
        const value = read(params.get(name) ?? []);
        if (value !== undefined) setOwn(options, name, value);
      }
      return options;
    },
  };
}
