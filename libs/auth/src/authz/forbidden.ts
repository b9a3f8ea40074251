import { forbidden, goQuote, StatusError, tableOf } from '@annex/machinery';
import type { Attributes } from '../types.ts';

/** What the user may not do, in kube's words: `User "bob" cannot list resource "pods" in API group "" …`. */
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

/** The 403 that answers a request which an authorizer did not allow. */
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

/** Sent with what the authentication and authorization of a request refuse. */
export const noSniff = { 'X-Content-Type-Options': 'nosniff' };

const entities = tableOf({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });
/** Names come from the client; a browser must not take them for markup. */
export const sanitized = (text: string): string => text.replace(/[&<>]/g, (c) => entities.get(c) as string);
