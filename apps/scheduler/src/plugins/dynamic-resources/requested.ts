import type { DeviceClass, DeviceRequest, DeviceRequestBody, ResourceClaim } from '../../objects/devices.ts';
import type { RequestName } from './constraints.ts';
import type { NodeDevice } from './device-pools.ts';

/** One way to serve a request of a claim. */
export interface Alternative extends RequestName {
  /** The name in errors: of the alternative alone. */
  readonly ownName: string;
  readonly body: DeviceRequestBody;
  readonly deviceClass: DeviceClass;
  /** The devices of a request for all devices. */
  readonly all: readonly NodeDevice[] | undefined;
  readonly count: number;
}

/** A request of a claim: a single alternative, or several of which the first that works is used. */
export interface Wanted {
  readonly alternatives: readonly Alternative[];
  readonly hasChoice: boolean;
}

/** A claim with what it wants. */
export interface WantedClaim {
  readonly claim: ResourceClaim;
  readonly text: string;
  readonly requests: readonly Wanted[];
}

/** The name of a claim in errors. */
export const claimText = ({ metadata: { namespace, name } }: ResourceClaim): string =>
  `claim ${namespace}/${name}`;

/** An alternative before its class and its devices are known. */
export type PlainAlternative = Pick<Alternative, 'request' | 'name' | 'ownName' | 'body'>;

/** Returns the alternatives of a request in their order. */
export const alternativesOf = ({ name, exactly, firstAvailable = [] }: DeviceRequest): PlainAlternative[] =>
  exactly === undefined
    ? firstAvailable.map((body) => ({
        request: name,
        name: `${name}/${body.name}`,
        ownName: body.name,
        body,
      }))
    : [{ request: name, name, ownName: name, body: exactly }];
