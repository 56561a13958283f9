import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { CompileTools } from '../src/plugin.js';
import type { Host, RespondContext, WebhookSender } from '../src/index.js';
import { probe, startProbe } from './support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

/** A test plugin whose mocks functions may answer. */
const answering = () =>
  probe('probe', {
    more: {
      mocks: {
        noun: 'mock',
        configKey: 'mocks',
        mode: 'first',
        schema: Type.Object({ answer: Type.Optional(Type.String()) }, { additionalProperties: false }),
        examples: [{ answer: 'a' }],
        answer: { fields: ['answer'], direct: 'answer' },
        compile: (mock: { answer?: string }, tools: CompileTools) => ({
          answer: tools.template(mock.answer ?? '', '/answer'),
        }),
      },
    },
  });

type Fired = Parameters<WebhookSender['fire']>;

async function start(respond: (context: RespondContext) => unknown, enabled = true) {
  const fired: Fired[] = [];
  const sender: WebhookSender = {
    enabled,
    fire: (...given) => fired.push(given),
    send: () => Promise.reject(new Error('not used')),
    history: () => [],
    clear: () => undefined,
    reset: () => undefined,
    stop: () => Promise.resolve(),
  };
  const started = await startProbe({}, { webhooks: () => sender }, answering());
  host = started.host;
  host
    .kind('probe')
    .mocks.create({ id: 'm', respond: (_: unknown, context: RespondContext) => respond(context) });
  return { ask: started.ask, fired, host };
}

describe('a webhook that a function sends', () => {
  it('is what the function has made, whatever braces are in it', async () => {
    const { ask, fired, host } = await start((context) => {
      context.webhook({
        url: 'http://localhost/{{request.path}}',
        method: 'PUT',
        headers: { 'X-Made': '{{uuid}}' },
        body: '{"made": "{{by}}"}',
        sign: { scheme: 'stripe', secret: '{{vars.secret}}' },
        delay: 50,
        retries: 2,
      });
      return 'sent';
    });
    expect(await ask('/here')).toBe('sent');
    expect(fired).toHaveLength(1);
    const [[webhook], cause] = fired[0] as Fired;
    const text = (template: { constant: boolean; source: string } | undefined): unknown =>
      template && [template.constant, template.source];
    expect(text(webhook?.url)).toEqual([true, 'http://localhost/{{request.path}}']);
    expect(webhook?.headers.map(([name, value]) => [name, text(value)])).toEqual([
      ['X-Made', [true, '{{uuid}}']],
    ]);
    expect(text(webhook?.body)).toEqual([true, '{"made": "{{by}}"}']);
    expect([webhook?.sign?.scheme, text(webhook?.sign?.secret)]).toEqual([
      'stripe',
      [true, '{{vars.secret}}'],
    ]);
    expect(webhook).toMatchObject({ method: 'PUT', delay: 50, retries: 2, retryDelay: 1000 });
    expect(cause).toMatchObject({ protocol: 'probe', mockId: 'm' });
    // The entry of the journal is there once the message has been answered.
    expect(cause.logId()).toBe(host.journal.list()[0]?.id);
  });

  it('is a POST without a body, a delay and retries, where nothing else is said', async () => {
    const { ask, fired } = await start(({ webhook }) => typeof webhook);
    expect(await ask('/')).toBe('function');
    expect(fired).toEqual([]);
    const plain = await start((context) => {
      context.webhook({ url: 'http://localhost/hook' });
      return 'sent';
    });
    expect(await plain.ask('/')).toBe('sent');
    expect(plain.fired[0]?.[0]).toMatchObject([
      { method: 'POST', headers: [], body: undefined, sign: undefined, delay: 0, retries: 0 },
    ]);
  });

  it('is refused without a url, and the function may go on', async () => {
    const { ask, fired } = await start((context) => {
      try {
        context.webhook({ url: '' });
      } catch (thrown) {
        return (thrown as Error).message;
      }
      return 'sent';
    });
    expect(await ask('/')).toContain('a webhook needs a url, such as http://localhost:3000/hook');
    expect(fired).toEqual([]);
  });

  it('is not sent where webhooks are off, nor by a function whose client has left', async () => {
    const off = await start((context) => {
      context.webhook({ url: 'http://localhost/hook' });
      return 'sent';
    }, false);
    expect(await off.ask('/')).toBe('sent');
    expect(off.fired).toEqual([]);
    await off.host.stop(0);
    const made = answering();
    const fired: Fired[] = [];
    const sender = {
      enabled: true,
      fire: (...given: Fired) => fired.push(given),
      reset() {},
      stop: () => Promise.resolve(),
    };
    const started = await startProbe({}, { webhooks: () => sender as never }, made);
    host = started.host;
    let goOn = (): void => undefined;
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    let isDone: Promise<void> | undefined;
    const respond = (_: unknown, context: RespondContext): Promise<string> => {
      const answered = waits.then(() => {
        context.webhook({ url: 'http://localhost/hook' });
        return 'late';
      });
      isDone = answered.then(() => undefined);
      return answered;
    };
    host.kind('probe').mocks.create({ id: 'late', respond });
    const exchange = made.context().receive({ method: 'ASK', path: '/', remote: 'x' });
    void exchange.resolve();
    exchange.abort();
    goOn();
    await isDone;
    expect(fired).toEqual([]);
  });
});
