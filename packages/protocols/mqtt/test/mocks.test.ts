import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { connect, startHost, type Client } from './support.js';

/** A client that gets everything, and publishes. */
async function watch(mocks: readonly Json[], settings: Json = {}) {
  const running = await startHost({ mocks: [...mocks], ...settings });
  const client = await connect(running.port);
  await client.mqtt.subscribeAsync('#', { qos: 2 });
  return { ...running, client };
}

/** Publishes and resolves with what was answered. */
async function ask(client: Client, topic: string, payload: string | Buffer): Promise<readonly string[]> {
  const before = client.received.length;
  await client.mqtt.publishAsync(topic, payload, { qos: 1 });
  await client.mqtt.publishAsync('mark', '', { qos: 1 });
  await eventually(() => client.texts.includes('mark ', before));
  return client.texts
    .slice(before)
    .filter((text) => text !== 'mark ' && text !== `${topic} ${payload.toString()}`);
}

describe('a topic', () => {
  const cases: readonly (readonly [unknown, readonly string[], readonly string[]])[] = [
    ['a/b', ['a/b'], ['a', 'a/b/c', 'A/b']],
    ['a/+/c', ['a/b/c', 'a//c'], ['a/c', 'a/b/c/d']],
    ['a/#', ['a', 'a/b', 'a/b/c'], ['b']],
    ['+/{name}', ['a/b'], ['a', '$a/b']],
    ['#', ['a', 'a/b'], ['$a']],
    ['a/*', ['a/', 'a/b/c'], ['a']],
    ['re:^a/[0-9]+$', ['a/1'], ['a/x']],
    [{ any_of: ['a', 'b/c'] }, ['a', 'b/c'], ['b']],
    ['__proto__/constructor', ['__proto__/constructor'], ['__proto__']],
  ];
  it.each(cases)('%j takes %j and not %j', async (topic, taken, others) => {
    const { host, port } = await startHost({ mocks: [{ id: 'm', topic, response: { payload: 'yes' } }] });
    const client = await connect(port);
    for (const each of [...taken, ...others]) await client.mqtt.publishAsync(each, '1', { qos: 1 });
    expect(
      host
        .kind('mqtt')
        .calls.of('m')
        .calls.map(({ path }) => path),
    ).toEqual(taken);
  });

  it('that is none is refused', async () => {
    const { host } = await startHost();
    const { mocks } = host.kind('mqtt');
    const response = { payload: 'x' };
    for (const topic of ['a/#/b', 'a+', 'a/b#', 'a*/+', `${'a/'.repeat(100)}a`, '{a}/{a}', 'a\0']) {
      expect(() => mocks.create({ topic, response })).toThrow(/topic|pattern|mixes/);
    }
    expect(() => mocks.create({ topic: 'a', response: { topic: 'b/+' } })).toThrow('cannot be published to');
    expect(mocks.list()).toEqual([]);
  });
});

describe('an answer', () => {
  it('is a template, with captures and what the message had', async () => {
    const { client } = await watch([
      {
        topic: 'lamps/{lamp}/set',
        payload: '{"on":*',
        response: {
          topic: 'lamps/{{request.params.lamp}}/state',
          payload:
            '{{request.body.on}} {{request.topic}} {{request.qos}} {{request.retain}} {{request.client_id}}',
        },
      },
    ]);
    const clientId = client.mqtt.options.clientId ?? '';
    expect(await ask(client, 'lamps/7/set', '{"on":true}')).toEqual([
      `lamps/7/state true lamps/7/set 1 false ${clientId}`,
    ]);
    expect(await ask(client, 'lamps/7/set', 'on')).toEqual([]);
  });

  it('has what expressions for topic and payload have captured', async () => {
    const { client } = await watch([
      {
        topic: 're:^lamps/(?<lamp>\\d+)/set$',
        payload: { any_of: ['re:^(?<to>x)$', { json: { partial: { to: 1 } } }, 're:^(?<to>on|off)$'] },
        response: { topic: 'answers', payload: '{{request.params.lamp}} {{request.params.to}}' },
      },
    ]);
    expect(await ask(client, 'lamps/7/set', 'on')).toEqual(['answers 7 on']);
  });

  it('goes to the topic and `/response` by default, with the QoS and retain flag it says', async () => {
    const { client, port } = await watch([{ topic: 'a', response: { payload: 'x', qos: 2, retain: true } }]);
    expect(await ask(client, 'a', '')).toEqual(['a/response x']);
    expect(client.received.find(({ topic }) => topic === 'a/response')?.packet.qos).toBe(2);
    const late = await connect(port);
    await late.mqtt.subscribeAsync('a/response');
    expect(await late.receives(1)).toEqual(['a/response x']);
  });

  it('goes there too when its topic is empty, and is none when the mock has no response', async () => {
    const { client, host } = await watch([
      { id: 'empty', topic: 'a', response: { topic: '', payload: 'x' } },
      { id: 'count', topic: 'b' },
    ]);
    expect(await ask(client, 'a', '1')).toEqual(['a/response x']);
    expect(await ask(client, 'b', '1')).toEqual([]);
    expect(host.kind('mqtt').calls.of('count').calls).toMatchObject([{ path: 'b', status: 0 }]);
  });

  it('goes to the response topic of an MQTT 5 message, with its correlation data', async () => {
    const { port } = await startHost({
      mocks: [
        { topic: 'ask', response: { payload: 'r:{{request.user_properties.who}} {{request.content_type}}' } },
        {
          topic: 'told',
          response: { topic: 'fixed', payload: '{{request.response_topic}} {{request.correlation_data}}' },
        },
      ],
    });
    const client = await connect(port, { protocolVersion: 5 });
    await client.mqtt.subscribeAsync(['replies/1', 'fixed', 'ask/response']);
    const correlationData = Buffer.from('c-1');
    const properties = {
      responseTopic: 'replies/1',
      correlationData,
      userProperties: { who: 'me' },
      contentType: 't',
    };
    await client.mqtt.publishAsync('ask', '', { qos: 1, properties });
    await client.mqtt.publishAsync('told', '', { qos: 1, properties });
    expect(await client.receives(2)).toEqual(['replies/1 r:me t', 'fixed replies/1 c-1']);
    expect(client.received.map(({ packet }) => packet.properties?.correlationData)).toEqual([
      correlationData,
      correlationData,
    ]);
  });

  it('matches by user properties', async () => {
    const { port, host } = await startHost({
      mocks: [
        {
          topic: 'a',
          user_properties: { Who: { any_of: ['you', 'me'] }, level: { lt: 3 } },
          response: { topic: 'out', payload: 'both' },
        },
        { topic: 'a', response: { topic: 'out', payload: 'other {{request.headers.who}}' } },
      ],
    });
    const client = await connect(port, { protocolVersion: 5 });
    await client.mqtt.subscribeAsync('out');
    for (const userProperties of [{ who: ['they', 'me'], level: '2' }, { who: 'me' }, undefined])
      await client.mqtt.publishAsync('a', '', {
        qos: 1,
        ...(userProperties && { properties: { userProperties } }),
      });
    expect(await client.receives(3)).toEqual(['out both', 'out other me', 'out other ']);
    const [, entry] = host.journal.list().filter(({ method }) => method === 'PUBLISH');
    expect(entry).toMatchObject({ headers: { who: 'me' } });
    expect(JSON.stringify(host.kind('mqtt').explain(entry ?? {}))).toMatch(/user property level/);
  });

  it('gives the bytes of the payload back', async () => {
    const { client } = await watch([
      { topic: 'a', response: { topic: 'b', payload: '{{request.raw_body}}' } },
    ]);
    const payloads: Buffer[] = [];
    client.mqtt.on('message', (topic, payload) => topic === 'b' && payloads.push(payload));
    await ask(client, 'a', Buffer.from([0xff, 0, 0xfe]));
    expect(payloads).toEqual([Buffer.from([0xff, 0, 0xfe])]);
  });

  it('answers with JSON and bytes', async () => {
    const { client } = await watch([
      { topic: 'a', response: { topic: 'b', json: { all: '{{request.body}}' } } },
      { topic: 'c', response: { topic: 'b', payload_base64: '/wD+' } },
    ]);
    const payloads: string[] = [];
    client.mqtt.on('message', (topic, payload) => topic === 'b' && payloads.push(payload.toString('latin1')));
    await ask(client, 'a', '{"n": [1, null]}');
    await ask(client, 'c', 'go');
    expect(payloads).toEqual(['{"all":{"n":[1,null]}}', '\xff\0\xfe']);
  });

  it('never triggers a mock', async () => {
    const { client, host } = await watch([
      { id: 'ping', topic: 'a', response: { topic: 'b', payload: 'from a' } },
      { id: 'pong', topic: 'b', response: { topic: 'a', payload: 'from b' } },
    ]);
    expect(await ask(client, 'a', 'go')).toEqual(['b from a']);
    expect(host.kind('mqtt').calls.of('pong').count).toBe(0);
  });

  it('waits for its delay, and comes for a client that said goodbye', async () => {
    const { client, host, port } = await watch([
      { id: 'm', topic: 'a', response: { payload: 'x', delay: '1h' } },
    ]);
    const sender = await connect(port);
    await sender.mqtt.publishAsync('a', '1', { qos: 1 });
    await sender.mqtt.endAsync();
    expect(await ask(client, 'other', '1')).toEqual([]);
    expect(client.texts).toContain('a 1');
    await host.clock.advance(3_600_000);
    await eventually(() => client.texts.includes('a/response x'));
    const lost = await connect(port);
    await lost.mqtt.publishAsync('a', '2', { qos: 1 });
    lost.mqtt.stream.destroy();
    await eventually(() => host.kind('mqtt').calls.of('m').calls[1]?.['aborted'] === true);
  });

  it('is made once for a message of QoS 2 that is sent again', async () => {
    const { host, port } = await startHost({ mocks: [{ id: 'm', topic: 'a', response: { payload: 'x' } }] });
    const { RawClient, CONNECT_4 } = await import('./support.js');
    const raw = await RawClient.connect(port);
    const publish = '3406000161000778';
    raw.send(CONNECT_4, publish, publish.replace(/^34/, '3c'), '62020007');
    expect(await raw.receives(16)).toBe('20020000' + '50020007' + '50020007' + '70020007');
    expect(host.kind('mqtt').calls.of('m').count).toBe(1);
  });

  it('whose topic cannot be published to is left out, with a line in the log', async () => {
    const { client, log } = await watch([
      { id: 'm', topic: 'a', response: { topic: '{{request.payload}}', payload: 'x' } },
    ]);
    expect(await ask(client, 'a', 'b/#')).toEqual([]);
    expect(log).toEqual([expect.stringContaining('mock "m" answers on topic "b/#"')]);
  });

  it('of a sequence of state comes in turn', async () => {
    const { client } = await watch([
      {
        topic: 'acceptor',
        payload: 'open',
        state: { key: 'acceptor', value: 'locked' },
        response: { payload: 'locked' },
      },
      { topic: 'acceptor', payload: 'lock', set_state: { acceptor: 'locked' }, response: { payload: 'ok' } },
      { topic: 'acceptor', payload: 'open', response: { payload: 'opened' } },
    ]);
    expect(await ask(client, 'acceptor', 'open')).toEqual(['acceptor/response opened']);
    expect(await ask(client, 'acceptor', 'lock')).toEqual(['acceptor/response ok']);
    expect(await ask(client, 'acceptor', 'open')).toEqual(['acceptor/response locked']);
  });
});

describe('what is noted', () => {
  it('in the journal: CONNECT, SUBSCRIBE and PUBLISH', async () => {
    const { host, port } = await startHost({ mocks: [{ id: 'm', topic: 'a', response: { payload: 'x' } }] });
    const client = await connect(port, { clientId: 'me' });
    await client.mqtt.subscribeAsync(['a/response', 'b']);
    await client.mqtt.publishAsync('a', Buffer.from([0xff, 0]), { qos: 1 });
    await client.receives(1);
    const entries = host.journal.list();
    expect(
      entries.map((entry) => [entry['method'], entry['path'], entry['status'], entry['matched_id']]),
    ).toEqual([
      ['CONNECT', 'me', 0, undefined],
      ['SUBSCRIBE', 'a/response', 0, undefined],
      ['SUBSCRIBE', 'b', 0, undefined],
      ['PUBLISH', 'a', 0, 'm'],
    ]);
    expect(entries[3]).toMatchObject({
      body: '/wA=',
      body_encoding: 'base64',
      response: { headers: { topic: 'a/response' }, body: 'x' },
    });
  });

  it('as captured messages, without own answers', async () => {
    const { host, client } = await watch([{ topic: 'a', response: { payload: 'x' } }]);
    await client.mqtt.publishAsync('a', 'text', { qos: 2 });
    await client.mqtt.publishAsync('b', Buffer.from([0xff]), { retain: true, qos: 1 });
    const common = {
      id: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      client_id: client.mqtt.options.clientId,
    };
    expect(host.kind('mqtt').captures?.values()).toEqual([
      { ...common, topic: 'a', payload: 'text', payload_encoding: 'text', qos: 2, retain: false },
      { ...common, topic: 'b', payload: '/w==', payload_encoding: 'base64', qos: 1, retain: true },
    ]);
  });
});

describe('a fault', () => {
  const mock = { id: 'm', topic: 'a', response: { payload: 'x' } };
  it('drops the answer and nothing else', async () => {
    const { client, host } = await watch([mock]);
    host.faults.set('mqtt', {});
    expect(await ask(client, 'a', '1')).toEqual([]);
    expect(client.texts).toContain('a 1');
    host.faults.set('mqtt', { drop: false });
    expect(await ask(client, 'a', '2')).toEqual(['a/response x']);
    expect(
      host
        .kind('mqtt')
        .calls.of('m')
        .calls.map((entry) => entry['fault']),
    ).toEqual([true, true]);
  });

  it('gives MQTT 5 clients its reason code, and the message to nobody', async () => {
    const { client, host, port } = await watch([mock]);
    const five = await connect(port, { protocolVersion: 5 });
    host.faults.set('mqtt', { reason_code: 151 });
    for (const qos of [1, 2] as const) {
      await expect(five.mqtt.publishAsync('a', '1', { qos })).rejects.toMatchObject({ code: 151 });
    }
    await client.mqtt.publishAsync('a', '2', { qos: 2 });
    host.faults.set('mqtt', { reason_code: 16 });
    await five.mqtt.publishAsync('a', '3', { qos: 1 });
    host.faults.clear('mqtt');
    expect(await ask(client, 'a', '4')).toEqual(['a/response x']);
    expect(client.texts.filter((text) => text.startsWith('a '))).toEqual(['a 3', 'a 4']);
  });

  it('with a delay answers late', async () => {
    const { host, port } = await startHost({ mocks: [mock] });
    const five = await connect(port, { protocolVersion: 5 });
    const other = await connect(port);
    host.faults.set('mqtt', { reason_code: 135, delay: '1m' });
    const refused = five.mqtt
      .publishAsync('a', '1', { qos: 1 })
      .catch((error: { code: number }) => error.code);
    await eventually(() => host.kind('mqtt').calls.of('m').count === 1);
    await other.mqtt.subscribeAsync('a', { qos: 1 });
    await host.clock.advance(60_000);
    expect(await refused).toBe(135);
    host.faults.set('mqtt', { delay: '1m' });
    await five.mqtt.publishAsync('a', 'taken at once', { qos: 1 });
    expect(host.kind('mqtt').calls.of('m').calls[1]?.['fault']).toBeUndefined();
  });

  it('with a delay holds back a message that no mock answers, also when its client leaves', async () => {
    const { client, host, port } = await watch([]);
    const sender = await connect(port);
    host.faults.set('mqtt', { delay: '1m' });
    const acknowledged = sender.mqtt.publishAsync('late', '1', { qos: 1 });
    await eventually(() => host.kind('mqtt').captures?.values().length === 1);
    const other = await connect(port);
    other.mqtt.publish('late', '2');
    await eventually(() => host.kind('mqtt').captures?.values().length === 2);
    other.mqtt.stream.destroy();
    expect(await client.receives(1)).toEqual(['late 2']);
    await host.clock.advance(60_000);
    await acknowledged;
    expect(await client.receives(2)).toEqual(['late 2', 'late 1']);
  });

  it('with a rate fires now and then', async () => {
    const { client, host } = await watch([mock]);
    host.faults.set('mqtt', { error_rate: 0.5 });
    let answers = 0;
    for (let n = 0; n < 40; n += 1) answers += (await ask(client, 'a', `${n}`)).length;
    expect(answers).toBeGreaterThan(5);
    expect(answers).toBeLessThan(35);
  });

  it('with a code that no PUBACK has is refused', async () => {
    const { host } = await startHost();
    expect(() => host.faults.set('mqtt', { reason_code: 1 })).toThrow('0, 16, 128');
  });
});
