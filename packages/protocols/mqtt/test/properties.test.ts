import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { connect, startHost } from './support.js';

const V5 = { protocolVersion: 5 } as const;

const MOCKS = [
  {
    id: 'rpc',
    topic: 'rpc/{name}',
    content_type: { prefix: 'application/json' },
    response_topic: 'answers/*',
    correlation_data: 're:^[0-9]+$',
    user_properties: { user: 'ann' },
    response: {
      json: { name: '{{request.params.name}}', id: '{{request.correlation_data}}' },
      content_type: '{{request.content_type}}',
      response_topic: 'more/{{request.params.name}}',
      user_properties: { status: '200', tag: ['a', '{{request.user_properties.user}}'] },
      message_expiry: 60,
      payload_format_indicator: true,
    },
  },
  {
    id: 'none',
    topic: 'plain',
    content_type: { absent: true },
    response: { topic: 'seen', payload: 'none' },
  },
  {
    id: 'own',
    topic: 'plain',
    response: { topic: 'seen', payload: 'typed', correlation_data: 'mine', qos: 1 },
  },
  { id: 'empty', topic: 'quiet', response: { topic: 'seen', payload: 'quiet', correlation_data: '' } },
];

describe('properties of MQTT 5', () => {
  it('are matched and answered for mqtt.js, and in the journal and the captured messages', async () => {
    const { port, host } = await startHost({ mocks: MOCKS });
    const client = await connect(port, V5);
    await client.mqtt.subscribeAsync('answers/1');
    await client.mqtt.publishAsync('rpc/add', '{"a": 1}', {
      properties: {
        contentType: 'application/json; charset=utf-8',
        responseTopic: 'answers/1',
        correlationData: Buffer.from('42'),
        userProperties: { user: 'ann', more: ['x', 'y'] },
      },
    });
    await client.receives(1);
    const [{ topic, payload, packet }] = client.received as [(typeof client.received)[number]];
    expect([topic, JSON.parse(payload)]).toEqual(['answers/1', { name: 'add', id: '42' }]);
    const properties = { ...packet.properties };
    expect({ ...properties, correlationData: String(properties.correlationData) }).toEqual({
      contentType: 'application/json; charset=utf-8',
      responseTopic: 'more/add',
      correlationData: '42',
      userProperties: { status: '200', tag: ['a', 'ann'] },
      messageExpiryInterval: 60,
      payloadFormatIndicator: true,
    });
    expect(host.kind('mqtt').captures?.values()).toMatchObject([
      {
        topic: 'rpc/add',
        content_type: 'application/json; charset=utf-8',
        response_topic: 'answers/1',
        correlation_data: '42',
        user_properties: { user: ['ann'], more: ['x', 'y'] },
      },
    ]);
    const entry = host.journal.list().find(({ matched_id: id }) => id === 'rpc');
    expect(entry).toMatchObject({
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'response-topic': 'answers/1',
        'correlation-data': '42',
        user: 'ann',
        more: ['x', 'y'],
      },
      response: {
        headers: {
          topic: 'answers/1',
          'content-type': 'application/json; charset=utf-8',
          'response-topic': 'more/add',
          'correlation-data': '42',
          status: '200',
          tag: ['a', 'ann'],
        },
      },
    });
  });

  it('that do not fit are named, also by explain, whose entry may be that of the journal', async () => {
    const { host } = await startHost({ mocks: MOCKS.slice(0, 1) });
    const { explain } = host.kind('mqtt');
    const headers = {
      'content-type': 'application/json',
      'response-topic': 'answers/1',
      'correlation-data': '7',
      user: 'ann',
    };
    const explained = (more: object): string =>
      JSON.stringify(explain.call(host.kind('mqtt'), { path: 'rpc/add', headers: { ...headers, ...more } }));
    expect(explained({})).toContain('"outcome":"matched"');
    expect(explained({ 'content-type': 'text/plain' })).toMatch(/content_type: got \\"text\/plain\\"/);
    expect(explained({ 'response-topic': 'x' })).toMatch(/response_topic: got/);
    expect(explained({ 'correlation-data': 'x' })).toMatch(/correlation_data: got/);
    expect(explained({ user: 'bob' })).toMatch(/user property user/);
  });

  it('that are absent can be asked for, and the correlation data can be others or none', async () => {
    const { port } = await startHost({ mocks: MOCKS });
    const client = await connect(port, V5);
    await client.mqtt.subscribeAsync('seen', { qos: 1 });
    const correlationData = Buffer.from([0xff, 0]);
    await client.mqtt.publishAsync('plain', 'x', { qos: 1, properties: { correlationData } });
    await client.mqtt.publishAsync('plain', 'x', {
      qos: 1,
      properties: { contentType: 'a/b', correlationData },
    });
    await client.mqtt.publishAsync('quiet', 'x', { qos: 1, properties: { correlationData } });
    await client.receives(3);
    expect(
      client.received.map(({ payload, packet }) => [
        payload,
        packet.properties?.correlationData?.toString('hex'),
      ]),
    ).toEqual([
      ['none', 'ff00'],
      ['typed', Buffer.from('mine').toString('hex')],
      ['quiet', undefined],
    ]);
  });

  it('that hold U+0000 are not published, by whoever asks for it; correlation data may', async () => {
    const { port, host } = await startHost({
      mocks: [{ topic: 'ask', response: { topic: 'seen', user_properties: { who: 'a{{request.body}}' } } }],
    });
    const client = await connect(port, V5);
    await client.mqtt.subscribeAsync('seen');
    const publish = (fields: object): Promise<unknown> =>
      host.kind('mqtt').data.publish({ topic: 'seen', payload: 'x', ...fields });
    const message = expect.stringContaining('U+0000');
    for (const [field, fields] of [
      ['content_type', { content_type: 'a\0' }],
      ['response_topic', { response_topic: 'a\0' }],
      ['user_properties', { user_properties: { 'a\0': 'b' } }],
      ['user_properties', { user_properties: { a: ['b', 'b\0'] } }],
    ] as const)
      await expect(publish(fields)).rejects.toMatchObject({
        code: 'invalid',
        details: [{ path: `/${field}`, message }],
      });
    await client.mqtt.publishAsync('ask', 'b\0', { qos: 1 });
    await publish({ correlation_data: 'a\0' });
    await client.receives(1);
    expect(client.received.map(({ packet }) => packet.properties?.correlationData)).toEqual([
      Buffer.from('a\0'),
    ]);
  });

  itWithTool('mosquitto_sub', 'reach mosquitto_sub, from mosquitto_pub', async () => {
    const { port, host } = await startHost({ mocks: MOCKS });
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', '5'];
    const watching = runTool('mosquitto_sub', [
      ...common,
      ...['-t', 'answers/9', '-C', '1', '-W', '20', '-F', '%t|%C|%D|%P|%R|%p'],
    ]);
    await eventually(() => host.journal.list().some(({ method }) => method === 'SUBSCRIBE'));
    const property = (...words: string[]): string[] => ['-D', 'publish', ...words];
    const { code } = await runTool('mosquitto_pub', [
      ...common,
      ...['-t', 'rpc/add', '-m', '{}'],
      ...property('content-type', 'application/json'),
      ...property('response-topic', 'answers/9'),
      ...property('correlation-data', '77'),
      ...property('user-property', 'user', 'ann'),
    ]);
    expect(code).toBe(0);
    const { out } = await watching;
    expect(out.trim()).toBe(
      'answers/9|application/json|77|status:200 tag:a tag:ann|more/add|{"name":"add","id":"77"}',
    );
  });
});
