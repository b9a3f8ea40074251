import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goJsonType, noTypeText } from '../go-json-type.ts';

/** The status of a TokenReview that a webhook answered, with the types that it must have. */
export interface ReviewStatus {
  authenticated?: boolean;
  user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  audiences?: string[];
  error?: string;
}

type Version = 'v1' | 'v1beta1';

/** Reads the status of an answered TokenReview of that version. Throws where it is anything else, in kube's words. */
export function reviewStatusOf(answer: JsonValue, version: Version): ReviewStatus {
  if (!isObject(answer)) throw new Error(noTypeText(answer));
  requireType(answer, version);
  const status = part(answer.status, 'TokenReview.status', `${version}.TokenReviewStatus`);
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

/** A type that is not said is taken for the right one. */
function requireType({ apiVersion, kind }: JsonObject, version: Version): void {
  const wanted = `authentication.k8s.io/${version}`;
  if ((!kind || kind === 'TokenReview') && (!apiVersion || apiVersion === wanted)) return;
  const sent = typeof apiVersion === 'string' ? apiVersion : wanted;
  const found = `${sent.slice(sent.indexOf('/') + 1)}.${typeof kind === 'string' ? kind : 'TokenReview'}`;
  throw new Error(`converting (${found}) to (${version}.TokenReview): unknown conversion`);
}

function part(value: JsonValue | undefined, at: string, type: string): JsonObject {
  if (value == null) return {};
  return isObject(value) ? value : mistyped(value, at, type);
}

/** Fields of a Go struct; what is null is not there. */
class Fields {
  readonly #at: string;
  readonly #object: JsonObject;

  constructor(at: string, object: JsonObject) {
    this.#at = at;
    this.#object = object;
  }

  bool(name: string): boolean | undefined {
    const value = this.#get(name);
    return value === undefined || typeof value === 'boolean'
      ? value
      : mistyped(value, this.#path(name), 'bool');
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : textOf(value, this.#path(name));
  }

  texts(name: string): string[] | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : textsOf(value, this.#path(name), '[]string');
  }

  lists(name: string, type: string): Record<string, string[]> | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const at = this.#path(name);
    if (!isObject(value)) return mistyped(value, at, type);
    const entries = Object.entries(value).map(([key, list]) => [
      key,
      list === null ? [] : textsOf(list, at, type.slice('map[string]'.length)),
    ]);
    return Object.fromEntries(entries) as Record<string, string[]>;
  }

  #get(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  #path(name: string): string {
    return `${this.#at}.${name}`;
  }
}

const textOf = (value: JsonValue, at: string): string =>
  typeof value === 'string' ? value : mistyped(value, at, 'string');

const textsOf = (value: JsonValue, at: string, type: string): string[] =>
  Array.isArray(value) ? value.map((one) => textOf(one ?? '', at)) : mistyped(value, at, type);

function mistyped(value: JsonValue, at: string, type: string): never {
  throw new Error(`json: cannot unmarshal ${goJsonType(value)} into Go struct field ${at} of type ${type}`);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutAbsent = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
