import net from 'node:net';
import { createInterface } from 'node:readline';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { __kind__ } from '../src/index.js';

describeConformance(__kind__, {
  mocks: {
    simple: { match: 'simple', response: 'one' },
    changed: { match: 'simple', response: 'two' },
    other: { match: 'other', response: 'three' },
    template: { match: 'simple', response: '{{upper request.body}}' },
    bad: [{ match: 'a' }, { match: 're:(', response: 'b' }, { response: '{{#open}}' }],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'ERROR no mock matched',
    fault: 'ERROR fault injected',
  },
  logged: { method: 'LINE', path: 'simple' },
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
