import { splitHostPort } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { RE2JS, RE2JSException } from 're2js';
import type { FilterConfig } from './options.ts';

/** A request, as far as the filter reads it. */
export interface FilteredRequest {
  method: string;
  /** The decoded path, without the prefix of the API. */
  path: string;
  /** The Host header. */
  host: string;
}

/** Decides which requests are forwarded, by the patterns of kubectl proxy: RE2 syntax, matched in linear time. */
export class RequestFilter {
  readonly #acceptHosts: readonly RE2JS[];
  readonly #acceptPaths: readonly RE2JS[];
  readonly #rejectPaths: readonly RE2JS[];
  readonly #rejectMethods: readonly RE2JS[];

  /** Throws OPTION_VALUE_INVALID for a pattern that is not RE2. */
  constructor(config: FilterConfig) {
    this.#acceptHosts = compile(config.acceptHosts, 'accept-hosts');
    this.#acceptPaths = compile(config.acceptPaths, 'accept-paths');
    this.#rejectPaths = compile(config.rejectPaths, 'reject-paths');
    this.#rejectMethods = compile(config.rejectMethods, 'reject-methods');
  }

  /** Rejections win. */
  accepts({ method, path, host }: FilteredRequest): boolean {
    if (matches(this.#rejectPaths, path) || matches(this.#rejectMethods, method)) return false;
    return matches(this.#acceptPaths, path) && matches(this.#acceptHosts, withoutPort(host));
  }
}

const matches = (patterns: readonly RE2JS[], text: string): boolean =>
  patterns.some((pattern) => pattern.matcher(text).find());

/** Commas separate patterns, so that no pattern contains one. */
function compile(patterns: string, flag: string): RE2JS[] {
  if (patterns === '') return [];
  try {
    return patterns.split(',').map((pattern) => RE2JS.compile(pattern));
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    throw new OperatorError('OPTION_VALUE_INVALID', `--${flag}: ${cause.message}`, { cause });
  }
}

/** IPv6 addresses lose their brackets only with a port. */
const withoutPort = (header: string): string => splitHostPort(header)?.host ?? header;
