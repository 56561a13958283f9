import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { follow, makeRequest, startHost, TcpClient, UdpClient, type Answer } from './support.js';

const ackOf = (invite: string, { headers }: Answer): string =>
  follow(invite, 'ACK').replace(/^To: .*$/m, `To: ${headers['to']?.[0] ?? ''}`);

/** The ACK to a 2xx has a branch of its own. */
const newAckOf = (invite: string, answer: Answer): string =>
  ackOf(invite, answer).replace(/branch=\S+/, 'branch=z9hG4bK-another');

describe('transactions', () => {
  it('gives a request that comes again the same answer', async () => {
    const { port, host } = await startHost([{ id: 'm', method: 'MESSAGE', response: { body: '{{uuid}}' } }]);
    const client = new UdpClient(port);
    const request = makeRequest('MESSAGE');
    const first = await client.ask(request);
    expect((await client.ask(request)).text).toBe(first.text);
    expect(host.kind('sip').calls.of('m').count).toBe(1);
    expect((await client.ask(makeRequest('MESSAGE'))).body).not.toBe(first.body);
    expect(host.journal.list()).toHaveLength(2);
  });

  it('tells requests apart that only share their branch', async () => {
    const { port, host } = await startHost([{ id: 'm', method: 'MESSAGE' }]);
    const client = new UdpClient(port);
    for (const callId of ['a', 'b']) {
      await client.ask(makeRequest('MESSAGE', { branch: 'z9hG4bK1', callId }));
    }
    expect(host.kind('sip').calls.of('m').count).toBe(2);
  });

  it('refuses a request that has come by another way already, outside of a call', async () => {
    const { port, host } = await startHost([{ id: 'm', method: 'MESSAGE' }]);
    const client = new UdpClient(port);
    const request = makeRequest('MESSAGE');
    const again = request.replace(/branch=\S+/, 'branch=z9hG4bK-fork');
    expect((await client.ask(request)).status).toBe(200);
    const answer = await client.ask(again);
    expect([answer.status, answer.reason]).toEqual([482, 'Loop Detected']);
    expect((await client.ask(request)).status).toBe(200);
    expect((await client.ask(request.replace('CSeq: 1', 'CSeq: 2'))).status).toBe(200);
    const within = again.replace('CSeq: 1', 'CSeq: 2').replace(/^(To: .*)$/m, '$1;tag=known');
    expect((await client.ask(within)).status).toBe(200);
    expect(host.kind('sip').calls.of('m').count).toBe(3);
    expect(host.journal.list().map(({ status }) => status)).toEqual([200, 482, 200, 200]);
  });

  it('cancels by the branch, not by the call alone', async () => {
    const { port } = await startHost([{ method: 'INVITE', delay: '1h', provisional: [180] }]);
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE');
    expect((await client.ask(invite)).status).toBe(180);
    const cancel = follow(invite, 'CANCEL');
    expect((await client.ask(cancel.replace(/branch=\S+/, 'branch=z9hG4bK-fork'))).status).toBe(481);
    await client.send(cancel);
    const answers = [await client.receive(), await client.receive()];
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 487]);
    await client.send(follow(invite, 'ACK'));
  });

  it.each([200, 486])('repeats a %d to an INVITE until there is an ACK', async (status) => {
    const { port } = await startHost([{ method: 'INVITE', provisional: [180], response: { status } }]);
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE', { headers: [`X-Long: ${'x'.repeat(500)}`] });
    const begin = performance.now();
    expect((await client.ask(invite)).status).toBe(180);
    const answer = await client.receive();
    expect((await client.receive()).text).toBe(answer.text);
    expect(performance.now() - begin).toBeGreaterThan(450);
    await client.send(status === 200 ? newAckOf(invite, answer) : ackOf(invite, answer));
    await client.settle();
    // One that nobody acknowledges tells the time: what is due of the first comes before its second repetition.
    expect((await client.ask(makeRequest('INVITE'))).status).toBe(180);
    const { text } = await client.receive();
    expect(text).not.toBe(answer.text);
    for (const repeated of [await client.receive(), await client.receive()]) expect(repeated.text).toBe(text);
    expect(await client.settle()).toEqual([]);
  });

  it('takes an ACK or a request within a call as proof of its address, and nothing else', async () => {
    const { port } = await startHost([
      { id: 'refused', method: 'INVITE', uri: 'sip:no@example.com', response: { status: 486 } },
      { id: 'taken', method: 'INVITE' },
      { id: 'long', method: 'MESSAGE', response: { body: 'x'.repeat(3000) } },
    ]);
    const isProven = async (client: UdpClient): Promise<boolean> => {
      const { status, reason } = await client.ask(makeRequest('MESSAGE'));
      expect(reason).toBe(status === 200 ? 'OK' : 'Answer Too Large For UDP');
      return status === 200;
    };
    for (const uri of ['sip:no@example.com', 'sip:yes@example.com']) {
      const client = new UdpClient(port);
      const other = new UdpClient(port);
      const invite = makeRequest('INVITE', { uri });
      const answer = await client.ask(invite);
      expect(await isProven(client)).toBe(false);
      // The tag of a client that sends from elsewhere: it has not received anything there.
      await other.send(ackOf(invite, answer));
      expect(await isProven(other)).toBe(false);
      await client.send(ackOf(invite, answer).replace(/;tag=[0-9a-f]{16}/, ';tag=0123456789abcdef'));
      expect(await isProven(client)).toBe(false);
      await client.send(ackOf(invite, answer));
      expect(await isProven(client)).toBe(true);
      expect(await isProven(other)).toBe(false);
    }
    const caller = new UdpClient(port);
    const invite = makeRequest('INVITE');
    const answer = await caller.ask(invite);
    const bye = ackOf(invite, answer).replaceAll('ACK', 'BYE').replace('CSeq: 1', 'CSeq: 2');
    expect((await caller.ask(bye)).status).toBe(200);
    expect(await isProven(caller)).toBe(true);
    // From another address it is still the end of the call.
    const moved = new UdpClient(port);
    expect(
      (await moved.ask(bye.replace('CSeq: 2', 'CSeq: 3').replace(/branch=\S+/, 'branch=z9hG4bK-3'))).status,
    ).toBe(200);
    expect(await isProven(moved)).toBe(false);
  });

  it('repeats only a 2xx over TCP', async () => {
    const { port } = await startHost([
      { uri: 'sip:yes@example.com' },
      { uri: 'sip:no@example.com', response: { status: 603 } },
    ]);
    const client = new TcpClient(port);
    expect((await client.ask(makeRequest('INVITE', { uri: 'sip:no@example.com' }))).status).toBe(603);
    const invite = makeRequest('INVITE', { uri: 'sip:yes@example.com' });
    const answer = await client.ask(invite);
    expect((await client.receive()).text).toBe(answer.text);
    client.send(newAckOf(invite, answer));
  });

  it('sends provisional answers before the final one, and before its delay', async () => {
    const { port, host } = await startHost([
      {
        method: 'INVITE',
        uri: 'sip:now@example.com',
        provisional: [
          180,
          { status: 183, reason: 'Soon', headers: { 'X-User': '{{request.uri.user}}' }, body: 'v=0\r\n' },
        ],
      },
      {
        id: 'late',
        method: 'INVITE',
        uri: 'sip:late@example.com',
        delay: '1h',
        times: 1,
        provisional: [182],
      },
    ]);
    const client = new UdpClient(port);
    expect((await client.ask(makeRequest('INVITE', { uri: 'sip:now@example.com' }))).status).toBe(180);
    const progress = await client.receive();
    expect([progress.status, progress.reason, progress.headers['x-user'], progress.body]).toEqual([
      183,
      'Soon',
      ['now'],
      'v=0\r\n',
    ]);
    expect(progress.headers['content-type']).toEqual(['application/sdp']);
    expect((await client.receive()).status).toBe(200);

    const other = new UdpClient(port);
    const late = makeRequest('INVITE', { uri: 'sip:late@example.com' });
    expect((await other.ask(late)).status).toBe(182);
    // The same INVITE again meanwhile.
    expect((await other.ask(late)).status).toBe(182);
    await host.clock.advance(3_600_000);
    expect((await other.receive()).status).toBe(200);
  });

  it('has no provisional answers for other methods', async () => {
    const { port } = await startHost([{ provisional: [180], response: { status: 202 } }]);
    expect((await new UdpClient(port).ask(makeRequest('MESSAGE'))).status).toBe(202);
  });

  it('says 100 when the answer takes long, and answers others meanwhile', async () => {
    const { port } = await startHost([{ id: 'slow', method: 'INVITE', delay: '600ms' }]);
    const client = new UdpClient(port);
    const other = new UdpClient(port);
    const waiting = client.ask(makeRequest('INVITE', { headers: ['Timestamp: 54'] }));
    expect((await other.ask(makeRequest('OPTIONS'))).status).toBe(200);
    const trying = await waiting;
    expect([trying.status, trying.headers['to'], trying.headers['timestamp']]).toEqual([
      100,
      ['<sip:alice@example.com>'],
      ['54'],
    ]);
    expect((await client.receive()).status).toBe(200);
  });

  it.each(['udp', 'tcp'])('cancels an INVITE over %s', async (transport) => {
    const { port, host } = await startHost([{ method: 'INVITE', delay: '1h', provisional: [180] }]);
    const client = transport === 'udp' ? new UdpClient(port) : new TcpClient(port);
    const invite = makeRequest('INVITE');
    expect((await client.ask(invite)).status).toBe(180);
    const cancelled = await client.ask(follow(invite, 'CANCEL'));
    expect([cancelled.status, cancelled.headers['cseq']]).toEqual([200, ['1 CANCEL']]);
    const answer = await client.receive();
    expect([answer.status, answer.headers['cseq']]).toEqual([487, ['1 INVITE']]);
    expect(cancelled.headers['to']).toEqual(answer.headers['to']);
    await client.send(ackOf(invite, answer));
    await eventually(() => host.journal.list().length === 3);
    expect(host.journal.list().map(({ method, status, aborted }) => [method, status, aborted])).toEqual([
      ['CANCEL', 200, undefined],
      ['INVITE', 487, true],
      ['ACK', undefined, undefined],
    ]);
  });

  it('cancels nothing that is over, or unknown', async () => {
    const { port } = await startHost([{ method: 'INVITE', response: { status: 486 } }]);
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE');
    const answer = await client.ask(invite);
    expect((await client.ask(follow(invite, 'CANCEL'))).status).toBe(200);
    await client.send(ackOf(invite, answer));
    expect(await client.settle()).toEqual([]);
    expect((await client.ask(makeRequest('CANCEL'))).status).toBe(481);
  });

  it('never answers an ACK', async () => {
    const { port, host } = await startHost([{}]);
    const client = new UdpClient(port);
    await client.send(makeRequest('ACK'));
    await client.send(makeRequest('ACK', { headers: ['Require: x'] }));
    await client.send(makeRequest('ACK', { cseq: '1 INVITE' }));
    expect(await client.settle()).toEqual([]);
    expect(host.journal.count({ unmatched: true }).count).toBe(0);
  });

  it('ends a call that a mock has taken, and knows no other', async () => {
    const { port } = await startHost([{ method: 'INVITE' }]);
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE');
    const answer = await client.ask(invite);
    await client.send(newAckOf(invite, answer));
    const bye = newAckOf(invite, answer).replaceAll('ACK', 'BYE');
    expect((await client.ask(bye)).status).toBe(200);
    expect((await client.ask(makeRequest('BYE', { to: '<sip:a@b>;tag=other' }))).status).toBe(404);
  });

  it('forgets transactions with a reset', async () => {
    const { port, host } = await startHost([{ id: 'm', method: 'MESSAGE' }]);
    const client = new UdpClient(port);
    const transactions = (): unknown => host.kind('sip').status()['transactions'];
    const request = makeRequest('MESSAGE');
    await client.ask(request);
    expect(transactions()).toBe(1);
    host.reset();
    expect(transactions()).toBe(0);
    // Calls are counted anew too.
    await client.ask(request);
    expect(host.kind('sip').calls.of('m').count).toBe(1);
  });
});
