import type { Cell } from '@annex/kinds';
import { listAt } from '../../shared/cells.ts';

export const ingressHosts: Cell = (object) => {
  const rules = listAt(object, 'spec.rules');
  const hosts = rules.map((rule) => String(rule.host ?? '')).filter(Boolean);
  if (hosts.length === 0) return '*';
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${rules.length - 3} more...` : hosts.join(',');
};
