import { bodyBytes, shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** What is between key and value; no text of people has it. */
const BETWEEN = '\u001f';

/** Produces a record again, with its key and headers, to the same partition. */
export const COMMAND: CommandDeclaration = {
  tool: 'kcat',
  example: { method: 'PRODUCE', path: 'orders', query: { key: '42' }, body: '{"id": 42}' },
  write({ method, path, query = {}, headers = {}, body = '' }, { host, port, tls }) {
    const { key, partition } = query;
    if (method !== 'PRODUCE') return undefined;
    const bytes = bodyBytes(body);
    const hasKey = typeof key === 'string';
    if (bytes.includes('\n') || (hasKey && (key.includes('\n') || key.includes(BETWEEN)))) return undefined;
    const line = shellLine([
      'kcat',
      '-P',
      '-b',
      `${host}:${port}`,
      ...(tls ? ['-X', 'security.protocol=ssl', '-X', 'enable.ssl.certificate.verification=false'] : []),
      '-t',
      path,
      ...(typeof partition === 'string' ? ['-p', partition] : []),
      ...(hasKey ? ['-K', BETWEEN] : []),
      ...Object.entries(headers).flatMap(([name, value]) =>
        (typeof value === 'string' ? [value] : value).flatMap((each) => ['-H', `${name}=${each}`]),
      ),
    ]);
    return `${shellPrint(hasKey ? Buffer.concat([Buffer.from(key + BETWEEN), bytes]) : bytes)} | ${line}`;
  },
};
