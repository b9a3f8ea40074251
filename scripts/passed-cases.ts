/**
 * Returns how many cases passed in the output of `go test -v`: those that Ginkgo counts, if it runs the suite, and otherwise the tests
 * and subtests that have no subtests.
 */
export function passed(output: string): number {
  const specs = [...output.matchAll(/(\d+) Passed/g)];
  if (specs.length > 0) return specs.reduce((sum, [, count]) => sum + Number(count), 0);
  const results = [...output.matchAll(/^ *--- (\w+): (\S+)/gm)].map(([, result, name = '']) => ({
    result,
    name,
  }));
  const parents = new Set(results.map(({ name }) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  return results.filter(({ name, result }) => result === 'PASS' && !parents.has(name)).length;
}
