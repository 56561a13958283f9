import { bodyBytes, shellLine, shellWord, type CommandDeclaration } from '@backlot/core/plugin';

/** Publishes a message again, in the text of the protocol. */
export const COMMAND: CommandDeclaration = {
  tool: 'nc',
  example: { method: 'PUB', path: 'lamps.7', body: 'on' },
  write({ method, path, body = '' }, { host, port, tls }) {
    if (!/^(?:PUB|REQ)$/.test(method) || tls || /\s/.test(path)) return undefined;
    const bytes = bodyBytes(body);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes) || text.includes('\0')) return undefined;
    const inbox = method === 'REQ' ? '_INBOX.shell' : '';
    const subscribed = inbox === '' ? '' : `SUB ${inbox} 1\r\n`;
    const sent = `CONNECT {"verbose":false}\r\n${subscribed}PUB ${path} ${inbox === '' ? '' : `${inbox} `}${bytes.length}\r\n${text}\r\nPING\r\n`;
    return `printf %s ${shellWord(sent)} | ${shellLine(['nc', '-w', '2', host, String(port)])}`;
  },
};
