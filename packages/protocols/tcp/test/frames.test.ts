import { describe, expect, it } from '@jest/globals';
import { Client, startHost } from './support.js';

async function connect(settings: Parameters<typeof startHost>[0]): Promise<Client> {
  const { port } = await startHost(settings);
  return Client.connect(port);
}

const ECHO = { response: '<{{request.body}}>' };

describe('framing', () => {
  it('line: a message is a line, with either ending, and an answer becomes one', async () => {
    const client = await connect({ framing: 'line', mocks: [{ match: 'b', response: 'done\n' }, ECHO] });
    await client.send('a\r\nb\nc');
    client.socket.end();
    expect(await client.receives('<a>\ndone\n<c>\n')).toBe('<a>\ndone\n<c>\n');
  });

  it.each([
    [1, '03616263', '053c6162633e'],
    [2, '0003616263', '00053c6162633e'],
    [4, '00000003616263', '000000053c6162633e'],
  ])('length-prefix: with %i bytes, in pieces and together', async (lengthBytes, sent, answered) => {
    const client = await connect({ framing: 'length-prefix', length_bytes: lengthBytes, mocks: [ECHO] });
    const bytes = Buffer.from(sent + sent, 'hex');
    await client.send(bytes.subarray(0, 2));
    await client.send(bytes.subarray(2));
    await client.until(() => client.size >= answered.length);
    expect(client.bytes.toString('hex')).toBe(answered + answered);
  });

  it('length-prefix: an answer beyond what the length can say closes, and so does a message beyond 1 MiB', async () => {
    const { port } = await startHost({
      framing: 'length-prefix',
      length_bytes: 1,
      mocks: [{ response: 'x'.repeat(256) }],
    });
    const client = await Client.connect(port);
    await client.send(Buffer.of(1, 65));
    expect(await client.closes()).toBe('end');
    expect(client.size).toBe(0);
    const other = await connect({ framing: 'length-prefix', mocks: [ECHO] });
    await other.send(Buffer.of(0, 16, 0, 1));
    expect(await other.closes()).toBe('end');
  });

  it('fixed: a message has so many bytes, and what is left at the end is none', async () => {
    const client = await connect({ framing: 'fixed', frame_size: 3, mocks: [ECHO] });
    await client.send('abcd');
    await client.send('efgh');
    client.socket.end();
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('<abc><def>');
  });

  it('delimiter: as without its name', async () => {
    const client = await connect({ framing: 'delimiter', delimiter: '||', mocks: [ECHO] });
    await client.send('a|b||c||');
    expect(await client.receives('<a|b><c>')).toBe('<a|b><c>');
  });

  it('json: values one after the other, matched by what is in them', async () => {
    const client = await connect({
      framing: 'json',
      mocks: [
        {
          body_json: {
            user: { name: 're:^(?<first>\\w+) ' },
            'list.*': { any_of: ['re:^(?<n>0)$', 're:^(?<n>1)$'] },
          },
          json: { hello: '{{request.params.first}} {{request.params.n}}' },
        },
        { match: '["}\\"{"]', response: 'text' },
        { body_json: { a: 1 }, response: 'a' },
      ],
    });
    await client.send('{"user": {"name": "Ann ');
    await client.send('Bo"}, "list": [1]} ["}\\"{"]{"a":1}\n');
    const want = '{"hello":"Ann 1"}\ntext\na\n';
    expect(await client.receives(want)).toBe(want);
    await client.send('5');
    expect(await client.closes()).toBe('end');
  });

  it('of no kind: captures of match are for templates', async () => {
    const client = await connect({
      mocks: [{ match: 're:^LOGIN (?<user>\\w+)', response: 'hi {{request.params.user}}' }],
    });
    await client.send('LOGIN ann');
    expect(await client.receives('hi ann')).toBe('hi ann');
  });

  it('frames what a fault sends', async () => {
    const { host, port } = await startHost({ framing: 'line', mocks: [ECHO] });
    host.faults.set('tcp', { response: 'BUSY' });
    const client = await Client.connect(port);
    await client.send('a\n');
    expect(await client.receives('BUSY\n')).toBe('BUSY\n');
  });
});

describe('explain', () => {
  it('says what in the JSON is another', async () => {
    const { host } = await startHost({ mocks: [{ id: 'a', body_json: { a: 1 }, response: 'a' }] });
    const explain = (body: string): unknown => host.kind('tcp').explain({ body });
    expect(JSON.stringify(explain('{"a":2}'))).toContain('body_json a: got');
    expect(JSON.stringify(explain('x'))).toContain('body_json a: the message is not JSON');
  });
});

describe('a configuration of framing', () => {
  it.each([
    [{ framing: 'fixed' }, '"fixed" needs "frame_size" beside it'],
    [{ framing: 'delimiter' }, '"delimiter" needs "delimiter" beside it'],
    [{ framing: 'line', delimiter: ';' }, 'is for "framing: delimiter", and it is "line"'],
    [{ length_bytes: 2 }, 'is for "framing: length-prefix", and there is none'],
    [{ framing: 'json', frame_size: 2 }, 'is for "framing: fixed", and it is "json"'],
  ])('%j is refused', async (settings, message) => {
    await expect(startHost(settings)).rejects.toThrow(message);
  });
});
