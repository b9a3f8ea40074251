import { goQuote, IpAddress, IpAddressError } from '@annex/machinery';
import { fail, succeeds } from '../errors.ts';
import type { CallCost } from '../costs/cost.ts';
import type { Library } from '../functions/library.ts';
import { declare, member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, opaqueType, types } from '../typing/type.ts';
import { Instance, type Value } from '../values/value.ts';
import { costing, nominal, textArgument } from './call-costs.ts';

const { bool, int, string } = types;

export const ipType = opaqueType('net.IP');

/** An IP address without a zone, which is not an IPv4-mapped IPv6 address. */
export class IpValue extends Instance {
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  override get type(): CelType {
    return ipType;
  }

  override get costSize(): number {
    return this.address.bytes.length;
  }

  equals(other: Value): boolean {
    if (!(other instanceof IpValue)) return fail('no such overload');
    return other.address.equals(this.address);
  }
}

/** The cost of `ip`: parsing a string, or reading the address of a network. */
const conversion: CallCost = {
  estimate: (call) => (call.overload === 'cidr_ip' ? nominal : textArgument()).estimate?.(call),
  actual: (args, result, overload) =>
    (args[0] instanceof Instance ? nominal : textArgument()).actual?.(args, result, overload),
};

const tests: readonly (readonly [name: string, id: string, test: (address: IpAddress) => boolean])[] = [
  ['isUnspecified', 'ip_is_unspecified', ({ bytes }) => bytes.every((byte) => byte === 0)],
  ['isLoopback', 'ip_is_loopback', isLoopback],
  ['isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast],
  ['isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast],
  ['isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast],
];

const functions: readonly FunctionDeclaration[] = [
  costing(conversion, 'ip', overload('string_to_ip', [string], ipType, toIp)),
  costing(
    nominal,
    'family',
    member('ip_family', [ipType], int, ({ address }: IpValue) => address.family),
  ),
  costing(textArgument(2), 'ip.isCanonical', overload('ip_is_canonical', [string], bool, isCanonical)),
  costing(textArgument(), 'isIP', overload('is_ip', [string], bool, isIp)),
  ...tests.map(([name, id, test]) =>
    costing(
      nominal,
      name,
      member(id, [ipType], bool, ({ address }: IpValue) => test(address)),
    ),
  ),
  declare(
    'string',
    overload('ip_to_string', [ipType], string, ({ address }: IpValue) => String(address)),
  ),
];

/** The functions of IP addresses. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library */
export const ipLibrary: Library = { name: 'kubernetes.net.ip', types: [ipType], functions };

/** Parses an IP address; fails if it is invalid. */
export function toIp(text: string): IpValue {
  const address = parse(text);
  if (address.zone !== '') return fail(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (address.isMapped) return fail(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new IpValue(address);
}

function parse(text: string): IpAddress {
  try {
    return IpAddress.parse(text);
  } catch (error) {
    if (!(error instanceof IpAddressError)) throw error;
    return fail(`IP Address ${goQuote(text)} parse error during conversion from string: ${error.message}`);
  }
}

/** Returns true if the string is a valid IP address. */
export function isIp(text: string): boolean {
  return succeeds(() => toIp(text));
}

function isCanonical(text: string): boolean {
  return String(toIp(text).address) === text;
}

function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
}

function isMulticast({ family, bytes: [first = 0] }: IpAddress): boolean {
  return family === 4 ? first >> 4 === 0xe : first === 0xff;
}

function isLinkLocalMulticast({ family, bytes: [a, b = 0, c] }: IpAddress): boolean {
  return family === 4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2;
}

function isLinkLocalUnicast({ family, bytes: [a, b = 0] }: IpAddress): boolean {
  return family === 4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const { family, bytes } = address;
  const unspecified = bytes.every((byte) => byte === 0);
  const broadcast = family === 4 && bytes.every((byte) => byte === 255);
  return (
    !unspecified &&
    !broadcast &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}
