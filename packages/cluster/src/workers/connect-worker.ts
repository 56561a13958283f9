import { isBacklotError, messageOf } from '@backlot/core/plugin';
import type { SharedPorts } from '@backlot/core';
import type { CommandLog } from '../log.js';
import { Channel, type ProcessEnd } from './channel.js';
import { HOME, replicaOf } from './takers.js';
import { WorkerLog } from './worker-log.js';
import { WorkerPorts } from './worker-ports.js';

/** What a worker has of the process that has started it. */
export interface WorkerEnd {
  /** Its number, from 1. */
  readonly slot: number;
  /** What the replica is called that it is, and the one that has what clients store. */
  readonly replica: string;
  readonly home: string;
  /** What the workers were started with. */
  readonly given: unknown;
  readonly log: CommandLog;
  readonly ports: SharedPorts;
  /** What all workers have in common besides. */
  common(): Promise<unknown>;
  /** Says that it takes connections. @param told - what the process that has started it is told */
  ready(told: unknown): void;
  /** Says what came of reading the configuration again. */
  reloaded(told: unknown): void;
  /** Says why it cannot start; resolves when that has arrived. */
  failed(thrown: unknown): Promise<void>;
  /** Calls back when it is to stop, or the process that has started it has gone. */
  onStop(callback: () => void): void;
}

/**
 * Connects a process that `startWorkers` has started with the one that has.
 *
 * @throws Error when it was started otherwise
 */
export async function connectWorker(): Promise<WorkerEnd> {
  if (process.send === undefined) throw new Error('a worker is started by "backlot start --workers" alone');
  const channel = new Channel(process as unknown as ProcessEnd);
  let stop: (() => void) | undefined;
  let isStopping = false;
  const onStop = (): void => {
    isStopping = true;
    stop?.();
  };
  channel.on('stop', onStop).on('gone', onStop);
  const { slot, given } = (await channel.ask('given')) as { readonly slot: number; readonly given: unknown };
  return {
    slot,
    replica: replicaOf(slot),
    home: replicaOf(HOME),
    given,
    log: new WorkerLog(channel),
    ports: new WorkerPorts(channel),
    common: () => channel.ask('common'),
    ready: (told) => channel.tell('ready', told),
    reloaded: (told) => channel.tell('reloaded', told),
    async failed(thrown) {
      const message = messageOf(thrown);
      const { details = [] } = isBacklotError(thrown) ? thrown : {};
      const texts = details.map(({ path, message: text }) => (path === '' ? text : `${path}: ${text}`));
      await channel.ask('failed', {
        message: [message, ...texts].join('; '),
        ...(isBacklotError(thrown) ? { code: thrown.code } : {}),
      });
    },
    onStop(callback) {
      stop = callback;
      if (isStopping) callback();
    },
  };
}
