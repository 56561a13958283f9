import { BadCommand } from '../wire/bad-command.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Reads the response of SASL PLAIN (RFC 4616).
 *
 * @param response - in base64, as it came
 * @throws BadCommand
 */
export function readPlain(response: string): [user: string, password: string] {
  if (!BASE64.test(response)) throw new BadCommand('the response is not base64');
  const [, user, password, more] = Buffer.from(response, 'base64').toString('utf8').split('\0');
  if (user === undefined || user === '' || password === undefined || more !== undefined) {
    throw new BadCommand(
      'the response must hold an identity, a user name and a password, with NUL between them',
    );
  }
  return [user, password];
}
