import { bearerChallenge, readBearerResponse, type BearerMechanism } from '@backlot/kit';
import type { SMTPServer } from 'smtp-server';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

type Login = Parameters<SMTPServer['onAuth']>[0];

/**
 * AUTH XOAUTH2 and AUTH OAUTHBEARER, with and without an initial response (RFC 4954, 4). The library has the first alone,
 * and reads it less strictly than the servers that clients were made for.
 *
 * @param args - what follows the mechanism
 */
export function beginBearer(
  connection: SMTPConnection,
  mechanism: BearerMechanism,
  args: readonly string[],
  callback: () => void,
): void {
  const [initial] = args;
  if (args.length > 1) {
    connection.send(501, `Error: syntax: AUTH ${mechanism} token`);
    callback();
  } else if (initial !== undefined) {
    checkToken(connection, mechanism, initial === '=' ? '' : initial, callback);
  } else {
    connection._nextHandler = (line, done) => {
      const response = line.toString().trim();
      if (response !== '*') return checkToken(connection, mechanism, response, done);
      connection.send(501, 'Authentication aborted');
      done();
    };
    connection.send(334);
    callback();
  }
}

function checkToken(
  connection: SMTPConnection,
  mechanism: BearerMechanism,
  text: string,
  callback: () => void,
): void {
  const response = readBearerResponse(mechanism, text);
  if (response === undefined) {
    connection.send(501, 'Error: invalid userdata');
    callback();
    return;
  }
  const { user, token } = response;
  // The listener is our own, which tells logins with a token by the token.
  const login: Login = {
    method: 'XOAUTH2',
    username: user,
    accessToken: token,
    validatePassword: () => false,
  };
  connection._server.onAuth(login, connection.session, (error, answer = {}) => {
    if (error) {
      connection.send((error as Error & { responseCode?: number }).responseCode ?? 535, error.message);
    } else if (answer.user === undefined) {
      // Whatever the client answers, the refusal follows (RFC 7628, 3.2.3).
      connection._nextHandler = (_line, done) => {
        connection.send(535, answer.message);
        done();
      };
      connection.send(334, bearerChallenge(mechanism));
    } else {
      connection.session.user = answer.user as string;
      connection.session.transmissionType = connection._transmissionType();
      connection.send(235, 'Authentication successful');
    }
    callback();
  });
}
