import { isObject, type JsonValue } from '@annex/machinery';
import { Fields, part, requireReviewType } from '../go-fields.ts';
import { noTypeText } from '../go-json-type.ts';

/** The status of a TokenReview response, with validated types. */
export interface ReviewStatus {
  authenticated?: boolean;
  user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  audiences?: string[];
  error?: string;
}

type Version = 'v1' | 'v1beta1';

/**
 * Reads the status of a TokenReview response of that version. Throws kube-apiserver's message if it is
 * anything else.
 */
export function reviewStatusOf(response: JsonValue, version: Version): ReviewStatus {
  if (response === null) return {};
  if (!isObject(response)) throw new Error(noTypeText(response));
  requireReviewType(response, 'TokenReview', `authentication.k8s.io/${version}`);
  const status = part(response.status, 'TokenReview.status', `${version}.TokenReviewStatus`);
  const user = part(status.user, 'TokenReviewStatus.status.user', `${version}.UserInfo`);
  const of = new Fields('TokenReviewStatus.status', status);
  const ofUser = new Fields('UserInfo.status.user', user);
  return withoutAbsent({
    authenticated: of.bool('authenticated'),
    audiences: of.texts('audiences'),
    error: of.text('error'),
    user: withoutAbsent({
      username: ofUser.text('username'),
      uid: ofUser.text('uid'),
      groups: ofUser.texts('groups'),
      extra: ofUser.lists('extra', `map[string]${version}.ExtraValue`),
    }),
  });
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutAbsent = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
