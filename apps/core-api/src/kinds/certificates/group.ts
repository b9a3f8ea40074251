import type { ServerDeps } from '@annex/server';
import { certificateSigningRequests } from './certificatesigningrequests/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `certificates.k8s.io`. */
export const certificatesGroup = (deps: ServerDeps): readonly BuiltinKind[] => [
  certificateSigningRequests(deps),
];
