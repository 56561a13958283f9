import { BacklotError, isBacklotError, messageOf } from '../errors.js';
import type { KindHost } from './kind-host.js';

/**
 * What a plugin threw as it was made or started, with its name: the person who reads it may have installed twenty.
 * Errors of core and the kit say already what they are about.
 */
export function namePlugin(kind: string, thrown: unknown): unknown {
  if (isBacklotError(thrown)) return thrown;
  return new BacklotError('internal', `protocol "${kind}" cannot be started: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}

/**
 * Starts all services together. When one cannot start, the others are stopped by the caller and the first error, in
 * the order of the kinds, is thrown.
 */
export async function startKinds(kinds: readonly KindHost[]): Promise<void> {
  const results = await Promise.allSettled(kinds.map(startKind));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function startKind(kind: KindHost): Promise<void> {
  const { service } = kind;
  if (service === undefined) return;
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

function isPortInUse(thrown: unknown): boolean {
  return messageOf(thrown).includes('address already in use');
}
