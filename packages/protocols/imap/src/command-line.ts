import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Commands about the connection or the login, which curl sends by itself. */
const OWN = /^(?:CAPABILITY|AUTHENTICATE|LOGIN|LOGOUT|STARTTLS|ID|IDLE|DONE|NOOP|APPEND|SELECT|EXAMINE)$/;

/** Gives a command again in the same mailbox; the name and the password are to be filled in. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  write({ method, path, body = '' }, { host, port, tls }) {
    if (OWN.test(method) || typeof body !== 'string' || /[\r\n]/.test(body)) return undefined;
    const url = `${tls ? 'imaps' : 'imap'}://${host}:${port}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return shellLine([
      'curl',
      '-sS',
      ...(tls ? ['-k'] : []),
      '-u',
      'user:password',
      '-X',
      `${method} ${body}`.trim(),
      url,
    ]);
  },
};
