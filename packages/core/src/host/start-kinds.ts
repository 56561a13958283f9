import { messageOf } from '../errors.js';
import type { KindHost } from './kind-host.js';

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
      throw thrown;
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
