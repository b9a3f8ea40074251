import type { DeviceConstraint } from '../../objects/devices.ts';
import type { NodeDevice } from './device-pools.ts';
import { attributeOf } from './device-selector.ts';

/** The request that a device is for. */
export interface RequestName {
  readonly request: string;
  /** The name of the alternative, `request/alternative`; for a request without alternatives the request. */
  readonly name: string;
}

/** A condition about all devices of some requests of a claim. */
export interface Constraint {
  /** Returns whether a device can be added; then it counts. */
  add(request: RequestName, device: NodeDevice): boolean;
  /** Takes a device back that was added. */
  remove(request: RequestName): void;
}

/** Returns what checks a constraint while devices are chosen. Throws an Error for a kind that is not known. */
export function constraintOf(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  at: string,
): Constraint {
  const isMeant = ({ request, name }: RequestName) =>
    requests.length === 0 || requests.includes(request) || requests.includes(name);
  if (matchAttribute !== undefined) return new MatchConstraint(matchAttribute, isMeant);
  if (distinctAttribute !== undefined) return new DistinctConstraint(distinctAttribute, isMeant);
  throw new Error(`${at}: empty constraint (unsupported constraint type?)`);
}

type IsMeant = (request: RequestName) => boolean;

/** All devices have the same value. */
class MatchConstraint implements Constraint {
  readonly #attribute: string;
  readonly #isMeant: IsMeant;
  #value: string | undefined;
  #devices = 0;

  constructor(attribute: string, isMeant: IsMeant) {
    this.#attribute = attribute;
    this.#isMeant = isMeant;
  }

  add(request: RequestName, { driver, device }: NodeDevice): boolean {
    if (!this.#isMeant(request)) return true;
    const value = attributeOf(this.#attribute, driver, device);
    if (value === undefined) return false;
    if (this.#devices > 0 && value !== this.#value) return false;
    this.#value = value;
    this.#devices++;
    return true;
  }

  remove(request: RequestName): void {
    if (this.#isMeant(request)) this.#devices--;
  }
}

/** Devices have different values. As in kube-scheduler, a device is compared with the last one of every request. */
class DistinctConstraint implements Constraint {
  readonly #attribute: string;
  readonly #isMeant: IsMeant;
  readonly #values = new Map<string, string>();

  constructor(attribute: string, isMeant: IsMeant) {
    this.#attribute = attribute;
    this.#isMeant = isMeant;
  }

  add(request: RequestName, { driver, device }: NodeDevice): boolean {
    if (!this.#isMeant(request)) return true;
    const value = attributeOf(this.#attribute, driver, device);
    if (value === undefined || [...this.#values.values()].includes(value)) return false;
    this.#values.set(request.request, value);
    return true;
  }

  remove(request: RequestName): void {
    if (this.#isMeant(request)) this.#values.delete(request.request);
  }
}
