import net from 'node:net';
import { createTransport } from 'nodemailer';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { smtp } from '../src/index.js';

describeConformance(smtp, {
  mocks: {
    simple: { to: 'simple@example.com', message: '250 one' },
    changed: { to: 'simple@example.com', message: '250 two' },
    other: { to: 'OTHER@*', subject: 'other', message: 'three' },
    template: { to: 'simple@example.com', message: '{{upper request.subject}} to {{request.to}}' },
    bad: [
      { from: 5 },
      { from: 're:(' },
      { to: {} },
      { subject: { any_of: [] } },
      { action: 'bounce' },
      { message: '' },
      { message: '{{#open}}' },
      { action: 'reject', message: '250 OK' },
      { action: 'defer', message: '550 never' },
      { action: 'accept', message: '354 go on' },
      { from: 'a@b', no_such: 1 },
    ],
  },
  answers: {
    simple: '250 one',
    changed: '250 two',
    other: '250 three',
    template: '250 SIMPLE to simple@example.com',
    unmatched: '250 OK: queued',
    fault: '421 fault injected',
  },
  logged: { method: 'MAIL', path: 'sender@example.com -> simple@example.com' },
  captured: 'simple@example.com',
  login: {
    async attempt({ host, port }) {
      const transport = createTransport({ host, port, auth: { user: 'ann', pass: 'secret' } });
      try {
        await transport.verify();
        return 'accepted';
      } catch (error) {
        return (error as { response?: string }).response ?? String(error);
      } finally {
        transport.close();
      }
    },
    refused: '535 Authentication credentials invalid',
    custom: { fault: { code: 454, message: 'later' }, refused: '454 later' },
  },
  connect,
  namesSpaces: true,
});

/** nodemailer in its default settings, with one connection. */
async function connect({ host, port }: ListenAddress, space?: string): Promise<ProbeClient> {
  const socket = net.connect({ host, port });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const transport = createTransport({
    host,
    port,
    pool: true,
    maxConnections: 1,
    ...(space === undefined ? {} : { auth: { user: space, pass: 'any' } }),
    getSocket: (_options: unknown, callback: (error: null, socket: { connection: net.Socket }) => void) =>
      callback(null, { connection: socket }),
  });
  return {
    async send(message) {
      try {
        const { response = '' } = await transport.sendMail({
          from: 'sender@example.com',
          to: `${message}@example.com`,
          subject: message,
          text: `This is ${message}.`,
        });
        return response.replace(/ as .*/, '');
      } catch (error) {
        const { response } = error as { response?: string };
        return response ?? 'closed';
      }
    },
    close: () => abandon(socket),
  };
}
