import { domainToASCII } from 'node:url';
import { IpAddress, IpAddressError, splitHostPort } from '@annex/machinery';

/** A host that a request is for. */
interface Target {
  host: string;
  port: string;
  /** Undefined for names. */
  address: IpAddress | undefined;
}

type Matcher = (target: Target) => boolean;

/** The hosts that `NO_PROXY` excludes, by the rules of Go's golang.org/x/net/http/httpproxy. */
export class NoProxy {
  readonly #matchers: readonly Matcher[];

  constructor(list: string) {
    const texts = list.split(',').map((text) => text.trim().toLowerCase());
    this.#matchers = texts.includes('*') ? [() => true] : texts.flatMap((text) => readEntry(text) ?? []);
  }

  /** True if requests to the host do not use a proxy. The environment never applies to this machine. */
  excludes(host: string, port: string): boolean {
    const target = { host, port, address: addressOf(host) };
    return [isThisMachine, ...this.#matchers].some((matches) => matches(target));
  }
}

const isThisMachine: Matcher = ({ host, address }) =>
  host === 'localhost' || (address?.family === 4 ? address.bytes[0] === 127 : address?.toString() === '::1');

/** Entries that are neither a network, nor an address, nor a name exclude nothing. */
function readEntry(text: string): Matcher | undefined {
  const network = networkOf(text);
  if (network !== undefined) return network;
  const { host, port } = splitHostPort(text) ?? { host: text, port: '' };
  if (host === '') return undefined;
  const address = addressOf(host);
  const matches: Matcher = address
    ? (target) => target.address?.equals(address) === true
    : domainMatcher(host);
  return (target) => (port === '' || port === target.port) && matches(target);
}

const isAscii = /^[\0-\x7f]*$/;

/** `example.com` covers itself and its subdomains, `.example.com` and `*.example.com` only its subdomains. */
function domainMatcher(text: string): Matcher {
  const name = text.startsWith('*.') ? text.slice(1) : text;
  const isWhole = !name.startsWith('.');
  const domain = isWhole ? name : name.slice(1);
  const ascii = isAscii.test(domain) ? domain : domainToASCII(domain) || domain;
  return ({ host, address }) =>
    address === undefined && ((isWhole && host === ascii) || host.endsWith(`.${ascii}`));
}

/** `ADDRESS/BITS`. */
function networkOf(text: string): Matcher | undefined {
  const slash = text.indexOf('/');
  const address = parseAddress(text.slice(0, Math.max(slash, 0)));
  const written = text.slice(slash + 1);
  if (slash < 0 || address === undefined || !/^\d+$/.test(written)) return undefined;
  const all = address.bytes.length * 8;
  if (Number(written) > all) return undefined;
  const network = unmapped(address.masked(Number(written)));
  const bits = Number(written) - (all - network.bytes.length * 8);
  return (target) => target.address !== undefined && network.hasPrefixOf(target.address, bits);
}

function addressOf(text: string): IpAddress | undefined {
  const address = parseAddress(text);
  return address && unmapped(address);
}

/** Undefined for other texts, and for addresses with a zone. */
function parseAddress(text: string): IpAddress | undefined {
  try {
    const address = IpAddress.parse(text);
    return address.zone === '' ? address : undefined;
  } catch (error) {
    if (error instanceof IpAddressError) return undefined;
    throw error;
  }
}

/** An IPv4 address for its form in IPv6. */
const unmapped = (address: IpAddress): IpAddress =>
  address.isMapped ? IpAddress.parse(address.bytes.slice(12).join('.')) : address;
