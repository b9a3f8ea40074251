import { goQuote, type JsonObject, stringifyJson, trimRight } from '@annex/machinery';

/** Writes events. `write` returns false for a lost event, and a promise if it is asynchronous. */
export interface AuditSink {
  write(event: AuditEvent): boolean | Promise<boolean>;
  /** Resolves when all events are written. */
  close(): Promise<void>;
}

/** The request and response objects, as JSON. */
export interface AuditedObjects {
  requestObject: string | undefined;
  responseObject: string | undefined;
}

interface EventUser {
  username?: string;
  groups?: string[];
}

/** One `audit.k8s.io/v1` Event. */
export class AuditEvent {
  readonly #begin: JsonObject;
  readonly #end: JsonObject;
  readonly #objects: AuditedObjects;
  #json: string | undefined;

  /** `begin` and `end` are the members before and behind the objects. */
  constructor(begin: JsonObject, end: JsonObject, objects: AuditedObjects) {
    this.#begin = begin;
    this.#end = end;
    this.#objects = objects;
  }

  /** Returns one line of JSON, with the members in the order of kube-apiserver's type. */
  json(): string {
    return (this.#json ??= this.#encode(this.#begin));
  }

  /** Returns JSON without kind and apiVersion, for a list. */
  itemJson(): string {
    const { kind: _kind, apiVersion: _apiVersion, ...begin } = this.#begin;
    return this.#encode(begin);
  }

  #encode(event: JsonObject): string {
    const objects = Object.entries(this.#objects).flatMap(([name, json]) =>
      json === undefined ? [] : [`"${name}":${json}`],
    );
    const [begin, end] = [stringifyJson(event).slice(0, -1), stringifyJson(this.#end).slice(1)];
    return [begin, ...objects, end].join(',');
  }

  /** Returns the event without request and response objects. */
  truncated(): AuditEvent {
    const annotations = { ...(this.#end.annotations as JsonObject), 'audit.k8s.io/truncated': 'true' };
    const end = { ...this.#end, annotations };
    return new AuditEvent(this.#begin, end, { requestObject: undefined, responseObject: undefined });
  }

  /** Returns kube-apiserver's legacy text format. */
  legacyLine(): string {
    const event = this.#begin;
    const user = event.user as EventUser;
    const other = event.impersonatedUser as EventUser | undefined;
    const ref = event.objectRef as { namespace?: string } | undefined;
    const status = event.responseStatus as { code?: number } | undefined;
    const groups = (list: readonly string[] | undefined) => list?.map(goQuote).join(',');
    const words: [string, string][] = [
      ['id', event.auditID as string],
      ['stage', event.stage as string],
      ['ip', (event.sourceIPs as string[] | undefined)?.[0] ?? '<unknown>'],
      ['method', event.verb as string],
      ['user', user.username ?? '<none>'],
      ['groups', (user.username && groups(user.groups)) || '<none>'],
      ['as', other === undefined ? '<self>' : (other.username ?? '')],
      ['asgroups', groups(other?.groups) ?? '<lookup>'],
      ['user-agent', (event.userAgent as string | undefined) ?? ''],
      ['namespace', ref?.namespace ?? '<none>'],
      ['uri', event.requestURI as string],
    ];
    const text = words.map(([name, value]) => `${name}=${goQuote(value)}`).join(' ');
    const response = status === undefined ? '<deferred>' : String(status.code ?? 0);
    return `${shortTime(this.#end.requestReceivedTimestamp as string)} AUDIT: ${text} response="${response}"`;
  }
}

/** RFC3339Nano omits trailing zeros. */
const shortTime = (time: string): string => `${trimRight(time.slice(0, -1), '0').replace(/\.$/, '')}Z`;
