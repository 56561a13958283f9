import { describe, expect, it } from '@jest/globals';
import { abandon, eventually } from '@backlot/conformance';
import { follow, makeRequest, startHost, TcpClient, UdpClient } from './support.js';

describe('TCP', () => {
  it('takes several messages of one segment, and one of many', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', response: { body: '{{request.body}}' } }]);
    const client = new TcpClient(port);
    client.send(['one', 'two', 'three'].map((body) => makeRequest('MESSAGE', { body })).join(''));
    expect([(await client.receive()).body, (await client.receive()).body]).toEqual(['one', 'two']);
    expect((await client.receive()).body).toBe('three');
    const sent = makeRequest('MESSAGE', { body: 'in pieces' });
    client.socket.setNoDelay(true);
    for (const octet of sent) {
      client.send(octet);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await client.receive()).body).toBe('in pieces');
  });

  it('answers keep-alives, and passes over other line ends', async () => {
    const { port } = await startHost();
    const client = new TcpClient(port);
    client.send('\r\n\r\n');
    expect(await client.receiveText()).toBe('\r\n');
    client.send(`\r\n${makeRequest('OPTIONS')}\n\r\n\r\n\r\n`);
    expect((await client.receive()).status).toBe(200);
    expect(await client.receiveText()).toBe('\r\n');
    expect((await client.ask(makeRequest('OPTIONS'))).status).toBe(200);
  });

  it.each([
    ['without Content-Length', (text: string) => text.replace(/Content-Length: 0\r\n/, ''), 400],
    ['with two lengths', (text: string) => text.replace(/Content-Length: 0/, 'l: 0\r\nl: 1'), 400],
    ['with a negative length', (text: string) => text.replace(/Content-Length: 0/, 'l: -5'), 400],
    [
      'with a length beyond the limit',
      (text: string) => text.replace(/Content-Length: 0/, 'l: 999999999'),
      513,
    ],
  ])('refuses a message %s, and ends, because no further one can be read', async (_name, change, status) => {
    const { port, log } = await startHost([{}]);
    const client = new TcpClient(port);
    client.send(change(makeRequest('MESSAGE')) + makeRequest('OPTIONS'));
    expect((await client.receive()).status).toBe(status);
    expect(await client.receiveText()).toBe('closed');
    expect(log).toEqual([]);
  });

  it('answers behind a delayed answer at once', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', delay: '300ms' }]);
    const client = new TcpClient(port);
    client.send(makeRequest('MESSAGE') + makeRequest('OPTIONS'));
    const order = [await client.receive(), await client.receive()].map(({ headers }) => headers['cseq']?.[0]);
    expect(order).toEqual(['1 OPTIONS', '1 MESSAGE']);
  });

  it('sends what is delayed before it ends because of what came later', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', delay: '200ms' }]);
    const client = new TcpClient(port);
    const broken = makeRequest('INFO').replace(/Content-Length: 0\r\n/, '');
    client.send(makeRequest('MESSAGE') + broken + makeRequest('OPTIONS'));
    const got = [await client.receive(), await client.receive()].map(({ status }) => status);
    expect(got).toEqual([400, 200]);
    expect(await client.receiveText()).toBe('closed');
  });

  it('gives a request that comes again over another connection its answer', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', response: { body: '{{uuid}}' } }]);
    const request = makeRequest('MESSAGE');
    const first = await new TcpClient(port).ask(request);
    expect((await new TcpClient(port).ask(request)).text).toBe(first.text);
  });

  it('records what a client leaves as aborted', async () => {
    const { port, host } = await startHost([
      { id: 'slow', method: 'INVITE', delay: '1h', provisional: [180] },
    ]);
    const client = new TcpClient(port);
    await client.ask(makeRequest('INVITE'));
    abandon(client.socket);
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
    expect(host.journal.list()[0]).toMatchObject({ method: 'INVITE', matched_id: 'slow' });
  });

  it('ends a connection without traffic after the idle time-out', async () => {
    const { port, host } = await startHost([], { idle_timeout: '200ms' });
    const client = new TcpClient(port);
    expect((await client.ask(makeRequest('OPTIONS'))).status).toBe(200);
    expect(host.kind('sip').status()['connections']).toBe(1);
    expect(await client.receiveText()).toBe('closed');
    await expect(startHost([], { idle_timeout: 'soon' })).rejects.toThrow(/soon/);
  });

  it('names itself as the client reaches it', async () => {
    const { port } = await startHost([{ method: 'INVITE' }]);
    const client = new TcpClient(port);
    const invite = makeRequest('INVITE');
    expect((await client.ask(invite)).headers['contact']).toEqual([`<sip:127.0.0.1:${port};transport=tcp>`]);
    client.send(follow(invite, 'ACK'));
  });

  it('is reset by a fault of its connection, which UDP does not have', async () => {
    const { port, host } = await startHost();
    host.faults.set('sip', { phase: 'connect' });
    expect(await new TcpClient(port).receiveText()).toBe('closed');
    expect((await new UdpClient(port).ask(makeRequest('OPTIONS'))).status).toBe(200);
  });
});

describe('UDP', () => {
  it('passes over line ends in front of a message', async () => {
    const { port } = await startHost();
    expect((await new UdpClient(port).ask(`\r\n\r\n${makeRequest('OPTIONS')}`)).status).toBe(200);
  });

  it('answers 503 when too many answers wait, and still cancels', async () => {
    const { port } = await startHost([{ method: 'INVITE', delay: '1h', provisional: [180] }]);
    const client = new UdpClient(port);
    const first = makeRequest('INVITE');
    await client.ask(first);
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => client.send(makeRequest('INVITE'))));
      for (let n = 0; n < 100; n += 1) await client.receiveText();
    }
    expect((await client.ask(makeRequest('OPTIONS'))).status).toBe(503);
    await client.send(follow(first, 'CANCEL'));
    expect([(await client.receive()).status, (await client.receive()).status]).toEqual([200, 487]);
  }, 20_000);

  it('answers keep-alives, and nothing else that is no request', async () => {
    const { port } = await startHost();
    const client = new UdpClient(port);
    for (const text of ['', '\r\n', 'jaK\0', '\0\0\0\0', 'hello']) await client.send(text);
    expect(await client.settle()).toEqual([]);
  });
});
