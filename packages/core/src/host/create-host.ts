import { checkProtocol } from '../contract/check-protocol.js';
import type { Host, HostOptions } from '../contract/host.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, type Problem } from '../errors.js';
import { runInSlices } from '../time/slices.js';
import { BacklotHost } from './host.js';

/**
 * Makes a host of the given protocols. Nothing listens before `start`.
 *
 * @throws BacklotError `invalid` with every problem of the options, each with a JSON pointer into them
 */
export async function createHost<const P extends readonly Protocol[]>(
  options: HostOptions<P>,
): Promise<Host> {
  refuse(checkProtocols(options.protocols));
  // From here on all kinds are alike.
  const host = await makeInSlices(options as HostOptions);
  if (host.problems.length === 0) return host;
  await host.stop(0);
  refuse(host.problems);
  return host;
}

/**
 * Every problem of a host's options, with JSON pointers into them; none when a host can be made of them. A host that is
 * then made with the very same mocks, not changed since, does not check and compile them again.
 */
export function checkSettings(options: HostOptions): readonly Problem[] {
  const problems = checkProtocols(options.protocols);
  if (problems.length > 0) return problems;
  const host = new BacklotHost(options, { remembers: true });
  void host.stop(0);
  return host.problems;
}

/** As {@link checkSettings}, in slices: other work goes on beside it. @throws the reason of the signal when it is aborted */
export async function checkSettingsInSlices(
  options: HostOptions,
  signal?: AbortSignal,
): Promise<readonly Problem[]> {
  const problems = checkProtocols(options.protocols);
  if (problems.length > 0) return problems;
  const host = await makeInSlices(options, { remembers: true, signal });
  void host.stop(0);
  return host.problems;
}

/** Makes a host whose mocks and other data are checked and compiled in slices. */
async function makeInSlices(
  options: HostOptions,
  {
    remembers = false,
    signal,
  }: { readonly remembers?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<BacklotHost> {
  const host = new BacklotHost(options, { remembers, loadsLater: true });
  try {
    await host.loadContracts();
    await runInSlices(host.loadSteps(), signal);
  } catch (thrown) {
    await host.stop(0);
    throw thrown;
  }
  return host;
}

/** A host cannot even be made of a declaration that is not whole. */
function checkProtocols(protocols: readonly Protocol[]): readonly Problem[] {
  return protocols.flatMap((protocol, index) =>
    checkProtocol(protocol).map(({ path, message }) => ({ path: `/protocols/${index}${path}`, message })),
  );
}

function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  throw invalid(`${first.path}: ${first.message}${more}`, problems);
}
