import { describe, expect, it } from '@jest/globals';
import { Client, startHost } from './support.js';

/** A server that wants a login before anything else, and counts what a transaction holds. */
const MOCKS = [
  {
    id: 'login',
    match: { regex: '^LOGIN (?<who>\\w+)$' },
    set_connection_state: { user: '{{request.params.who}}' },
    response: 'hello {{request.params.who}}',
  },
  {
    id: 'who',
    match: 'WHO',
    connection_state: { user: { present: true } },
    response: 'you are {{request.connection_state.user}}',
  },
  { id: 'logout', match: 'LOGOUT', set_connection_state: { user: null }, response: 'bye' },
  { id: 'nobody', match: 'WHO', connection_state: { user: { absent: true } }, response: 'log in first' },
  { id: 'root', match: 'REBOOT', connection_state: { user: 'root' }, response: 'rebooting' },
];

async function connect(port: number): Promise<(line: string, answer: string) => Promise<void>> {
  const client = await Client.connect(port);
  let expected = '';
  return async (line, answer) => {
    await client.send(`${line}\n`);
    expected += `${answer}\n`;
    expect(await client.receives(expected)).toBe(expected);
  };
}

describe('what a connection remembers', () => {
  it('is its own, ends with it, and is matched and shown', async () => {
    const { port, host } = await startHost({ framing: 'line', mocks: MOCKS });
    const [ann, root] = [await connect(port), await connect(port)];
    await ann('WHO', 'log in first');
    await ann('LOGIN ann', 'hello ann');
    await root('WHO', 'log in first');
    await root('LOGIN root', 'hello root');
    await ann('WHO', 'you are ann');
    await root('WHO', 'you are root');
    await root('REBOOT', 'rebooting');
    await ann('LOGOUT', 'bye');
    await ann('WHO', 'log in first');
    await (
      await connect(port)
    )('WHO', 'log in first');
    const [entry] = host.journal.list().filter((each) => each['matched_id'] === 'root');
    expect(entry).toMatchObject({ query: { user: 'root' } });
    const explain = (given: object): unknown => host.kind('tcp').explain(given);
    expect(explain(entry ?? {})).toMatchObject({ outcome: 'matched', mock_id: 'root' });
    expect(explain({ body: 'REBOOT', connection_state: { user: 'root' } })).toMatchObject({
      mock_id: 'root',
    });
    expect(JSON.stringify(explain({ body: 'REBOOT', connection_state: { user: 'ann' } }))).toContain(
      'connection_state user',
    );
  });

  it('is what a fault can be for, and what one that answers leaves alone', async () => {
    const { port, host } = await startHost({ framing: 'line', mocks: MOCKS });
    const [ann, root] = [await connect(port), await connect(port)];
    await ann('LOGIN ann', 'hello ann');
    await root('LOGIN root', 'hello root');
    host.faults.set('tcp', { match: { connection_state: { user: 'root' } }, response: 'down' });
    await root('WHO', 'down');
    await root('LOGOUT', 'down');
    await ann('WHO', 'you are ann');
    host.faults.clear('tcp');
    await root('WHO', 'you are root');
  });

  it('leads through a conversation whose messages the mocks tell apart', async () => {
    const { port } = await startHost({
      mocks: [
        { match: 'NEXT', connection_state: { step: '2' }, response: 'done.', close: true },
        {
          match: 'NEXT',
          connection_state: { step: '1' },
          set_connection_state: { step: '2' },
          response: 'two,',
        },
        { match: 'NEXT', set_connection_state: { step: '1' }, response: 'one,' },
      ],
    });
    const [first, second] = [await Client.connect(port), await Client.connect(port)];
    await first.send('NEXTNEXT');
    await second.send('NEXTNEXTNEXT');
    expect(await second.receives('one,two,done.')).toBe('one,two,done.');
    expect(await first.receives('one,two,')).toBe('one,two,');
    expect(await second.closes()).toBe('end');
  });

  it('has any names, and is bounded', async () => {
    const { port, host, log } = await startHost(
      {
        framing: 'line',
        mocks: [
          {
            match: 'MORE',
            set_connection_state: { constructor: '{{request.connection_state.constructor}}{{state.long}}' },
            response: 'ok',
          },
          { match: 'ASK', connection_state: { toString: { present: true } }, response: 'wrong' },
          { match: 'ASK', response: 'right' },
        ],
      },
      { state: { long: 'x'.repeat(40_000) } },
    );
    const client = await Client.connect(port);
    await client.send('ASK\nMORE\n');
    expect(await client.receives('right\nok\n')).toBe('right\nok\n');
    await client.send('MORE\nASK\n');
    await client.closes();
    expect(log).toEqual([
      expect.stringContaining('a connection remembers 65536 characters at most, and mock'),
    ]);
    const other = await connect(port);
    await other('MORE', 'ok');
    // What could not be made is in the journal as well.
    expect(host.journal.list()).toHaveLength(4);
  });
});
