import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

/** Sends a command again, in the same database. */
export const COMMAND: CommandDeclaration = {
  tool: 'redis-cli',
  example: { method: 'SET', path: 'greeting', extras: { args: ['hello'] } },
  write({ method, path, extras = {} }, { host, port, tls }) {
    const { args, database = 0 } = extras;
    // A command that begins with a dash would be an option, and some connections say only what they are.
    if (!Array.isArray(args) || !/^[A-Za-z]/.test(method)) return undefined;
    return shellLine([
      'redis-cli',
      '-h',
      host,
      '-p',
      String(port),
      ...(tls ? ['--tls', '--insecure'] : []),
      ...(Number(database) === 0 ? [] : ['-n', String(database)]),
      ...method.split(' '),
      ...(path === '' && args.length === 0 ? [] : [path]),
      ...args.map(String),
    ]);
  },
};
