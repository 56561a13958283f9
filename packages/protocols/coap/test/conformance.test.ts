import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { Agent, request } from 'coap';
import { coap } from '../src/index.js';

describeConformance(coap, {
  mocks: {
    simple: { path: '/simple', response: { payload: 'one' } },
    changed: { path: '/simple', response: { payload: 'two' } },
    other: { path: '/other', response: { payload: 'three' } },
    template: { path: '/{name}', response: { payload: '{{upper request.params.name}}' } },
    bad: [
      { path: '/simple', response: { code: '9.99' } },
      { path: '/simple', response: { code: '2.5' } },
      { path: '/simple', response: { code: 2.055 } },
      { path: '/simple', response: { code: '2.32' } },
      { path: '/simple', method: 'HEAD' },
      { path: '/simple', response: { content_format: 'application/unheard-of' } },
      { path: '/simple', response: { content_format: 65_536 } },
      { path: '/simple?a=b' },
      { path: '/{a}/{a}' },
      { path_regex: '(' },
      { path: '/simple', response: { payload: '{{#open}}' } },
    ],
  },
  answers: {
    simple: '2.05 one',
    changed: '2.05 two',
    other: '2.05 three',
    template: '2.05 SIMPLE',
    unmatched: '4.04',
    fault: '5.00',
  },
  logged: { method: 'GET', path: '/simple' },
  connect,
});

/** The npm client `coap`. */
async function connect({ host, port }: ListenAddress): Promise<ProbeClient> {
  const agent = new Agent();
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        const outgoing = request({ hostname: host, port, agent, pathname: `/${message}` });
        outgoing.on('error', reject);
        outgoing.on('timeout', reject);
        outgoing.on('response', ({ code, payload }) =>
          resolve(code < '3' ? `${code} ${payload.toString()}` : code),
        );
        outgoing.end();
      }),
    close: () => agent.close(),
  };
}
