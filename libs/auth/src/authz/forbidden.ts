import { forbidden, goQuote, StatusError, tableOf } from '@annex/machinery';
import type { Attributes } from '../types.ts';

/**
 * Formats kube-apiserver's message for a forbidden request: `User "bob" cannot list resource "pods" in API
 * group "" …`.
 */
export function forbiddenMessage(attributes: Attributes, reason = ''): string {
  const text = sanitized(message(attributes));
  return reason === '' ? text : `${text}: ${reason}`;
}

function message({ user, verb, resourceRequest, path, ...about }: Attributes): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!resourceRequest) return `${who} path ${goQuote(path)}`;
  const resource = about.subresource === '' ? about.resource : `${about.resource}/${about.subresource}`;
  const where =
    about.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(about.namespace)}`;
  return `${who} resource ${goQuote(resource)} in API group ${goQuote(about.apiGroup)} ${where}`;
}

/** The 403 response for a request that no authorizer allowed. */
export function forbiddenStatus(attributes: Attributes, reason = ''): StatusError {
  const { apiGroup, resource, name } = attributes;
  const about = attributes.resourceRequest ? { group: apiGroup, resource } : { group: '', resource: '' };
  const { status } = forbidden(
    about,
    attributes.resourceRequest ? name : '',
    forbiddenMessage(attributes, reason),
  );
  return new StatusError(status, noSniff);
}

/** Sent with 401 and 403 responses. */
export const noSniff = { 'X-Content-Type-Options': 'nosniff' };

const entities = tableOf({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });
/** Escapes names that come from the client, so that a browser does not treat them as markup. */
export const sanitized = (text: string): string => text.replace(/[&<>]/g, (c) => entities.get(c) as string);
