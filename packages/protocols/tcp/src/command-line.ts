import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Sends the same bytes in a connection of their own. */
export const COMMAND: CommandDeclaration = {
  tool: 'nc',
  write({ body }, { host, port, tls }) {
    if (body === undefined || body.length === 0 || tls) return undefined;
    return `${shellPrint(body)} | ${shellLine(['nc', '-w', '2', host, String(port)])}`;
  },
};
