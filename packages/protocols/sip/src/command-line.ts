import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Asks the same address with OPTIONS again; what needs a whole dialogue is no single command. */
export const COMMAND: CommandDeclaration = {
  tool: 'sipsak',
  write({ method, path }, { host, port, tls }) {
    const found = /^sip:([^@;?\s]+)@/.exec(path);
    if (method !== 'OPTIONS' || found === null || tls) return undefined;
    return shellLine(['sipsak', '-v', '-s', `sip:${found[1] ?? ''}@${host}:${port}`]);
  },
};
