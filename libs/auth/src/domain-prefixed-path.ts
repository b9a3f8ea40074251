import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  regexError,
  validateDns1123Subdomain,
} from '@annex/machinery';

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const wholePath = new RegExp(`^${pathPattern}$`);

/** Validates a name that must begin with a domain, such as `acme.io/foo`, with kube-apiserver's messages. */
export function domainPrefixedPathErrors(at: FieldPath, name: string): FieldError[] {
  if (name === '') return [fieldErrors.required(at)];
  const slash = name.indexOf('/');
  const host = name.slice(0, slash);
  const path = name.slice(slash + 1);
  if (slash <= 0 || path === '') {
    return [fieldErrors.invalid(at, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = validateDns1123Subdomain(host).map((error) => fieldErrors.invalid(at, host, error));
  if (!wholePath.test(path)) {
    errors.push(fieldErrors.invalid(at, path, regexError('Invalid path', pathPattern)));
  }
  return errors;
}
