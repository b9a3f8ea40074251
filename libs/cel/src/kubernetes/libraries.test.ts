import { describe, expect, it } from 'vitest';
import { estimateCost } from '../costs/estimator.ts';
import { EvaluationError } from '../errors.ts';
import { Program } from '../evaluation/program.ts';
import { doubleNumber, Double, type Value } from '../values/value.ts';
import { kubernetesEnvironment } from './environment.ts';

const programOf = (text: string): Program =>
  new Program(kubernetesEnvironment.compile(text), kubernetesEnvironment);

const plain = (value: Value): Value => (value instanceof Double ? doubleNumber(value) : value);

function failure(text: string): { message: string; cost: number } | undefined {
  try {
    programOf(text).evaluate();
    return undefined;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { message: error.message, cost: error.cost };
  }
}

// Values and costs are those of k8s.io/apiserver 1.36.
describe('functions of Kubernetes', () => {
  it.each([
    ["quantity('50k').add(quantity('20k')) == quantity('70k')", true, 5, 5, 5],
    ["quantity('50k').sub(20000).asApproximateFloat()", 30000, 3, 3, 3],
    ["quantity('1500m').isInteger()", false, 2, 2, 2],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0, 3, 3, 3],
    ["quantity('50M').isLessThan(quantity('100M'))", true, 3, 3, 3],
    ["sign(quantity('-5'))", -1, 2, 2, 2],
    ["isQuantity('200K')", false, 1, 1, 1],
    ["string(ip('2001:DB8::ABCD'))", '2001:db8::abcd', 3, 3, 3],
    ["ip('::1').family()", 6, 2, 2, 2],
    ["ip('192.168.0.1').isGlobalUnicast()", true, 3, 3, 3],
    ["ip('ff02::1').isLinkLocalMulticast()", true, 2, 2, 2],
    ["ip('169.254.169.254').isLinkLocalUnicast()", true, 3, 3, 3],
    ["ip('127.3.2.1').isLoopback()", true, 2, 2, 2],
    ["ip.isCanonical('2001:db8::0:0:0:abcd')", false, 4, 4, 4],
    ["isIP('fe80::1%eth0')", false, 2, 2, 2],
    ["ip('2001:db8::1') == ip('2001:db8::2')", false, 5, 5, 5],
    ["string(cidr('192.168.0.1/16').masked())", '192.168.0.0/16', 4, 4, 4],
    ["cidr('192.168.0.0/24').containsIP('192.168.0.1')", true, 5, 5, 8],
    ["cidr('2001:db8::/32').containsIP(ip('2001:db8:1::1'))", true, 5, 5, 8],
    ["cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", true, 7, 7, 11],
    ["cidr('192.168.0.0/16').prefixLength()", 16, 3, 3, 3],
    ["url('https://user:pass@example.com:80/path?query=val#fragment').getHost()", 'example.com:80', 7, 7, 7],
    ["url('https://[::1]:80/').getHostname()", '::1', 3, 3, 3],
    ["url('https://[::1]/').getPort()", '', 3, 3, 3],
    ["url('https://example.com/path with spaces/').getEscapedPath()", '/path%20with%20spaces/', 5, 5, 5],
    ["url('https://example.com/path?k1=a&k2=b&k2=c').getQuery()['k2'].size()", 2, 8, 7, 7],
    ["isURL('../relative-path')", false, 1, 1, 1],
    ["url('https://a/b') == url('https://a/b')", true, 5, 5, 6],
    ["semver('1.2.3').isLessThan(semver('1.10.0'))", true, 3, 3, 3],
    ["semver('v1.2', true).minor()", 2, 2, 2, 2],
    ["isSemver('v1.0')", false, 1, 1, 1],
    ["format.dns1123Label().validate('ok').hasValue()", false, 10, 34, 34],
    ["format.uuid().validate('x').value()[0]", 'does not match the UUID format', 22, 35, 35],
    ["format.named('byte').value().validate('***').value()[0]", 'invalid base64', 26, 36, 36],
    ["format.uri().validate('x').value()[0]", 'parse "x": invalid URI for request', 280, 35, 35],
    ["format.named('nope').hasValue()", false, 2, 2, 2],
    ['format.dns1123Label() == format.dns1035Label()', false, 3, 3, 9],
    ["'abc 123'.find('[0-9]+')", '123', 2, 2, 2],
    ["'123 abc 456'.findAll('[0-9]+', 1).size()", 1, 5, 5, 5],
    ["'abc 123'.findAll('[0-9]*').size()", 5, 3, 3, 3],
    ['[1, 9, 5].max()', 9, 3, 13, 13],
    ['[7, 2, 5].min()', 2, 3, 13, 13],
    ['[2.0, 1.0].isSorted()', false, 2, 12, 12],
    ['[1, 3].sum()', 4, 2, 12, 12],
    ["[duration('1s'), duration('2s')].sum() == duration('3s')", true, 3, 16, 16],
    ['[1, 2, 2, 3].lastIndexOf(2)', 2, 4, 14, 14],
    ["'hello hello'.replace('he', 'wewewe')", 'wewewello wewewello', 3, 3, 3],
    ["'hello hello hello'.split(' ', 2).size()", 2, 5, 5, 5],
    ["'HELLO'.lowerAscii()", 'hello', 1, 1, 1],
    ["duration('1500ms').getMilliseconds()", 1500, 1, 2, 2],
  ])('%s is %s, costs %i and is estimated from %i to %i', (text, value, cost, min, max) => {
    const outcome = programOf(text).evaluate();
    expect([plain(outcome.value), outcome.cost]).toEqual([value, cost]);
    expect(estimateCost(kubernetesEnvironment.compile(text), kubernetesEnvironment)).toEqual({ min, max });
  });

  it.each([
    ["quantity('1.5Gi').asInteger()", 'cannot convert value to integer', 2],
    ["quantity('200K')", "unable to parse quantity's suffix", 1],
    ["quantity('1500m').asInteger()", 'cannot convert value to integer', 2],
    ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed', 2],
    [
      "ip('127.0.0.256')",
      'IP Address "127.0.0.256" parse error during conversion from string: ParseAddr("127.0.0.256"): IPv4 field has value >255',
      2,
    ],
    ["cidr('192.168.0.0/24').containsIP('abc')", 'no such overload', 4],
    [
      "cidr('192.168.0.0/33')",
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("192.168.0.0/33"): prefix length out of range',
      2,
    ],
    [
      "url('https://a:b:c/')",
      'URL parse error during conversion from string: parse "https://a:b:c/": invalid port ":b:c" after host',
      2,
    ],
    [
      "url('../relative-path')",
      'URL parse error during conversion from string: parse "../relative-path": invalid URI for request',
      2,
    ],
    ["semver('1.2')", 'No Major.Minor.Patch elements found', 1],
    ["'abc'.find('(' + '[')", 'Illegal regex: error parsing regexp: missing closing ]: `[`', 2],
    ['[].min()', 'min called on empty list', 0],
  ])('%s fails: %s', (text, message, cost) => {
    expect(failure(text)).toEqual({ message, cost });
  });

  it.each(['[1, 2].existsOne(x, x == 1)', 'cel.bind(x, 1, x)', "'abc'.reverse()", 'math.greatest(1, 2)'])(
    'has no newer or other libraries: %s',
    (text) => expect(() => kubernetesEnvironment.compile(text)).toThrow('ERROR: <input>:1:'),
  );
});
