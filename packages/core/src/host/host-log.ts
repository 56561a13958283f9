import type { HostOptions } from '../contract/host.js';
import type { Log } from '../contract/log.js';
import { messageOf } from '../errors.js';

/**
 * What makes the log of each kind of a host.
 *
 * @param space - the space that the host is
 */
export function hostLog(log: HostOptions['log'], space: string | undefined): (kind: string) => Log {
  if (log === undefined) return () => ({ info() {}, warn() {}, error() {} });
  const of = space === undefined ? {} : { space };
  return (kind) => ({
    info: (text) => log({ level: 'info', kind, text, ...of }),
    warn: (text) => log({ level: 'warn', kind, text, ...of }),
    error: (text, thrown) =>
      log({
        level: 'error',
        kind,
        text: thrown === undefined ? text : `${text}: ${messageOf(thrown)}`,
        ...of,
      }),
  });
}
