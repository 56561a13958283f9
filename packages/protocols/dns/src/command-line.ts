import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Asks the same question again. */
export const COMMAND: CommandDeclaration = {
  tool: 'dig',
  write({ path, body }, { host, port }) {
    if (typeof body !== 'string' || !/^[A-Z][A-Z\d]*$/.test(body)) return undefined;
    return shellLine(['dig', `@${host}`, '-p', String(port), '-t', body, '-q', path === '' ? '.' : path]);
  },
};
