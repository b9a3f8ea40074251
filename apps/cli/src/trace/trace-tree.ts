import { getOwn } from '@annex/machinery';
import { type TreeNode, treeText } from '../tree.ts';
import type { AttributesView, AuthorizationView, TraceView } from '@annex/server';

/** Formats the decisions about one request as a readable tree. */
export const traceTree = (trace: TraceView): string => treeText(requestNode(trace));

function requestNode(trace: TraceView): TreeNode {
  const { auditID, durationMs, request, response } = trace;
  const ended = response === undefined ? 'running' : `${response.code} after ${durationMs} ms`;
  return {
    text: `${request.method} ${request.url}: ${ended}`,
    children: [
      { text: `received ${trace.receivedAt}, audit id ${auditID}` },
      { text: `from ${request.sourceIP ?? 'an unknown address'} over ${request.protocol}${agent(request)}` },
      authenticationNode(trace),
      ...impersonationNodes(trace),
      ...authorizationNodes(trace),
      ...admissionNodes(trace),
      ...forwardNodes(trace),
      ...reviewNodes(trace),
      ...(trace.remarks ?? []).map((text) => ({ text })),
      ...(trace.elsewhere ?? []).map((other) => ({
        text: 'the same request in another process',
        children: [requestNode(other)],
      })),
      stepsNode(trace),
      { text: responseText(trace) },
    ],
  };
}

function responseText({ response }: TraceView): string {
  if (response === undefined) return 'no response yet';
  const { code, message, reason } = response;
  return `responded ${code}${reason ? ` ${reason}` : ''}${message ? `: ${message}` : ''}`;
}

const agent = ({ userAgent }: TraceView['request']): string => (userAgent ? ` by ${userAgent}` : '');

function authenticationNode({ authentication: { attempts, presented, user } }: TraceView): TreeNode {
  const { authorization, certificate } = presented;
  return {
    text: user === undefined ? 'authentication: nobody' : `authentication: ${userText(user)}`,
    children: [
      certificate === undefined
        ? { text: 'no client certificate' }
        : {
            text: `client certificate ${certificate.subject}`,
            children: [
              { text: `issued by ${certificate.issuer}` },
              { text: `valid from ${certificate.notBefore} to ${certificate.notAfter}` },
            ],
          },
      ...(authorization ? [{ text: `Authorization: ${authorization} (not kept)` }] : []),
      ...attempts.map(({ authenticator, outcome, why }) => ({
        text: `${authenticator} ${outcome}${why ? `: ${why}` : ''}`,
      })),
    ],
  };
}

const userText = (user: { name: string; groups: readonly string[] }): string =>
  `${user.name}${user.groups.length > 0 ? `, in ${user.groups.join(', ')}` : ''}`;

const impersonationNodes = ({ impersonation }: TraceView): TreeNode[] =>
  impersonation
    ? [
        {
          text: impersonation.user ? `impersonated: ${userText(impersonation.user)}` : 'impersonation denied',
          children: impersonation.rights.map((right) => ({
            text: `${decisionText(right.decision)}: ${requestedText(right.requested)}`,
            children: reasonNodes(right),
          })),
        },
      ]
    : [];

/** `verb=list resource=pods namespace=default`. */
const requestedText = (requested: AttributesView): string =>
  Object.entries(requested)
    .map(([field, value]) => `${field}=${value}`)
    .join(' ');

const authorizationNodes = ({ authorization }: TraceView): TreeNode[] =>
  authorization
    ? [
        {
          text: `authorization: ${decisionText(authorization.decision)}`,
          children: [{ text: requestedText(authorization.requested) }, ...reasonNodes(authorization)],
        },
      ]
    : [];

/** Returns the rules that allow the request, or else those that match best. */
const reasonNodes = ({ explanations = [], reason }: AuthorizationView): TreeNode[] => [
  ...(reason ? [{ text: reason }] : []),
  ...explanations.map(({ authorizer, decision, rules = [] }) => ({
    text: `${authorizer}: ${decisionText(decision)}`,
    children: rules.map(({ binding, lacks, rule }) => ({
      text: `${lacks.length === 0 ? 'allows' : `does not match in ${lacks.join(', ')}`}: ${binding}`,
      children: [{ text: ruleText(rule) }],
    })),
  })),
];

const decisionText = (decision: string): string =>
  getOwn({ allow: 'allowed', deny: 'denied', noOpinion: 'not allowed by any authorizer' }, decision) ??
  decision;

const ruleText = (rule: object): string =>
  Object.entries(rule)
    .flatMap(([field, values]) => (Array.isArray(values) ? [`${field}=${JSON.stringify(values)}`] : []))
    .join(' ');

function admissionNodes({ admission }: TraceView): TreeNode[] {
  if (admission === undefined) return [];
  return [
    {
      text: 'admission',
      children: admission.map(({ ms, name, outcome, plugin }) => ({
        text:
          [plugin, name, ms === undefined ? undefined : `${ms} ms`].filter((part) => part).join(' ') +
          `: ${outcome}`,
      })),
    },
  ];
}

function forwardNodes({ forward, reviews = [] }: TraceView): TreeNode[] {
  if (forward === undefined) return [];
  const { apiService, available, code, error, ms, serverCertificate } = forward;
  return [
    {
      text: `forwarded by APIService ${apiService}`,
      children: [
        ...(available ? [{ text: `Available: ${available}` }] : []),
        ...sentNodes(forward),
        ...(serverCertificate ? [{ text: `it presented ${certificateText(serverCertificate)}` }] : []),
        ...(error ? [{ text: `failed: ${error}` }] : []),
        ...(code === undefined ? [] : [{ text: `responded ${code} after ${ms} ms` }]),
        ...reviews.flatMap(requestedBack),
      ],
    },
  ];
}

/** Returns the endpoint and the sent request, once they are known. */
function sentNodes(forward: NonNullable<TraceView['forward']>): TreeNode[] {
  const { clientCertificate, endpoint, headers = {}, hop, serverName, verifiedBy } = forward;
  if (endpoint === undefined) return [];
  return [
    { text: `to ${endpoint} as ${serverName}, verified by ${verifiedBy}` },
    ...(hop ? [{ text: `through the egress proxy: ${hop}` }] : []),
    { text: `presenting ${clientCertificate ? certificateText(clientCertificate) : 'no certificate'}` },
    {
      text: 'headers',
      children: Object.entries(headers).map(([name, value]) => ({ text: `${name}: ${value}` })),
    },
  ];
}

const certificateText = ({ notAfter, subject }: { notAfter: string; subject: string }): string =>
  `the certificate ${subject}, valid to ${notAfter}`;

const requestedBack = ({ auditID, authentication, review }: TraceView): TreeNode[] =>
  review
    ? [
        {
          text: `it requested: ${requestedText(review.requested)}`,
          children: [
            responseNode(review),
            { text: `as ${authentication.user?.name ?? 'an unknown user'}, audit id ${auditID}` },
          ],
        },
      ]
    : [];

const reviewNodes = ({ review }: TraceView): TreeNode[] =>
  review ? [{ text: `checks: ${requestedText(review.requested)}`, children: [responseNode(review)] }] : [];

const responseNode = ({ decision: { decision, reason } }: NonNullable<TraceView['review']>): TreeNode => ({
  text: `answer: ${decisionText(decision)} ${reason}`.trim(),
});

const stepsNode = ({ steps }: TraceView): TreeNode => ({
  text: 'steps',
  children: steps.map(({ ms, step }) => ({ text: `${step}: ${ms} ms` })),
});
