import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { nats } from '../src/index.js';

/** How long a client waits for an answer, in ms: a fault loses messages, and nobody is told. */
const PATIENCE = 1_500;

describeConformance(nats, {
  settings: { jetstream: true },
  mocks: {
    simple: { subject: 'probe.simple', response: { payload: 'one' } },
    changed: { subject: 'probe.simple', response: { payload: 'two' } },
    other: { subject: 'probe.other', response: { payload: 'three' } },
    template: { subject: 'probe.{name}', response: { payload: '{{upper request.params.name}}' } },
    bad: [
      { response: {} },
      { subject: '' },
      { subject: 'a b' },
      { subject: 'a..b' },
      { subject: 'a.>.b' },
      { subject: 'a*' },
      { subject: '{a}.{a}' },
      { subject: 'a.{b c}' },
      { subject: 'a.{b}x' },
      { subject: 're:(' },
      { subject: 'a', queue_group: 'a b' },
      { subject: 'a', payload: 're:(' },
      { subject: 'a', headers: { 'a:b': 'c' } },
      { subject: 'a', headers: { a: {} } },
      { subject: 'a', response: { subject: 'a.*' } },
      { subject: 'a', response: { subject: 'a..b' } },
      { subject: 'a', response: { payload: '{{#open}}' } },
      { subject: 'a', response: { headers: { 'a b': 'c' } } },
      { subject: 'a', response: { delay: 'soon' } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'no responders',
    fault: 'nothing',
  },
  logged: { method: 'PUB', path: 'probe.simple' },
  captured: 'probe.simple',
  login: {
    async attempt({ host, port }) {
      try {
        const client = await connect({ servers: `${host}:${port}`, reconnect: false });
        await client.close();
        return 'accepted';
      } catch (error) {
        return String(error);
      }
    },
    refused: 'AuthorizationError: Authorization Violation',
  },
  connect: connectProbe,
  namesSpaces: true,
});

/** Sends requests. */
async function connectProbe({ host, port }: ListenAddress, space?: string): Promise<ProbeClient> {
  const named = space === undefined ? {} : { user: space, pass: 'any' };
  const client = await connect({ servers: `${host}:${port}`, reconnect: false, ...named });
  return { send: (message) => ask(client, `probe.${message}`), close: () => client.close() };
}

async function ask(client: NatsConnection, subject: string): Promise<string> {
  try {
    return (await client.request(subject, 'hello', { timeout: PATIENCE })).string();
  } catch (error) {
    if (error instanceof errors.RequestError && error.isNoResponders()) return 'no responders';
    if (error instanceof errors.TimeoutError) return 'nothing';
    throw error;
  }
}
