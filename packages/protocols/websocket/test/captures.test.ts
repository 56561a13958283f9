import { expect, test } from '@jest/globals';
import { Client, startHost } from './support.js';

test('named groups of a path and of the rule that matches are parameters of templates', async () => {
  const { url, logged } = await startHost([
    {
      path: '/re/{room}',
      on_message: [
        { match: { all_of: ['re:^(?P<lost>join) ', 're: nobody$'] } },
        {
          match: { any_of: ['re:^(?P<who>x)$', 're:^join (?P<who>\\w+)$'] },
          respond: '{{request.params.who}} in {{request.params.room}}',
        },
        {
          match: { regex: '^leave (?P<who>\\w+)', contains: 'now' },
          close: { code: 4000, reason: '{{request.params.who}}' },
        },
        { respond: 'nobody{{request.params.who}} in {{request.params.room}}' },
      ],
    },
    {
      path: 're:^/v(?P<version>\\d+)/x$',
      on_connect: { send: 'version {{request.params.version}}' },
      on_message: [
        { match: 're:(?P<version>[a-z]+)', respond: '{{request.params.version}}' },
        { respond: '{{request.params.version}}' },
      ],
    },
  ]);
  const client = await Client.connect(`${url}/re/blue`);
  expect(await client.ask('join ann')).toBe('ann in blue');
  expect(await client.ask('join ann and bob')).toBe('nobody in blue');
  expect(await client.ask(Buffer.from('join ann'))).toBe('nobody in blue');
  expect(await client.ask('leave ann now')).toBe('close 4000 ann');
  expect(logged('MESSAGE').map((entry) => entry['path_params'])).toEqual([
    { room: 'blue', who: 'ann' },
    { room: 'blue' },
    { room: 'blue' },
    { room: 'blue', who: 'ann' },
  ]);
  const other = await Client.connect(`${url}/v7/x`);
  expect([await other.next(), await other.ask('abc'), await other.ask('12')]).toEqual([
    'version 7',
    'abc',
    '7',
  ]);
});
