import { exceptions } from './exceptions.ts';
import { runCase } from './run-case.ts';
import { specCases } from './spec-case.ts';

let passed = 0;
const mistakes: string[] = [];
for (const each of specCases()) {
  const mistake = runCase(each);
  if (exceptions.has(each.path)) {
    if (mistake === undefined) mistakes.push(`${each.path}: passes, and is listed as an exception`);
  } else if (mistake === undefined) passed++;
  else mistakes.push(`${each.path}: ${mistake}`);
}
for (const mistake of mistakes) console.log(mistake);
console.log(`${exceptions.size} cases are exceptions, see libs/cel/src/specification/exceptions.ts`);
console.log(`${passed} passed, ${mistakes.length} failed`);
process.exitCode = mistakes.length === 0 ? 0 : 1;
