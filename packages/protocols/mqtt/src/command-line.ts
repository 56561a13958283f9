import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Publishes a message again, or subscribes for the next one. */
export const COMMAND: CommandDeclaration = {
  tool: 'mosquitto_pub',
  example: { method: 'PUBLISH', path: 'lamps/7', body: 'on' },
  write({ method, path, body = '', extras = {} }, { host, port, tls }) {
    // Its client takes no certificate that nobody has signed.
    if (tls) return undefined;
    const address = ['-h', host, '-p', String(port)];
    const { qos, retain } = extras;
    const quality = typeof qos === 'number' && qos > 0 ? ['-q', String(qos)] : [];
    if (method === 'SUBSCRIBE')
      return shellLine(['mosquitto_sub', ...address, ...quality, '-v', '-C', '1', '-t', path]);
    if (method !== 'PUBLISH') return undefined;
    const kept = retain === true ? ['-r'] : [];
    const line = shellLine([
      'mosquitto_pub',
      ...address,
      ...quality,
      ...kept,
      '-t',
      path,
      body.length === 0 ? '-n' : '-s',
    ]);
    return body.length === 0 ? line : `${shellPrint(body)} | ${line}`;
  },
};
