import { type CelType, listType, mapType, types } from '@annex/cel';
import { type Engine, engines, type Variables } from './cel-engines.ts';
import { machineFacts } from './machine.ts';
import { machineLine } from './report.ts';

/** An expression with its variables. */
interface Row {
  readonly name: string;
  readonly expression: string;
  readonly variables: Variables;
  readonly types: Readonly<Record<string, CelType>>;
}

const numbers = Array.from({ length: 1000 }, (_, i) => i + 1);
const ports = Array.from({ length: 100 }, (_, i) => ({
  name: `port-${i}`,
  port: 8000 + i,
  open: i % 3 === 0,
}));

const object = mapType(types.string, types.dyn);

const rows: readonly Row[] = [
  { name: 'one comparison', expression: 'x > 5', variables: { x: 10 }, types: { x: types.int } },
  {
    name: 'fields and logic',
    expression: "user.name == 'admin' && user.age >= 18 && (user.role == 'a' || user.role == 'b')",
    variables: { user: { name: 'admin', age: 30, role: 'b' } },
    types: { user: object },
  },
  {
    name: 'texts',
    expression: "size(name) < 64 && name + '.svc' != 'web.svc' && !(name in ['kube-dns', 'kubernetes'])",
    variables: { name: 'web-frontend-1' },
    types: { name: types.string },
  },
  {
    name: 'filter and map of 100 objects',
    expression: 'ports.filter(p, p.open && p.port > 8010).map(p, p.name)',
    variables: { ports },
    types: { ports: listType(object) },
  },
  {
    name: 'all over 1,000 items',
    expression: 'items.all(i, i > 0 && i < 5000)',
    variables: { items: numbers },
    types: { items: listType(types.int) },
  },
];

const roundMs = 150;
const rounds = 5;

console.log(machineLine(machineFacts()));
let fastest = true;
for (const row of rows) {
  console.log(`\n${row.name}: ${row.expression}`);
  for (const engine of engines) engine.declare?.(row.types);
  const compiled = engines.map((engine) => measure(() => engine.compile(row.expression)));
  const evaluated = engines.map((engine) => measure(evaluation(engine, row)));
  engines.forEach(({ name }, i) => {
    const cells = [compiled[i]!, evaluated[i]!].map((perSecond) =>
      Math.round(perSecond).toLocaleString('en-US'),
    );
    console.log(
      `  ${name.padEnd(22)}${cells[0]!.padStart(12)} compiled/s${cells[1]!.padStart(14)} evaluated/s`,
    );
  });
  fastest &&= evaluated.slice(1).every((other) => other < evaluated[0]!);
}
console.log(`\n${fastest ? 'fastest evaluation on every row' : 'not the fastest evaluation on every row'}`);

function evaluation(engine: Engine, { expression, variables }: Row): () => unknown {
  const evaluate = engine.compile(expression);
  const provided = engine.variables(variables) as never;
  return () => evaluate(provided);
}

/** Returns the CPU time of this process, which is independent of other work on the machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns calls per second of CPU time: the median of some rounds after a warm-up round. */
function measure(call: () => unknown): number {
  round(call);
  const perSecond = Array.from({ length: rounds }, () => round(call)).sort((a, b) => a - b);
  return perSecond[rounds >> 1]!;
}

function round(call: () => unknown): number {
  const start = cpuMs();
  let calls = 0;
  let end = start;
  for (let batch = 1; end - start < roundMs; batch = Math.min(batch * 2, 10_000)) {
    for (let i = 0; i < batch; i++) call();
    calls += batch;
    end = cpuMs();
  }
  return (calls / (end - start)) * 1000;
}
