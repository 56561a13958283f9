import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Publishes a message again. */
export const COMMAND: CommandDeclaration = {
  tool: 'amqp-publish',
  example: { method: 'PUBLISH', path: 'orders', body: '{"id": 42}' },
  write({ method, path, body = '', headers = {} }, { host, port, tls }) {
    if (method !== 'PUBLISH' || tls) return undefined;
    const { exchange, content_type: type, delivery_mode: mode } = headers;
    const line = shellLine([
      'amqp-publish',
      '-s',
      host,
      `--port=${port}`,
      ...(typeof exchange === 'string' && exchange !== '' ? [`--exchange=${exchange}`] : []),
      `--routing-key=${path}`,
      ...(typeof type === 'string' ? [`--content-type=${type}`] : []),
      ...(mode === '2' ? ['--persistent'] : []),
    ]);
    return `${shellPrint(body)} | ${line}`;
  },
};
