import { kubeApiserverFlags } from './kube-apiserver-flags.ts';
import { upOptions } from './up-options.ts';

/** Returns the Markdown of `docs/reference/kube-apiserver-flags.md`. */
export function kubeApiserverFlagsPage(): string {
  const helps = new Map(Object.values(upOptions).map(({ flag, help }) => [flag, help]));
  const groups = Object.entries(kubeApiserverFlags).map(([group, flags]) => {
    const rows = Object.entries(flags).map(([flag, fate]) => {
      const [what, why] = fate === 'effect' ? ['effect', helps.get(flag)] : [fate.fate, fate.why];
      return `| \`--${flag}\` | ${what} | ${why?.replaceAll('|', '\\|')} |`;
    });
    return [`## ${group}`, '', '| flag | fate | meaning here |', '| --- | --- | --- |', ...rows, ''];
  });
  return [preface(), ...groups.flat()].join('\n');
}

function preface(): string {
  const fates = Object.values(kubeApiserverFlags).flatMap((flags) =>
    Object.values(flags).map((fate) => (fate === 'effect' ? fate : fate.fate)),
  );
  const count = (fate: string) => fates.filter((other) => other === fate).length;
  return `# Flags of kube-apiserver 1.36

\`annex up\`, and \`kube-apiserver\` of [\`annex envtest\`](envtest.md), take the flags of kube-apiserver. Of its ${fates.length} flags, ${count('effect')} have their effect.
${count('accepted')} are accepted: they change nothing here, and one line on standard error names those that were set. ${count('refused')} are refused, because a
user who sets them relies on them. An unknown flag is refused with the nearest name.

A repeated flag has its last value, lists are joined, and names can have underscores, as in kube-apiserver. These defaults differ:
\`--bind-address\` is 127.0.0.1, \`--authorization-mode\` is RBAC, \`--enable-aggregator-routing\` is true, and without \`--etcd-servers\` objects are
stored in the data directory. \`--help\` and this page come from one table; \`node scripts/options-docs.mjs\` writes the page.
`;
}
