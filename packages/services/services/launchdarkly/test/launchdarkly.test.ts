import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { init, type LDClient, type LDOptions } from '@launchdarkly/node-server-sdk';
import { useBacklot } from '@backlot/testing';
import type * as ClientSdk from 'launchdarkly-node-client-sdk';

const load = createRequire(import.meta.url);
const { initialize } = load('launchdarkly-node-client-sdk') as typeof ClientSdk;

const backlot = useBacklot({ services: ['launchdarkly'] });

const silent = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const ANN = { kind: 'user', key: 'ann', email: 'ann@example.com', plan: 'gold' };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function connect(options: LDOptions = {}, key = backlot.env.LAUNCHDARKLY_SDK_KEY): LDClient {
  const url = backlot.env.LAUNCHDARKLY_URL;
  const client = init(key, {
    baseUri: url,
    streamUri: url,
    eventsUri: url,
    logger: silent,
    streamInitialReconnectDelay: 0.01,
    ...options,
  });
  client.on('error', () => undefined);
  closing.push(() => client.close());
  return client;
}

async function ready(options: LDOptions = {}): Promise<LDClient> {
  const client = connect(options);
  await client.waitForInitialization({ timeout: 60 });
  return client;
}

function connectBrowserLike(context = ANN, options: ClientSdk.LDOptions = {}): ClientSdk.LDClient {
  const url = backlot.env.LAUNCHDARKLY_URL;
  const client = initialize(backlot.env.LAUNCHDARKLY_CLIENT_SIDE_ID, context, {
    baseUrl: url,
    streamUrl: url,
    eventsUrl: url,
    logger: silent,
    localStoragePath: '/nonexistent',
    sendEvents: false,
    ...options,
  });
  closing.push(() => client.close());
  return client;
}

const flags = () => backlot.collection<Record<string, unknown>>('launchdarkly:flags');
const segments = () => backlot.collection<Record<string, unknown>>('launchdarkly:segments');
const COLOUR = { key: 'colour', variations: ['red', 'green', 'blue'], fallthrough: { variation: 1 } };

/** The next change of a flag that the SDK has taken. */
const changed = (client: LDClient, key: string): Promise<void> =>
  new Promise((resolve) => client.once(`update:${key}`, () => resolve()));

async function rest(method: string, path: string, body?: unknown): Promise<{ status: number; json: never }> {
  const response = await fetch(`${backlot.env.LAUNCHDARKLY_URL}/api/v2${path}`, {
    method,
    headers: { Authorization: backlot.env.LAUNCHDARKLY_ACCESS_TOKEN, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: (text === '' ? undefined : JSON.parse(text)) as never };
}

describe('a server SDK', () => {
  it('gets flags by the stream and evaluates them', async () => {
    flags().create({ key: 'simple' });
    flags().create({ ...COLOUR, targets: [{ variation: 2, values: ['ann'] }] });
    const client = await ready();
    expect(await client.boolVariation('simple', ANN, false)).toBe(true);
    expect(await client.stringVariationDetail('colour', ANN, '')).toMatchObject({
      value: 'blue',
      reason: { kind: 'TARGET_MATCH' },
    });
    expect(await client.stringVariation('colour', { kind: 'user', key: 'bob' }, '')).toBe('green');
    expect(await client.variation('none', ANN, 7)).toBe(7);
  });

  it('has changes at once, by whomever they are made', async () => {
    flags().create({ key: 'simple' });
    const client = await ready();
    const off = changed(client, 'simple');
    flags().update('simple', { on: false });
    await off;
    expect(await client.boolVariation('simple', ANN, true)).toBe(false);
    expect(flags().get('simple')).toMatchObject({ version: 2 });
    const on = changed(client, 'simple');
    await rest('PATCH', '/flags/default/simple', { instructions: [{ kind: 'turnFlagOn' }] });
    await on;
    expect(await client.boolVariation('simple', ANN, false)).toBe(true);
    const gone = changed(client, 'simple');
    flags().remove('simple');
    await gone;
    expect(await client.boolVariation('simple', ANN, false)).toBe(false);
    const back = changed(client, 'other');
    flags().setAll([{ key: 'other' }]);
    await back;
    expect(await client.boolVariation('other', ANN, false)).toBe(true);
  });

  it('tells two running SDKs the same, with a version that grows once', async () => {
    flags().create({ key: 'simple' });
    const both = await Promise.all([ready(), ready()]);
    const told = both.map((client) => changed(client, 'simple'));
    flags().update('simple', { on: false });
    await Promise.all(told);
    expect(await Promise.all(both.map((client) => client.boolVariation('simple', ANN, true)))).toEqual([
      false,
      false,
    ]);
    expect(flags().get('simple')).toMatchObject({ version: 2 });
  });

  it('has changes of segments', async () => {
    segments().create({ key: 'beta', included: [] });
    flags().create({
      key: 'beta-flag',
      fallthrough: { variation: 1 },
      rules: [
        {
          id: 'r',
          variation: 0,
          clauses: [{ contextKind: 'user', attribute: '', op: 'segmentMatch', values: ['beta'] }],
        },
      ],
    });
    const client = await ready();
    expect(await client.boolVariation('beta-flag', ANN, true)).toBe(false);
    const told = changed(client, 'beta-flag');
    await rest('PATCH', '/segments/default/test/beta', [{ op: 'add', path: '/included/-', value: 'ann' }]);
    await told;
    expect(await client.boolVariation('beta-flag', ANN, false)).toBe(true);
  });

  it('polls', async () => {
    flags().create({ key: 'simple' });
    const client = await ready({ stream: false });
    expect(await client.boolVariation('simple', ANN, false)).toBe(true);
    const url = `${backlot.env.LAUNCHDARKLY_URL}/sdk/latest-all`;
    const headers = { Authorization: backlot.env.LAUNCHDARKLY_SDK_KEY };
    const first = await fetch(url, { headers });
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { ...headers, 'If-None-Match': etag } });
    expect([first.status, again.status]).toEqual([200, 304]);
    flags().update('simple', { on: false });
    expect((await fetch(url, { headers: { ...headers, 'If-None-Match': etag } })).status).toBe(200);
  });

  it('tells of evaluations, contexts and custom events, and of itself', async () => {
    flags().create({ key: 'simple', trackEvents: true });
    const client = await ready({ diagnosticOptOut: false });
    await client.boolVariation('simple', ANN, false);
    client.track('bought', ANN, { item: 'tea' }, 4.5);
    client.identify({ kind: 'user', key: 'bob' });
    await client.flush();
    const events = backlot.collection<{ kind: string; event: Record<string, unknown> }>(
      'launchdarkly:events',
    );
    const of = (kind: string) => events.list().find((row) => row.kind === kind)?.event;
    expect(of('custom')).toMatchObject({ key: 'bought', data: { item: 'tea' }, metricValue: 4.5 });
    expect(of('feature')).toMatchObject({ key: 'simple', value: true });
    expect(of('identify')).toMatchObject({ context: { key: 'bob' } });
    expect(of('summary')).toMatchObject({ features: { simple: {} } });
    const told = backlot.collection<{ kind: string; event: { sdk: unknown } }>('launchdarkly:diagnostics');
    expect(told.list()[0]).toMatchObject({ kind: 'diagnostic-init', event: { sdk: { version: '9.13.7' } } });
  });

  it('keeps what comes twice once', async () => {
    const send = () =>
      fetch(`${backlot.env.LAUNCHDARKLY_URL}/bulk`, {
        method: 'POST',
        headers: { Authorization: 'sdk-x', 'X-LaunchDarkly-Payload-ID': 'p1' },
        body: JSON.stringify([{ kind: 'custom', key: 'a' }]),
      });
    expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
    expect(backlot.collection('launchdarkly:events').size).toBe(1);
  });

  it('is refused with a wrong key', async () => {
    const client = connect({}, 'sdk-invalid');
    await expect(client.waitForInitialization({ timeout: 60 })).rejects.toThrow('Authentication failed');
  });
});

describe('a client SDK', () => {
  const RULES = {
    ...COLOUR,
    rules: [
      { id: 'gold', variation: 0, clauses: [{ attribute: 'plan', op: 'in', values: ['gold'] }] },
      {
        id: 'v',
        variation: 2,
        clauses: [{ attribute: 'app', op: 'semVerGreaterThan', values: ['2.0.0-rc.1'] }],
      },
    ],
  };

  it('gets values for its context, with reasons', async () => {
    flags().create(RULES);
    flags().create({ key: 'hidden', clientSideAvailability: { usingEnvironmentId: false } });
    const client = connectBrowserLike(ANN, { evaluationReasons: true });
    await client.waitUntilReady();
    expect(client.variationDetail('colour', '')).toEqual({
      value: 'red',
      variationIndex: 0,
      reason: { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'gold' },
    });
    expect(client.allFlags()).toEqual({ colour: 'red' });
    await client.identify({ kind: 'user', key: 'bob', app: '2.0.0' });
    expect(client.variation('colour')).toBe('blue');
    await client.identify({ kind: 'user', key: 'bob', app: '2.0.0-rc.1' });
    expect(client.variation('colour')).toBe('green');
  });

  it('has changes by its stream', async () => {
    flags().create(RULES);
    const client = connectBrowserLike();
    await client.waitUntilReady();
    const told = new Promise((resolve) => client.on('change:colour', resolve));
    client.setStreaming(true);
    flags().update('colour', { on: false, offVariation: 2 });
    expect(await told).toBe('blue');
  });

  it('agrees with the server SDK on rollouts, prerequisites and contexts of several kinds', async () => {
    flags().create({ key: 'needed', fallthrough: { variation: 0 } });
    flags().create({
      ...COLOUR,
      prerequisites: [{ key: 'needed', variation: 0 }],
      fallthrough: {
        rollout: {
          contextKind: 'org',
          variations: [
            { variation: 0, weight: 30_000 },
            { variation: 1, weight: 30_000 },
            { variation: 2, weight: 40_000 },
          ],
        },
      },
    });
    const server = await ready();
    const browser = connectBrowserLike();
    await browser.waitUntilReady();
    const seen = new Set<unknown>();
    for (let at = 0; at < 12; at += 1) {
      const context = { kind: 'multi' as const, user: { key: `u${at}` }, org: { key: `o${at}` } };
      await browser.identify(context);
      const value = await server.variation('colour', context, '');
      expect(browser.variation('colour')).toBe(value);
      seen.add(value);
    }
    expect(seen.size).toBe(3);
  });

  it('sends events', async () => {
    flags().create({ key: 'simple' });
    const client = connectBrowserLike(ANN, { sendEvents: true });
    await client.waitUntilReady();
    client.track('seen', { page: 1 });
    await client.flush();
    expect(backlot.collection('launchdarkly:events').list()).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'custom', source: 'client' })]),
    );
  });
});

describe('the REST API', () => {
  it('makes, lists, changes and removes flags', async () => {
    const made = await rest('POST', '/flags/default', { key: 'new', name: 'New', tags: ['a'] });
    expect(made).toMatchObject({
      status: 201,
      json: { key: 'new', kind: 'boolean', environments: { test: { on: false } } },
    });
    expect((await rest('POST', '/flags/default', { key: 'new', name: 'New' })).json).toMatchObject({
      code: 'conflict',
    });
    const patched = await rest('PATCH', '/flags/default/new', [
      { op: 'replace', path: '/environments/test/on', value: true },
    ]);
    expect(patched.json).toMatchObject({ _version: 2, environments: { test: { on: true } } });
    await rest('PATCH', '/flags/default/new', {
      environmentKey: 'test',
      instructions: [
        { kind: 'addTargets', variationId: 'new-1', values: ['ann'] },
        { kind: 'addRule', variationId: 'new-0', clauses: [] },
      ],
    });
    expect(flags().get('new')).toMatchObject({
      targets: [{ variation: 1, values: ['ann'] }],
      rules: [{ variation: 0 }],
      version: 3,
    });
    expect((await rest('GET', '/flags/default?limit=1')).json).toMatchObject({ totalCount: 1 });
    expect((await rest('DELETE', '/flags/default/new')).status).toBe(204);
    expect((await rest('GET', '/flags/default/new')).status).toBe(404);
  });

  it.each([
    ['PATCH', '/flags/default/a', { instructions: [{ kind: 'fly' }] }, 400],
    ['PATCH', '/flags/default/a', [{ op: 'replace', path: '/__proto__/x', value: 1 }], 400],
    ['PATCH', '/flags/default/a', [{ op: 'replace', path: '/environments/none/on', value: 1 }], 400],
    ['POST', '/flags/default', { key: 'a b', name: 'x' }, 400],
    ['GET', '/flags/other', undefined, 404],
    ['GET', '/nothing', undefined, 404],
  ])('refuses %s %s %j', async (method, path, body, status) => {
    flags().create({ key: 'a' });
    const refused = await rest(method, path, body);
    expect(refused.status).toBe(status);
    expect(refused.json).toHaveProperty('code');
    expect(flags().get('a')).toMatchObject({ version: 1 });
  });
});

describe('scenarios', () => {
  it('an outage leaves defaults until it is over', async () => {
    flags().create({ key: 'simple' });
    backlot.scenarios.activate('launchdarkly:outage');
    const client = connect();
    await expect(client.waitForInitialization({ timeout: 0.2 })).rejects.toThrow('timed out');
    expect(await client.boolVariation('simple', ANN, false)).toBe(false);
    backlot.scenarios.deactivate('launchdarkly:outage');
    await client.waitForInitialization({ timeout: 60 });
    expect(await client.boolVariation('simple', ANN, false)).toBe(true);
  });

  it('a stream that breaks off is opened again', async () => {
    flags().create({ key: 'simple' });
    backlot.scenarios.activate('launchdarkly:broken-stream');
    const client = await ready();
    const told = changed(client, 'simple');
    // It may come while no stream is open, when nobody gives it the next version.
    flags().update('simple', { on: false, version: 2 });
    await told;
    expect(await client.boolVariation('simple', ANN, true)).toBe(false);
  });

  it('a wrong key and a broken beginning leave defaults', async () => {
    flags().create({ key: 'simple' });
    backlot.scenarios.activate('launchdarkly:wrong-key');
    await expect(connect().waitForInitialization({ timeout: 60 })).rejects.toThrow('Authentication failed');
    backlot.scenarios.deactivate('launchdarkly:wrong-key');
    backlot.scenarios.activate('launchdarkly:broken-data');
    const client = connect();
    await expect(client.waitForInitialization({ timeout: 60 })).rejects.toThrow('Malformed JSON');
    expect(await client.boolVariation('simple', ANN, false)).toBe(false);
  });
});
