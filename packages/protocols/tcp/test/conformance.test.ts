import net from 'node:net';
import { createInterface } from 'node:readline';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { tcp } from '../src/index.js';

describeConformance(tcp, {
  settings: { delimiter: '\n', close_unmatched: true },
  mocks: {
    simple: { match: 'simple', response: 'one\n' },
    changed: { match: 'simple', response: 'two\n' },
    other: { match: 'other', response: 'three\n' },
    template: { match: 'simple', response: '{{upper request.body}}\n' },
    bad: [
      { match: 're:(' },
      { match: 'hex:0' },
      { match: 'a', response: 'hex:zz' },
      { match: 'a', response: '{{#open}}' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'closed',
    fault: 'closed',
  },
  logged: { method: 'RECV' },
  connect,
});

/** Writes a line and reads a line. */
async function connect(address: ListenAddress): Promise<ProbeClient> {
  const socket = net.connect(address);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => undefined);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    async send(message) {
      socket.write(`${message}\n`);
      const line = await lines.next();
      return line.done === true ? 'closed' : line.value;
    },
    close: () => abandon(socket),
  };
}
