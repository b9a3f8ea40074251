import type { ForeignFlag, ForeignFlags } from '@annex/runtime';

/** A flag of upstream that changes nothing. */
export const acceptedFlag = (type: ForeignFlag['type'], why: string): ForeignFlag => ({
  type,
  fate: 'accepted',
  why,
});

const refusedSwitch = (why: string): ForeignFlag => ({ type: 'bool', fate: 'refused', why });
const noProfiles = 'there are no profiles';

/** The flags of both of upstream's programs that are no options here, and further ones of one program. */
export const upstreamFlags = (further: Readonly<Record<string, ForeignFlag>>): ForeignFlags =>
  new Map(
    Object.entries({
      logtostderr: acceptedFlag('bool', 'Logs are written to standard error.'),
      alsologtostderr: acceptedFlag('bool', 'Logs are written to standard error.'),
      v: acceptedFlag('value', '`--log-level` selects what is logged.'),
      'kube-api-content-type': acceptedFlag('value', 'Requests are JSON.'),
      'xfr-channel-size': acceptedFlag('value', 'Queues are bounded by bytes.'),
      'warn-on-channel-limit': acceptedFlag('bool', 'Queues are bounded by bytes.'),
      'enable-profiling': refusedSwitch(noProfiles),
      'enable-contention-profiling': refusedSwitch(noProfiles),
      ...further,
    }),
  );
