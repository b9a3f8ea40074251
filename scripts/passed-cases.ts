/**
 * Returns how many cases passed in the output of `go test -v`: the specs that Ginkgo counts, and the tests of Go without those that have
 * subtests, and without those that only run Ginkgo.
 */
export function passed(output: string): number {
  const specs = [...output.matchAll(/(\d+) Passed/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const results = [...output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)];
  const parents = new Set(results.map(([, , name = '']) => name.slice(0, name.lastIndexOf('/'))));
  const suites = ginkgoSuites(output);
  const tests = results.filter(
    ([, result, name = '']) => result === 'PASS' && !parents.has(name) && !suites.has(name),
  );
  return specs + tests.length;
}

/** Returns the tests that run Ginkgo. */
function ginkgoSuites(output: string): Set<string> {
  const suites = new Set<string>();
  let running = '';
  for (const [line, test] of output.matchAll(/^=== (?:RUN|CONT) +(\S+)|^Running Suite:/gm)) {
    if (test !== undefined) running = test;
    else if (line !== '') suites.add(running);
  }
  return suites;
}
