import { type GoUrl, isRequestUrl, parseQuery, parseRequestUrl, parseUrl, UrlError } from '@annex/machinery';
import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { declare, member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, listType, mapType, structType, types } from '../typing/type.ts';
import { EntryMap } from '../values/map.ts';
import { Instance, type Value } from '../values/value.ts';
import { convertedArgument, costing, nominal } from './call-costs.ts';

const { bool, string } = types;
const urlType = structType('kubernetes.URL');

/** An absolute URL or absolute path. */
class UrlValue extends Instance {
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  override get type(): CelType {
    return urlType;
  }

  equals(other: Value): boolean {
    if (!(other instanceof UrlValue)) return fail('no such overload');
    return other.url.text === this.url.text;
  }
}

const parts: readonly (readonly [name: string, id: string, part: (url: GoUrl) => string])[] = [
  ['getScheme', 'url_get_scheme', ({ scheme }) => scheme],
  ['getHost', 'url_get_host', ({ host }) => host],
  ['getHostname', 'url_get_hostname', ({ host }) => splitHost(host).name],
  ['getPort', 'url_get_port', ({ host }) => splitHost(host).port],
  ['getEscapedPath', 'url_get_escaped_path', ({ escapedPath }) => escapedPath],
];

const accessor = (
  name: string,
  id: string,
  result: CelType,
  call: (value: UrlValue) => Value,
): FunctionDeclaration => costing(nominal, name, member(id, [urlType], result, call));

const functions: readonly FunctionDeclaration[] = [
  costing(convertedArgument, 'url', overload('string_to_url', [string], urlType, toUrl)),
  declare('isURL', overload('is_url_string', [string], bool, isRequestUrl)),
  ...parts.map(([name, id, part]) => accessor(name, id, string, ({ url }) => part(url))),
  accessor(
    'getQuery',
    'url_get_query',
    mapType(string, listType(string)),
    ({ url }) => new EntryMap(parseQuery(url.rawQuery).toMap()),
  ),
];

/** The functions of URLs. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library */
export const urlsLibrary: Library = { name: 'kubernetes.urls', functions };

function toUrl(text: string): UrlValue {
  try {
    parseRequestUrl(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (error instanceof UrlError)
      return fail(`URL parse error during conversion from string: ${error.message}`);
    throw error;
  }
}

/** Splits a host into its name, without brackets, and its port. */
function splitHost(host: string): { name: string; port: string } {
  const [, name = host, port = ''] = /^(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  return { name: name.replace(/^\[(.*)\]$/s, '$1'), port };
}
