import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  type GoUrl,
  parseUrl,
  UrlError,
  validateDns1123Subdomain,
} from '@annex/machinery';

const { invalid, required } = fieldErrors;
const form = '; desired format: https://host[/path]';

/** Validates a webhook's URL. Each error contains only the invalid part. */
export function validateWebhookUrl(value: string, path: FieldPath): FieldError[] {
  const url = tryParse(value);
  if (typeof url === 'string') return [required(path, `url must be a valid URL: ${url}${form}`)];
  const { scheme, user, host, rawQuery } = url;
  const fragment = value.includes('#') ? value.slice(value.indexOf('#') + 1) : '';
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (rawQuery !== '') errors.push(invalid(path, rawQuery, 'query parameters are not permitted in the URL'));
  return errors;
}

/** Parses a URL; returns the error message if it is invalid. */
function tryParse(value: string): GoUrl | string {
  try {
    return parseUrl(value);
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

/** The Service of a webhook. */
export interface WebhookService {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
}

/** Validates a webhook's Service. */
export function validateWebhookService(service: WebhookService, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  // kube-apiserver swaps name and namespace in this call, so each is reported under the name of the other.
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
  // kube-apiserver drops the first byte, also of a path without a slash.
  const rest = value.charCodeAt(0) < 0x80 ? value.slice(1) : value;
  const segments = rest.replace(/\/$/, '').split('/');
  for (const [i, segment] of segments.entries()) {
    const problems =
      segment === ''
        ? [`segment[${i}] may not be empty`]
        : validateDns1123Subdomain(segment).map((error) => `segment[${i}]: ${error}`);
    errors.push(...problems.map((error) => invalid(path, value, error)));
  }
  return errors;
}
