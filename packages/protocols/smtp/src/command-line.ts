import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Sends a mail again, to the same recipients. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  example: {
    method: 'MAIL',
    path: 'ann@example.com -> bob@example.com',
    body: 'Subject: Hello\r\n\r\nHow are you?\r\n',
  },
  write({ path, body }, { host, port, tls }) {
    const [from, to] = path.split(' -> ');
    if (from === undefined || to === undefined || body === undefined) return undefined;
    const recipients = to.split(/,\s*/).flatMap((address) => ['--mail-rcpt', address]);
    const url = `${tls ? 'smtps' : 'smtp'}://${host}:${port}`;
    const words = ['curl', '-sS', ...(tls ? ['-k'] : []), '--mail-from', from, ...recipients, '-T', '-', url];
    return `${shellPrint(body)} | ${shellLine(words)}`;
  },
};
