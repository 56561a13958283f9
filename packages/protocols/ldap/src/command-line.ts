import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Searches again, without a name. */
export const COMMAND: CommandDeclaration = {
  tool: 'ldapsearch',
  write({ method, path, body }, { host, port, tls }) {
    if (method !== 'SEARCH' || typeof body !== 'string' || !body.startsWith('(')) return undefined;
    const line = shellLine([
      'ldapsearch',
      '-x',
      '-LLL',
      '-H',
      `${tls ? 'ldaps' : 'ldap'}://${host}:${port}`,
      '-b',
      path,
      body,
    ]);
    return tls ? `LDAPTLS_REQCERT=never ${line}` : line;
  },
};
