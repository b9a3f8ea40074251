/**
 * Returns how many cases passed in the output of `go test -v`: those that Ginkgo counts, if it runs the suite, and otherwise the tests
 * without their subtests.
 */
export function passed(output: string): number {
  const specs = [...output.matchAll(/(\d+) Passed/g)];
  if (specs.length > 0) return specs.reduce((sum, [, count]) => sum + Number(count), 0);
  return [...output.matchAll(/^--- PASS: /gm)].length;
}
