import { ByteReader, FramingError } from '@backlot/kit/framing';
import { AmqpError } from '../wire/amqp-error.js';
import { readTable } from '../wire/field-table.js';
import { REPLY } from '../wire/reply-codes.js';

/** Who logs in, and how. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The mechanisms that a client may choose from. */
export const MECHANISMS = 'AMQPLAIN PLAIN';

/**
 * Reads what a client logs in with.
 *
 * @throws AmqpError 403 when it is not of the mechanism's form, or the mechanism is not one of those offered
 */
export function readLogin(mechanism: string, response: Buffer): Login {
  try {
    if (mechanism === 'PLAIN') return readPlain(response);
    if (mechanism === 'AMQPLAIN') return readAmqplain(response);
  } catch (thrown) {
    if (!(thrown instanceof FramingError)) throw thrown;
  }
  throw refusal(mechanism);
}

/** The error of a login that fails. */
export function refusal(mechanism: string): AmqpError {
  return new AmqpError(REPLY.accessRefused, refusalText(mechanism));
}

/** What a fault says of the logins that it refuses. */
export interface LoginFault {
  readonly reply_code?: number;
  readonly reply_text?: string;
}

/** The error of a login that a fault refuses: that of a wrong password where the fault does not say another. */
export function refusalBy({ reply_code: code, reply_text: text }: LoginFault, mechanism: string): AmqpError {
  return new AmqpError(code ?? REPLY.accessRefused, text ?? refusalText(mechanism));
}

function refusalText(mechanism: string): string {
  return `Login was refused using authentication mechanism ${mechanism}. For details see the broker logfile.`;
}

/** RFC 4616: an identity to act for, the name, and the password, with a NUL in front of the last two. */
function readPlain(response: Buffer): Login {
  const [, username, password] = response.toString('utf8').split('\0');
  if (username === undefined || password === undefined) throw refusal('PLAIN');
  return { username, password };
}

/** A field table without its length, with the names in capitals. */
function readAmqplain(response: Buffer): Login {
  const sized = Buffer.alloc(4 + response.length);
  sized.writeUInt32BE(response.length);
  response.copy(sized, 4);
  const table = readTable(new ByteReader(sized));
  const username = table.get('LOGIN');
  const password = table.get('PASSWORD');
  if (typeof username !== 'string' || typeof password !== 'string') throw refusal('AMQPLAIN');
  return { username, password };
}
