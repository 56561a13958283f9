import http from 'node:http';
import https from 'node:https';
import { BacklotError, afterRealTime, messageOf } from '@backlot/core/plugin';
import type { ReplicaAnswer, ReplicaQuestion } from '@backlot/management';
import type { ReplicaKey } from './replica-key.js';

/** How long a replica may take until its connection stands, in milliseconds. */
const CONNECTED = 2_000;
/** How long it may say nothing, where it has no reason to wait. */
const SILENT = 5_000;

/** A replica that is asked. */
export interface AskedReplica {
  readonly name: string;
  readonly session: string;
  /** Where its management API is. */
  readonly url: string;
}

/** What answers at the address of a replica is another process. */
class OtherProcessError extends Error {}

/** A connection that was kept had ended when it was used again. */
class StaleConnectionError extends Error {}

/**
 * Asks another replica through its management API.
 *
 * @throws BacklotError `unavailable` that names it, whose cause is what was wrong
 */
export async function askReplica(
  replica: AskedReplica,
  question: ReplicaQuestion,
  key: ReplicaKey,
): Promise<ReplicaAnswer> {
  try {
    return await sendAgain(replica, question, key);
  } catch (thrown) {
    question.signal.throwIfAborted();
    throw notAnswered(replica, messageOf(thrown), thrown);
  }
}

/** Uses a connection that was kept where nothing is changed if the question arrives twice. */
async function sendAgain(
  replica: AskedReplica,
  question: ReplicaQuestion,
  key: ReplicaKey,
): Promise<ReplicaAnswer> {
  if (question.method !== 'GET') return await send(replica, question, key, false);
  try {
    return await send(replica, question, key, true);
  } catch (thrown) {
    if (!(thrown instanceof StaleConnectionError)) throw thrown;
    return await send(replica, question, key, false);
  }
}

async function send(
  replica: AskedReplica,
  { method, path, body, space, waits, signal }: ReplicaQuestion,
  key: ReplicaKey,
  keepsConnection: boolean,
): Promise<ReplicaAnswer> {
  const url = new URL(path, replica.url);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      signal,
      ...(keepsConnection ? {} : { agent: false }),
      headers: {
        // Its name on the network need not be one that its own clients use.
        host: 'localhost',
        authorization: key.sign({ method, path: url.pathname + url.search }),
        ...(space === undefined ? {} : { 'backlot-space': space }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
      // Certificates are often made by the process itself. The key is not sent, so that who pretends to be it has nothing of it.
      rejectUnauthorized: false,
    });
    const connecting = afterRealTime(CONNECTED, () =>
      request.destroy(new Error(`it was not reached within ${CONNECTED} ms`)),
    );
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => connecting.cancel());
      else connecting.cancel();
    });
    if (waits !== 'answer')
      request.setTimeout(
        SILENT,
        () => void request.destroy(new Error(`it has said nothing for ${SILENT} ms`)),
      );
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnectionError() : error);
    });
    request.on('close', () => connecting.cancel());
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      const isOther = headers['backlot-replica'] !== `${replica.name}~${replica.session}`;
      // What is refused before a route has it names nobody.
      if (isOther && status < 400) {
        request.destroy();
        reject(new OtherProcessError('another process has its address'));
        return;
      }
      if (waits === 'events') request.setTimeout(0);
      resolve({ status, headers, body: response });
    });
    request.end(text);
  });
}

function notAnswered({ name, url }: AskedReplica, reason: string, cause: unknown): BacklotError {
  return new BacklotError(
    'unavailable',
    `the replica "${name}" at ${url} does not answer: ${reason}; without it the answer would not be whole, and consistency=local asks this one alone`,
    { cause, fields: { replica: name } },
  );
}

/** Whether a replica that was asked is no longer there: its port takes no connections, or is another's. */
export function isGone(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { readonly cause?: unknown };
  if (cause instanceof OtherProcessError) return true;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === 'ECONNREFUSED';
}
