import type net from 'node:net';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { gopher } from '../src/index.js';
import { fetchItem } from './fetch.js';

describeConformance(gopher, {
  mocks: {
    simple: { selector: 'simple', text: 'one' },
    changed: { selector: 'simple', text: 'two' },
    other: { selector: 'other', menu: [{ title: 'three' }] },
    template: { selector: 'simple', text: '{{upper request.path}}' },
    bad: [
      { selector: 'a' },
      { text: 'b', menu: [] },
      { selector: 're:(', text: 'c' },
      { menu: [{ title: '{{#open}}' }] },
      { menu: [{ title: 'd', type: '10' }] },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'is not here',
    fault: 'fault injected',
  },
  logged: { method: 'FETCH', path: 'simple' },
  connect,
});

/** A client that connects for each request, as clients of Gopher do. */
function connect(address: ListenAddress): Promise<ProbeClient> {
  let current: net.Socket | undefined;
  return Promise.resolve({
    async send(message) {
      const { socket, answer } = fetchItem(address, message);
      current = socket;
      // A reset is an end like any other.
      const received = await answer.catch(() => '');
      return received === '' ? 'closed' : (/^[3i]?(?:"\w+" )?([^\t\r]*)/.exec(received)?.[1] ?? '');
    },
    close: () => current !== undefined && abandon(current),
  });
}
