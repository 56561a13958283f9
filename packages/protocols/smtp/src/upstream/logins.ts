import type { Authentication } from '../auth.js';
import type { Reply } from '../reply.js';
import type { SmtpLine } from './line.js';

/** Who a client says that it is. */
export interface Login {
  readonly username: string;
  readonly password: string;
  /** In place of the password. */
  readonly accessToken: string | undefined;
}

/** Logins that the upstream decides about: those with a password or a token that can be passed on. */
export function relayedAuthentication(
  logIn: (session: object, login: Login) => Promise<Reply>,
): Authentication {
  return {
    methods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    isOptional: true,
    check({ username, password, accessToken }, session, callback) {
      const user = username ?? '';
      void logIn(session, { username: user, password: password ?? '', accessToken }).then(
        ({ code, text }) => {
          if (code === 235) callback(null, { user: user === '' ? 'anonymous' : user });
          else callback(Object.assign(new Error(text), { responseCode: code }));
        },
      );
    },
  };
}

/** Passes a login on, by a mechanism that the upstream has. @throws Error when it gives no answer */
export async function passLogin(line: SmtpLine, { username, password, accessToken }: Login): Promise<Reply> {
  if (accessToken !== undefined)
    return line.ask(`AUTH XOAUTH2 ${encode(`user=${username}\x01auth=Bearer ${accessToken}\x01\x01`)}`);
  const offered = (await line.features()).get('AUTH')?.split(' ') ?? [];
  if (offered.includes('PLAIN') || !offered.includes('LOGIN'))
    return line.ask(`AUTH PLAIN ${encode(`\0${username}\0${password}`)}`);
  let reply = await line.ask('AUTH LOGIN');
  for (const word of [username, password]) if (reply.code === 334) reply = await line.ask(encode(word));
  return reply;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
