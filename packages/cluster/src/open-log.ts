import { invalid, messageOf, BacklotError } from '@backlot/core/plugin';
import { PATIENCE, type CommandLog } from './log.js';

/** What a cluster may be called: it becomes a part of the names of streams, subjects and keys. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Opens the log of a cluster; the client of its engine alone is loaded.
 *
 * @param url - `nats://host:4222` or `redis://host:6379`; `tls:` and `rediss:` are the same in TLS
 * @param name - the name of the cluster
 * @param patience - milliseconds that the engine may take for an answer
 * @throws BacklotError `invalid` for a url or a name that is not valid, `unavailable` when the engine does not answer
 */
export async function openLog(url: string, name: string, patience = PATIENCE): Promise<CommandLog> {
  if (!NAME.test(name))
    throw invalid(
      `the cluster name ${JSON.stringify(name.slice(0, 100))} must be 1 to 64 letters, digits, hyphens and underscores`,
    );
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  const open = ENGINES[protocol];
  if (open === undefined || host === '')
    throw invalid(
      `the cluster url ${JSON.stringify(withoutPassword(url).slice(0, 200))} must be like nats://127.0.0.1:4222 or redis://127.0.0.1:6379`,
    );
  try {
    return await open(url, name, patience);
  } catch (thrown) {
    throw new BacklotError(
      'unavailable',
      `the cluster "${name}" cannot be joined: ${protocol}//${host} answers: ${messageOf(thrown)}`,
      { cause: thrown },
    );
  }
}

type Open = (url: string, name: string, patience: number) => Promise<CommandLog>;

const openNats: Open = async (...given) => (await import('./nats-log.js')).openNatsLog(...given);
const openRedis: Open = async (...given) => (await import('./redis-log.js')).openRedisLog(...given);

const ENGINES: Readonly<Record<string, Open>> = {
  'nats:': openNats,
  'tls:': openNats,
  'redis:': openRedis,
  'rediss:': openRedis,
};

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
