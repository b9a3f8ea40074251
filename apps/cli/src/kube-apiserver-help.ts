import { kubeApiserverFlags } from './kube-apiserver-flags.ts';
import { upOptions } from './up-options.ts';

/** The flags of kube-apiserver that Annex accepts, a line each: the text of `kube-apiserver --help`. */
export function kubeApiserverHelp(): string {
  const rows = new Map(Object.values(upOptions).map((row) => [row.flag, row]));
  const lines = Object.entries(kubeApiserverFlags).flatMap(([group, flags]) => [
    `${group} flags:`,
    '',
    ...Object.entries(flags)
      .filter(([, fate]) => fate === 'effect' || fate.fate === 'accepted')
      .map(([flag, fate]) => {
        const row = rows.get(flag);
        const isSwitch = fate === 'effect' ? row?.type === 'bool' : fate.type === 'bool';
        const text = fate === 'effect' ? row?.help : `Accepted without effect: ${fate.why}`;
        return `      ${`--${flag}${isSwitch ? '' : ' value'}`.padEnd(56)} ${text}`;
      }),
    '',
  ]);
  return ['Usage: kube-apiserver [flags], the API server of Annex', '', ...lines].join('\n');
}
