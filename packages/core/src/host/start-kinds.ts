import { BacklotError, isBacklotError, messageOf } from '../errors.js';
import type { KindHost } from './kind-host.js';

/** A kind that could not start. */
interface Failure {
  readonly kind: KindHost;
  readonly thrown: unknown;
}

/**
 * The error that a protocol threw while it was made or started, with the name of the protocol in it: there may be twenty of
 * them. A BacklotError names it already, and is given as it is.
 */
export function namePlugin(kind: string, thrown: unknown): unknown {
  if (isBacklotError(thrown)) return thrown;
  return new BacklotError('internal', `protocol "${kind}" cannot be started: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}

/**
 * Starts all services together.
 *
 * @throws BacklotError one error that names every kind that cannot start, in the order of the kinds; the caller then
 * stops the others
 */
export async function startKinds(kinds: readonly KindHost[]): Promise<void> {
  const failures: Failure[] = [];
  await Promise.all(
    kinds.map((kind) => startKind(kind).catch((thrown: unknown) => failures.push({ kind, thrown }))),
  );
  const [first, ...others] = failures.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  if (first === undefined) return;
  throw others.length === 0 ? first.thrown : joinFailures([first, ...others]);
}

async function startKind(kind: KindHost): Promise<void> {
  const { service, giver } = kind;
  if (service === undefined || giver !== undefined) return;
  const { port, portIsChosen } = kind.config;
  try {
    kind.address = await service.start(port);
  } catch (thrown) {
    if (portIsChosen || port === 0 || !isPortInUse(thrown)) {
      kind.failure = messageOf(thrown);
      throw namePlugin(kind.kind, thrown);
    }
    kind.address = await service.start(0);
    kind.log.warn(
      `port ${port} is in use, so ${kind.kind} listens on ${kind.address.port}; set the port of ${kind.kind} to choose one`,
    );
  }
}

/** One error for several kinds, the ports that are in use together. */
function joinFailures(failures: readonly Failure[]): BacklotError {
  const busy = failures.filter(({ thrown }) => isPortInUse(thrown));
  const others = failures.filter(({ thrown }) => !isPortInUse(thrown));
  const places = busy.map(({ kind: { kind, config } }) => {
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return `${host}:${config.port} (${kind})`;
  });
  const parts = [
    ...(busy.length === 0
      ? []
      : [
          `address already in use ${places.join(', ')}: stop what listens there, or choose other ports (0 takes a free one)`,
        ]),
    ...others.map(({ kind: { kind }, thrown }) => `${kind}: ${messageOf(thrown)}`),
  ];
  const { thrown } = failures[0] as Failure;
  return new BacklotError(isBacklotError(thrown) ? thrown.code : 'internal', parts.join('; '), {
    cause: thrown,
  });
}

function isPortInUse(thrown: unknown): boolean {
  return isBacklotError(thrown) && thrown.code === 'port_in_use';
}
