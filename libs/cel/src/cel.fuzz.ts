import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { CompileError, EvaluationError } from './errors.ts';
import { Program } from './evaluation/program.ts';
import { kubernetesEnvironment, runtimeCostLimits } from './kubernetes/environment.ts';
import { estimateCost } from './costs/estimator.ts';
import { types } from './typing/type.ts';

const environment = kubernetesEnvironment.extend({ variables: [{ name: 'self', type: types.dyn }] });

const expressions = [
  'self.x > 0 && self.y.all(i, i < 5)',
  '"abc".matches("^[a-z]+$") ? [1, 2.5, 3u].map(x, x) : {"a": b"\\x00"}',
  'quantity("1Gi").compareTo(quantity("500Mi")) + duration("1h").getSeconds()',
  'url("https://a:1/b?c=d").getQuery()["c"].exists(v, v.startsWith("d"))',
  'ip("1.2.3.4").family() == 4 && cidr("10.0.0.0/8").containsIP("10.1.1.1")',
  'timestamp("2026-01-01T00:00:00Z").getFullYear() % -7',
  'self.?a.orValue([]).filter(x, has(x.b)).size()',
  '"%s %d %.3e".format(["a", 1, 2.0]).replace("a", "b", -1).split(" ").join(",").charAt(0)',
  'semver("1.2.3-rc.1").isGreaterThan(semver("1.2.2"))',
  'r"raw" + """multi\nline""" in ["x"] || !(-9223372036854775808 == int("5"))',
  'double("1e3") / 0.0 == 1.0/0.0 && string(1) == "1" && type(1) == int',
  '[1,2,3].sum() + [3,1].indexOf(1) + lists.range(5).size() + sets.contains([1],[1])',
  'self.transformMap(k, v, v).size()',
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'cel',
    seeds: expressions,
    dictionary: [
      '.map(',
      '.filter(',
      '.exists(',
      '.all(',
      '.exists_one(',
      'has(',
      '&&',
      '||',
      '?',
      ':',
      '[',
      ']',
      '{',
      '}',
      'self',
      '.matches("',
      '.replace(',
      '.split(',
      '.format([',
      '"""',
      'r"',
      'b"',
      '\\u0041',
      'duration(',
      'timestamp(',
      'quantity(',
      'ip(',
      'cidr(',
      'url(',
      'semver(',
      'int(',
      'uint(',
      'double(',
      'string(',
      'bytes(',
      'lists.range(',
      '.sort()',
      '.distinct()',
      '.lowerAscii()',
      '.find(',
      '.findAll(',
      'optional.of(',
      '.?',
      '[?',
      '//',
    ],
    maxBytes: 512,
    maxGrownBytes: 16_384,
    run(input) {
      const checked = orError(() => environment.compile(utf8Text(input)), [CompileError]);
      if (checked instanceof Error) return;
      estimateCost(checked, environment);
      const program = orError(
        () => new Program(checked, environment, { costLimit: runtimeCostLimits.call }),
        [EvaluationError],
      );
      if (program instanceof Error) return requireExpected(program);
      requireExpected(orError(() => program.evaluate({ self: 1n }), [EvaluationError]));
    },
  },
];

/** Rethrows an error that reports an unexpected state in an implementation: such an error is a defect. */
function requireExpected(result: unknown): void {
  if (result instanceof EvaluationError && result.message.includes('internal error'))
    throw result.cause ?? result;
}
