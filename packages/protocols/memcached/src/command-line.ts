import { bodyBytes, shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

const STORES = /^(?:set|add|replace|append|prepend)$/;
const READS = /^(?:get|gets|delete)$/;
const COUNTS = /^(?:incr|decr)$/;

/** Gives a command again, in the text of the protocol. */
export const COMMAND: CommandDeclaration = {
  tool: 'nc',
  write({ method, path, body = '', extras = {} }, { host, port, tls }) {
    const { flags = 0, exptime = 0, delta = 0 } = extras;
    if (tls || path === '' || /[\s\0]/.test(path)) return undefined;
    const value = bodyBytes(body);
    let text: Buffer;
    if (READS.test(method)) text = Buffer.from(`${method} ${path}\r\n`);
    else if (COUNTS.test(method)) text = Buffer.from(`${method} ${path} ${String(delta)}\r\n`);
    else if (STORES.test(method))
      text = Buffer.concat([
        Buffer.from(`${method} ${path} ${Number(flags)} ${Number(exptime)} ${value.length}\r\n`),
        value,
        Buffer.from('\r\n'),
      ]);
    else return undefined;
    return `${shellPrint(text)} | ${shellLine(['nc', '-w', '1', host, String(port)])}`;
  },
};
