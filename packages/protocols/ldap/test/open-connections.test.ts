import { expect, it } from '@jest/globals';
import { connect, RawClient, startHost } from './support.js';

/** The name of a notice of disconnection (RFC 4511, section 4.4.1), in octets. */
const NOTICE = Buffer.from('1.3.6.1.4.1.1466.20036');

it('a connection shows who has bound, and is closed with a notice of disconnection', async () => {
  const running = await startHost();
  const { kind, port } = running;
  const client = connect(running);
  await client.bind('cn=ada,dc=example', 'secret');
  expect(kind.connections.list()).toEqual([expect.objectContaining({ user: 'cn=ada,dc=example' })]);
  const raw = await RawClient.connect(port);
  const bytes: Buffer[] = [];
  raw.socket.on('data', (chunk: Buffer) => bytes.push(chunk));
  await new Promise<void>((resolve) => {
    raw.socket.once('close', () => resolve());
    const wait = (): void => {
      if (kind.connections.list().length < 2) setImmediate(wait);
      else kind.connections.close({}, 'goodbye');
    };
    wait();
  });
  expect(Buffer.concat(bytes).includes(NOTICE)).toBe(true);
});
