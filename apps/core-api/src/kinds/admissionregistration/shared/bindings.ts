import { fieldErrors, isObject, nameIsDnsSubdomain, validatePathSegmentName } from '@annex/machinery';
import { type Check, isMissing, oneOf, required, selector, text } from '../../shared/checks.ts';
import { validateMatchResources } from './policies.ts';

const dnsSubdomain: Check = text((name) => nameIsDnsSubdomain(name, false));

const paramRef: Check = (value, at) => {
  if (!isObject(value)) return [];
  const both = !isMissing(value.name) && value.selector !== undefined;
  const exclusive = (field: string) =>
    fieldErrors.forbidden(at.child(field), 'name and selector are mutually exclusive');
  return [
    ...text(validatePathSegmentName)(value.name, at.child('name')),
    ...(both ? [exclusive('name')] : []),
    ...selector(value.selector, at.child('selector')),
    ...(both ? [exclusive('selector')] : []),
    ...(isMissing(value.name) && value.selector === undefined
      ? [fieldErrors.required(at, 'one of name or selector must be specified')]
      : []),
    ...required(oneOf('Deny', 'Allow'))(value.parameterNotFoundAction, at.child('parameterNotFoundAction')),
  ];
};

/** The checks of the fields that both kinds of bindings have. */
export const bindingFields = {
  policyName: required(dnsSubdomain),
  paramRef,
  matchResources: validateMatchResources,
} satisfies Record<string, Check>;
