import { createHost, type Host, type HostOptions, type Json, type Kind, type Protocol } from '@backlot/core';
import type { AfterThis } from './collect-cleanups.js';

/** A started host, with what tests need of the kind that they test. */
export interface RunningKind {
  readonly host: Host;
  readonly kind: Kind;
  /** Where the kind listens on 127.0.0.1. */
  readonly port: number;
  /** The lines that the host has logged so far, such as `warn: ...`. */
  readonly log: readonly string[];
}

/** Options of the host beside the kind's own settings. */
export interface StartKindOptions extends Partial<Omit<HostOptions, 'settings' | 'log'>> {
  /** Further kinds, with their default settings. */
  readonly protocols?: readonly Protocol[];
}

/**
 * Starts a host with one kind on a free port of 127.0.0.1, with the seed 1, and stops it after the test.
 *
 * @param settings - the settings of the kind; host and port may be among them
 * @throws BacklotError as `createHost` and the host's `start` do
 */
export async function startKind(
  protocol: Protocol,
  afterThis: AfterThis,
  settings: Json = {},
  { protocols = [], ...options }: StartKindOptions = {},
): Promise<RunningKind> {
  const log: string[] = [];
  const host = await createHost({
    protocols: [protocol, ...protocols],
    settings: { [protocol.kind]: { host: '127.0.0.1', port: 0, ...settings } },
    seed: 1,
    log: ({ level, text }) => log.push(`${level}: ${text}`),
    ...options,
  });
  afterThis(() => host.stop(100));
  await host.start();
  const kind = host.kind(protocol.kind);
  return { host, kind, port: kind.address?.port ?? 0, log };
}
