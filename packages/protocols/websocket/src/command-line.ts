import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Connects to the same path and sends a text, with the client of python3-websocket. */
export const COMMAND: CommandDeclaration = {
  tool: 'wsdump',
  write({ method, path, query = {}, body }, { url, tls }) {
    const { origin } = new URL(url.replace(/^ws/, 'http'));
    if (method === 'CLOSE' || (body !== undefined && typeof body !== 'string')) return undefined;
    const text = method === 'MESSAGE' && body !== undefined ? ['--text', body] : [];
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
    );
    if (body?.startsWith('-') === true) return undefined;
    return shellLine([
      'wsdump',
      ...(tls ? ['--nocert'] : []),
      '--eof-wait',
      '1',
      ...text,
      `${origin.replace(/^http/, 'ws')}${path}${pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`}`,
    ]);
  },
};
