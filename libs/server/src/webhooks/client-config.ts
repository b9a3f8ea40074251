import { type FieldError, fieldErrors, type FieldPath, validateDns1123Subdomain } from '@annex/machinery';

const { invalid, required } = fieldErrors;
const form = '; desired format: https://host[/path]';

interface UrlParts {
  scheme: string;
  user: string | undefined;
  host: string;
  query: string;
  fragment: string;
}

/** The rules of a webhook's URL. Each error shows only the part that is wrong. */
export function validateWebhookUrl(value: string, path: FieldPath): FieldError[] {
  const parts = splitUrl(value);
  if (typeof parts === 'string') {
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(value)}: ${parts}${form}`)];
  }
  const { scheme, user, host, query, fragment } = parts;
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

// The generic syntax of RFC 3986 read as Go's net/url does; a string is the reason for refusal in its words.
function splitUrl(value: string): UrlParts | string {
  if (/[\x00-\x1f\x7f]/.test(value)) return 'net/url: invalid control character in URL';
  const [beforeFragment = '', fragment = ''] = cut(value, '#');
  const [beforeQuery = '', query = ''] = cut(beforeFragment, '?');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeQuery)?.[1];
  if (scheme === undefined && beforeQuery.startsWith(':')) return 'missing protocol scheme';
  const rest = beforeQuery.slice(scheme === undefined ? 0 : scheme.length + 1);
  if (scheme === undefined && (rest.split('/')[0] ?? '').includes(':')) {
    return 'first path segment in URL cannot contain colon';
  }
  const parts = { scheme: scheme?.toLowerCase() ?? '', user: undefined, host: '', query, fragment };
  if (!rest.startsWith('//')) return parts;
  const authority = rest.slice(2).split('/')[0] ?? '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return `invalid port ":${port}" after host`;
  if (/[ <>"]/.test(host))
    return `invalid character ${JSON.stringify(/[ <>"]/.exec(host)?.[0])} in host name`;
  return { ...parts, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

function cut(value: string, separator: string): [string, string] {
  const at = value.indexOf(separator);
  return at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at + 1)];
}

/** The Service that a webhook is called through. */
export interface WebhookService {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
}

/** The rules of a webhook's Service. */
export function validateWebhookService(service: WebhookService, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  // kube hands name and namespace over in the wrong order, so each is reported under the name of the other.
  if (!service.namespace) errors.push(required(path.child('name')));
  if (!service.name) errors.push(required(path.child('namespace')));
  const port = service.port ?? 443;
  if (port < 1 || port > 65535) {
    errors.push(
      invalid(path.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  }
  return [...errors, ...validateServicePath(service.path ?? '', path.child('path'))];
}

function validateServicePath(value: string, path: FieldPath): FieldError[] {
  if (value === '' || value === '/') return [];
  if (value === '//') return [invalid(path, value, 'segment[0] may not be empty')];
  const errors = value.startsWith('/') ? [] : [invalid(path, value, "must start with a '/'")];
  const segments = value.slice(1).replace(/\/$/, '').split('/');
  for (const [i, segment] of segments.entries()) {
    const complaints =
      segment === ''
        ? [`segment[${i}] may not be empty`]
        : validateDns1123Subdomain(segment).map((complaint) => `segment[${i}]: ${complaint}`);
    errors.push(...complaints.map((complaint) => invalid(path, value, complaint)));
  }
  return errors;
}
