import {
  asyncapiContract,
  describeConformance,
  type ListenAddress,
  type ProbeClient,
} from '@backlot/conformance';
import { connect, errors, type NatsConnection, type RequestOptions } from '@nats-io/transport-node';
import { nats } from '../src/index.js';

/** How long a client waits for an answer, in ms: a fault loses messages, and nobody is told. */
const PATIENCE = 1_500;
/** A subject for answers that a contract knows. */
const ANSWERS = 'probe.answers';

const answered = (subject: string, payload: string): Record<string, unknown> => ({
  subject,
  response: { subject: ANSWERS, payload },
});

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
  contract: {
    ...asyncapiContract({ 'probe.simple': { clients: ['hello'] }, [ANSWERS]: { mocks: ['one'] } }),
    mocks: {
      simple: answered('probe.simple', 'one'),
      changed: answered('probe.simple', 'two'),
      other: answered('probe.other', 'three'),
    },
    connect: (address) => connectProbe(address, undefined, { noMux: true, reply: ANSWERS }),
    refused: 'Permissions Violation for Publish to "probe.other": /subject must be a channel of the contract',
    async sendLong({ host, port }) {
      const client = await connect({ servers: `${host}:${port}`, reconnect: false });
      client.publish('probe.simple', new Uint8Array(300_000));
      await client.flush();
      await client.close();
    },
  },
  connect: (address, space) => connectProbe(address, space),
  namesSpaces: true,
});

/**
 * Sends requests.
 *
 * @param options - where they are answered
 */
async function connectProbe(
  { host, port }: ListenAddress,
  space?: string,
  options: Partial<RequestOptions> = {},
): Promise<ProbeClient> {
  const named = space === undefined ? {} : { user: space, pass: 'any' };
  const client = await connect({ servers: `${host}:${port}`, reconnect: false, ...named });
  return { send: (message) => ask(client, `probe.${message}`, options), close: () => client.close() };
}

async function ask(
  client: NatsConnection,
  subject: string,
  options: Partial<RequestOptions>,
): Promise<string> {
  try {
    return (await client.request(subject, 'hello', { timeout: PATIENCE, ...options })).string();
  } catch (error) {
    if (error instanceof errors.RequestError && error.isNoResponders()) return 'no responders';
    if (error instanceof errors.RequestError && error.cause instanceof errors.PermissionViolationError)
      return error.message;
    if (error instanceof errors.TimeoutError) return 'nothing';
    throw error;
  }
}
