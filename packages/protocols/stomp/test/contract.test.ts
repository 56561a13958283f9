import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { stomp } from '../src/index.js';
import { connectStompjs, WAYS } from './stompjs.js';
import { RawClient, startHost } from './support.js';

/** Documents of the AsyncAPI Initiative, as they stand in its repository. */
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../imports/test/samples/asyncapi/${name}`, import.meta.url));

const file = sample('streetlights-mqtt.yaml');
const MEASURED = '/topic/smartylighting/streetlights/1/0/event/7/lighting/measured';
const ON = '/topic/smartylighting/streetlights/1/0/action/7/turn/on';

it('refuses messages with an ERROR frame, by a destination with or without the word for its sort', async () => {
  const { port, host, kind } = await startHost({ contract: { file } });
  const send = async (destination: string, body: string): Promise<string> => {
    const client = await RawClient.connect(port);
    client.send(`SEND\ndestination:${destination}\nreceipt:1\n\n${body}\0`);
    await client.until(() => client.frames.length > 0);
    const [frame] = client.frames;
    return frame?.command === 'ERROR' ? `${frame.headers['message']}: ${frame.body}` : `${frame?.command}`;
  };
  expect(await send(MEASURED, '{"lumens": 3}')).toBe('RECEIPT');
  expect(await send(MEASURED.slice('/topic'.length), '{"lumens": 3}')).toBe('RECEIPT');
  expect(await send(MEASURED, '{"lumens": -3}')).toMatch(
    /^the contract does not allow the message: \/payload\/lumens must be >= 0/,
  );
  expect(await send('/queue/elsewhere', '{}')).toMatch(/\/destination must be a channel of the contract/);
  expect(host.journal.list().flatMap(({ contract }) => contract?.violations ?? [])).toHaveLength(2);
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 4, touched: 1 },
    violations: { requests: 2 },
    unknown: 1,
  });
});

it('refuses mocks and their answers, and takes all with mode warn', async () => {
  const answer = (command: string) => ({
    id: 'on',
    destination: MEASURED,
    response: { destination: ON, body: `{"command": "${command}"}` },
  });
  const settings = { stomp: { contract: { file }, mocks: [answer('up')] } };
  await expect(createHost({ protocols: [stomp], settings })).rejects.toThrow(
    /mock "on" answers what the contract does not allow: \/payload\/command must be one of "on", "off"/,
  );
  const config = WAYS[0]?.[1];
  const run = async (mode: string): Promise<readonly string[]> => {
    const { port, kind } = await startHost({
      contract: { file, mode },
      mocks: [answer('{{request.body.lumens}}')],
    });
    const client = await connectStompjs({ ...config?.(port), reconnectDelay: 0 });
    const got: string[] = [];
    client.subscribe(ON, ({ body }) => got.push(body));
    client.onStompError = ({ headers, body }) => got.push(`${headers['message']}: ${body}`);
    client.publish({ destination: MEASURED, body: '{"lumens": 1}' });
    await eventually(() => got.length === 1);
    expect(kind.contract?.coverage().violations).toEqual({ requests: 0, answers: 1 });
    return got;
  };
  expect(await run('warn')).toEqual(['{"command": "1"}']);
  expect(await run('enforce')).toEqual([expect.stringContaining('/payload/command must be one of')]);
});

it('is refused beside an upstream, which answers messages that nobody holds to it', async () => {
  const settings = {
    stomp: { port: 0, contract: { file }, upstream: { url: 'stomp://127.0.0.1:1', mode: 'spy' as const } },
  };
  await expect(createHost({ protocols: [stomp], settings })).rejects.toThrow(
    '/settings/stomp/contract: stomp holds no message to a contract that its upstream may answer; give one of both, or contract: { mode: off }',
  );
});
