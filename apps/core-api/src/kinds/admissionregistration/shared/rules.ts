import { type FieldError, fieldErrors } from '@annex/machinery';
import { all, type Check, childOf, each, objectsOf, oneOf, required } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

/** Returns the list, or an empty list. */
export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Requires that a star, which matches everything, is the only item. */
const starAlone =
  (what: string): Check =>
  (value, at) => {
    const list = strings(value);
    const text = `if '*' is present, must not specify other ${what}`;
    return list.length > 1 && list.includes('*') ? [invalid(at, value, text)] : [];
  };

const notEmpty: Check = (value, at) => (value === '' ? [fieldErrors.required(at)] : []);

/** Resources of a rule with their subresources: `pods`, `pods/status`, `pods/*`, and stars. */
const resources: Check = (value, at) => {
  const list = strings(value);
  const starSubresources = new Set<string>();
  const starResources = new Set<string>();
  const errors: FieldError[] = [];
  list.forEach((resource, index) => {
    if (resource === '') errors.push(fieldErrors.required(at.index(index)));
    const slash = resource.indexOf('/');
    if (slash < 0) return;
    const [owner, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const refuse = (star: string) =>
      errors.push(
        invalid(at.index(index), resource, `if '${star}' is present, must not specify ${resource}`),
      );
    if (starSubresources.has(owner)) refuse(`${owner}/*`);
    if (starResources.has(sub)) refuse(`*/${sub}`);
    if (sub === '*') starSubresources.add(owner);
    if (owner === '*') starResources.add(sub);
  });
  if (list.length > 1 && list.includes('*/*')) {
    errors.push(invalid(at, value, "if '*/*' is present, must not specify other resources"));
  }
  // kube-apiserver checks only the last resource without a slash.
  const last = list.filter((resource) => resource !== '' && !resource.includes('/')).at(-1);
  if (list.includes('*') && last !== undefined && last !== '*') {
    errors.push(
      invalid(at, value, "if '*' is present, must not specify other resources without subresources"),
    );
  }
  return errors;
};

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Deleted objects cannot be mutated. The path of kube-apiserver has no index here. */
export const mutableOperations: Check = (value, at) =>
  objectsOf(childOf({ value }, 'value').resourceRules).flatMap(({ operations }) =>
    strings(operations)
      .filter((operation) => !mutable.includes(operation))
      .map((operation) =>
        fieldErrors.notSupported(at.child('resourceRules').child('operations'), operation, mutable),
      ),
  );

/** The checks of the fields of a RuleWithOperations. */
export const ruleFields: Record<string, Check> = {
  operations: required(all(starAlone('operations'), each(oneOf(...operations)))),
  apiGroups: required(starAlone('API groups')),
  apiVersions: required(all(starAlone('API versions'), each(notEmpty))),
  resources: required(resources),
  scope: oneOf('*', 'Cluster', 'Namespaced'),
};
