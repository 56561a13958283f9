import type { Host, HostOptions } from '../contract/host.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, type Problem } from '../errors.js';
import { BacklotHost } from './host.js';

/**
 * Makes a host of the given protocols. Nothing listens before `start`.
 *
 * @throws BacklotError `invalid` with every problem of the options, each with a JSON pointer into them
 */
export async function createHost<const P extends readonly Protocol[]>(
  options: HostOptions<P>,
): Promise<Host> {
  const host = new BacklotHost(options);
  const [first] = host.problems;
  if (first === undefined) return host;
  await host.stop(0);
  const more = host.problems.length === 1 ? '' : ` (and ${host.problems.length - 1} more)`;
  throw invalid(`${first.path}: ${first.message}${more}`, host.problems);
}

/** Every problem of a host's options, with JSON pointers into them; none when a host can be made of them. */
export function checkSettings(options: HostOptions): readonly Problem[] {
  const host = new BacklotHost(options);
  void host.stop(0);
  return host.problems;
}
