import { bodyBytes, shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Sends a message again, in a session of its own. */
export const COMMAND: CommandDeclaration = {
  tool: 'nc',
  example: { method: 'SEND', path: '/queue/orders', body: '{"id": 42}' },
  write({ method, path, headers = {}, body = '' }, { host, port, tls }) {
    if (method !== 'SEND' || tls) return undefined;
    const bytes = bodyBytes(body);
    const lines = Object.entries(headers)
      .filter(([name]) => !/^(?:content-length|destination|receipt|transaction)$/.test(name))
      .flatMap(([name, value]) =>
        (typeof value === 'string' ? [value] : value).map((each) => `${escaped(name)}:${escaped(each)}\n`),
      );
    const frame = Buffer.concat([
      Buffer.from(
        `CONNECT\naccept-version:1.2\nhost:${host}\n\n\0SEND\ndestination:${escaped(path)}\n${lines.join('')}content-length:${bytes.length}\n\n`,
      ),
      bytes,
      Buffer.from('\0DISCONNECT\n\n\0'),
    ]);
    return `${shellPrint(frame)} | ${shellLine(['nc', '-w', '1', host, String(port)])}`;
  },
};

/** A text in a header of STOMP 1.2. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(':', String.raw`\c`);
}
