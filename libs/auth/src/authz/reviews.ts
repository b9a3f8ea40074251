import { badRequest, formatTime, internalError, isObject, type KubeObject } from '@annex/machinery';
import { type Authenticated, type Authenticator, CredentialsError, type UserInfo } from '../types.ts';

/** Converts a user to `UserInfo` of `authentication.k8s.io`. */
export function userInfoJson({ name, uid, groups, extra }: UserInfo): Record<string, unknown> {
  return {
    ...(name ? { username: name } : {}),
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(Object.keys(extra).length > 0 ? { extra: { ...extra } } : {}),
  };
}

/** Handles a TokenReview: authenticates its token (see `reviewAuthenticator`). Throws 400 if it has none. */
export async function reviewToken(review: KubeObject, authenticator: Authenticator): Promise<KubeObject> {
  const spec = isObject(review.spec) ? review.spec : {};
  const { token } = spec;
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const { audiences: sent, ...sentSpec } = spec;
  const audiences = Array.isArray(sent) ? (sent as string[]) : [];
  const found = await reviewStatus(token, audiences, authenticator);
  // The client's own status members stay, except those that the review sets, as in kube-apiserver.
  const { authenticated: _sent, ...sentStatus } = isObject(review.status) ? review.status : {};
  const status = found.authenticated ? found : { ...found, ...sentStatus, ...errorOf(found) };
  const { namespace: _, ...metadata } = review.metadata ?? {};
  return {
    ...review,
    metadata,
    spec: audiences.length > 0 ? { ...sentSpec, audiences } : sentSpec,
    status,
  };
}

const errorOf = ({ error }: Record<string, unknown>) => (error === undefined ? {} : { error });

async function reviewStatus(
  token: string,
  audiences: readonly string[],
  authenticator: Authenticator,
): Promise<Record<string, unknown>> {
  let result: Authenticated | undefined;
  try {
    result = await authenticator.authenticate({
      headers: { authorization: `Bearer ${token}` },
      rawHeaders: [],
      peerCertificate: undefined,
      ...(audiences.length > 0 ? { audiences } : {}),
    });
  } catch (error) {
    if (error instanceof CredentialsError) return { user: {}, error: error.message };
    throw error;
  }
  if (result === undefined) return { user: {} };
  const meant = result.audiences ?? [];
  if (audiences.length > 0 && !meant.some((audience) => audiences.includes(audience))) {
    throw internalError('error validating audiences');
  }
  return {
    authenticated: true,
    user: userInfoJson(result.user),
    ...(meant.length > 0 ? { audiences: [...meant] } : {}),
  };
}

/** Handles a SelfSubjectReview; `now` is in milliseconds. */
export function reviewSelfSubject(user: UserInfo, now: number = Date.now()): KubeObject {
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: formatTime(now) },
    status: { userInfo: userInfoJson(user) },
  };
}
