import type { HostOptions } from '../contract/host.js';
import type { Problem } from '../errors.js';
import { pointTo } from '../validation/pointer.js';

/** Problems of the protocols that a host is given: one that is there twice, and settings of one that is not there. */
export function checkInstalled({ protocols, settings }: HostOptions): Problem[] {
  const installed = new Set(protocols.map(({ kind }) => kind));
  if (installed.size !== protocols.length)
    return [{ path: '/protocols', message: 'the same protocol is given twice' }];
  return Object.keys(settings ?? {})
    .filter((kind) => !installed.has(kind))
    .map((kind) => ({
      path: pointTo('/settings', kind),
      message: `the protocol "${kind}" is not given to this host, which has ${[...installed].join(', ') || 'none'}; install its package and add it to them`,
    }));
}
