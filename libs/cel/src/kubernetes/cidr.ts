import { goQuote, IpAddress, IpAddressError } from '@annex/machinery';
import { fail, Failure, succeeds } from '../errors.ts';
import type { CallCost } from '../costs/cost.ts';
import { costFactors } from '../costs/factors.ts';
import { addRanges, exactly } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import type { Library } from '../functions/library.ts';
import { declare, member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, opaqueType, types } from '../typing/type.ts';
import { Instance, type Value } from '../values/value.ts';
import { actualTraversal, costing, nominal, textArgument, traversal } from './call-costs.ts';
import { ipType, isIp, IpValue, toIp } from './ip.ts';

const { bool, int, string } = types;
const cidrType = opaqueType('net.CIDR');

/** An address with a prefix length in bits. */
class CidrValue extends Instance {
  readonly address: IpAddress;
  readonly bits: number;

  constructor(address: IpAddress, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  override get type(): CelType {
    return cidrType;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Value): boolean {
    if (!(other instanceof CidrValue)) return fail('no such overload');
    return other.bits === this.bits && other.address.equals(this.address);
  }

  override toString(): string {
    return `${String(this.address)}/${this.bits}`;
  }
}

/** The size of an address of either family, in bytes. */
const addressSize = { min: 4, max: 16 };

/** The cost of comparing prefixes; a string argument is parsed first. */
const contains = (textual: string, more: number): CallCost => ({
  estimate({ overload, args, size }) {
    if (!args[0]) return undefined;
    let cost = traversal(addRanges(addressSize, addressSize));
    if (more > 0) cost = addRanges(addRanges(cost, traversal(addressSize)), exactly(more));
    return { cost: overload === textual ? addRanges(cost, traversal(size(args[0]))) : cost };
  },
  actual([network, other]) {
    const size = sizeOf(network!);
    const again = more > 0 ? Math.ceil(size * costFactors.text) + more : 0;
    return (
      Math.ceil(2 * size * costFactors.text) +
      again +
      (typeof other === 'string' ? actualTraversal(other) : 0)
    );
  },
});

const functions: readonly FunctionDeclaration[] = [
  costing(textArgument(), 'cidr', overload('string_to_cidr', [string], cidrType, toCidr)),
  costing(textArgument(), 'isCIDR', overload('is_cidr', [string], bool, isCidr)),
  costing(
    contains('cidr_contains_ip_string', 0),
    'containsIP',
    member('cidr_contains_ip_string', [cidrType, string], bool, (network: CidrValue, text: string) =>
      isIp(text) ? containsIp(network, toIp(text)) : fail('no such overload'),
    ),
    member('cidr_contains_ip_ip', [cidrType, ipType], bool, containsIp),
  ),
  costing(
    contains('cidr_contains_cidr_string', 1),
    'containsCIDR',
    member('cidr_contains_cidr_string', [cidrType, string], bool, (network: CidrValue, text: string) =>
      containsCidr(network, toCidr(text)),
    ),
    member('cidr_contains_cidr', [cidrType, cidrType], bool, containsCidr),
  ),
  declare(
    'ip',
    member('cidr_ip', [cidrType], ipType, ({ address }: CidrValue) => new IpValue(address)),
  ),
  costing(
    nominal,
    'prefixLength',
    member('cidr_prefix_length', [cidrType], int, ({ bits }: CidrValue) => bits),
  ),
  costing(
    nominal,
    'masked',
    member(
      'cidr_masked',
      [cidrType],
      cidrType,
      ({ address, bits }: CidrValue) => new CidrValue(address.masked(bits), bits),
    ),
  ),
  declare(
    'string',
    overload('cidr_to_string', [cidrType], string, (network: CidrValue) => String(network)),
  ),
];

/** The functions of networks. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library */
export const cidrLibrary: Library = { name: 'kubernetes.net.cidr', types: [cidrType, ipType], functions };

function containsIp({ address, bits }: CidrValue, ip: IpValue): boolean {
  return ip.address.hasPrefixOf(address, bits);
}

function containsCidr({ address, bits }: CidrValue, other: CidrValue): boolean {
  return bits <= other.bits && other.address.hasPrefixOf(address, bits);
}

const conversionError = 'network address parse error during conversion from string';

function toCidr(text: string): CidrValue {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Failure) return fail(`${conversionError}: ${error.message}`);
    throw error;
  }
}

function isCidr(text: string): boolean {
  return succeeds(() => parse(text));
}

function parse(text: string): CidrValue {
  const refuse = (reason: string): never =>
    fail(`${conversionError}: netip.ParsePrefix(${goQuote(text)}): ${reason}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse("no '/'");
  const address = addressOf(text.slice(0, slash), refuse);
  if (address.zone !== '') return refuse('IPv6 zones cannot be present in a prefix');
  const length = text.slice(slash + 1);
  if (!/^(\d|[1-9]\d{1,8})$/.test(length)) return refuse(`bad bits after slash: ${goQuote(length)}`);
  if (Number(length) > address.bytes.length * 8) return refuse('prefix length out of range');
  if (address.isMapped) return fail(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new CidrValue(address, Number(length));
}

function addressOf(text: string, refuse: (reason: string) => never): IpAddress {
  try {
    return IpAddress.parse(text);
  } catch (error) {
    if (error instanceof IpAddressError) return refuse(error.message);
    throw error;
  }
}
