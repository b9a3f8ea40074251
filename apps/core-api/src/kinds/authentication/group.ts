import type { ServerDeps } from '@annex/server';
import { selfSubjectReviews } from './selfsubjectreviews/kind.ts';
import { tokenReviews } from './tokenreviews/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import type { Credentials } from '../config.ts';

/** The kinds of `authentication.k8s.io`. */
export const authenticationGroup = (deps: ServerDeps, credentials: Credentials): readonly BuiltinKind[] => [
  selfSubjectReviews(deps),
  tokenReviews(credentials),
];
