import { checkProtocol } from '../contract/check-protocol.js';
import type { Host, HostOptions } from '../contract/host.js';
import { invalid, type Problem } from '../errors.js';
import { BacklotHost } from './host.js';

/**
 * Makes a host of the given protocols. A kind is enabled when its settings are there and do not say
 * `enabled: false`. Nothing listens before `start`.
 *
 * @throws BacklotError `invalid` with every problem of the settings, each with a JSON pointer into them
 */
export async function createHost(options: HostOptions): Promise<Host> {
  refuse(checkPlugins(options));
  const host = new BacklotHost(options);
  if (host.problems.length === 0) return host;
  await host.stop(0);
  refuse(host.problems);
  return host;
}

/** Every problem of a host's settings, with JSON pointers into them; none when a host can be made of them. */
export function checkSettings(options: HostOptions): readonly Problem[] {
  const problems = checkPlugins(options);
  if (problems.length > 0) return problems;
  const host = new BacklotHost(options);
  void host.stop(0);
  return host.problems;
}

/** A host cannot even be made of a declaration that is not whole. */
function checkPlugins({ plugins }: HostOptions): readonly Problem[] {
  return plugins.flatMap((protocol, index) =>
    checkProtocol(protocol).map(({ path, message }) => ({ path: `/plugins/${index}${path}`, message })),
  );
}

function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  throw invalid(`${first.path}: ${first.message}${more}`, problems);
}
