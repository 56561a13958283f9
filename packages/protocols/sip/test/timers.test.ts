import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ProvenAddresses, timers } from '@backlot/kit';
import { IncomingRequest } from '../src/incoming-request.js';
import { TransactionTable } from '../src/transactions/transaction-table.js';
import { Transaction } from '../src/transactions/transaction.js';
import { readMessage } from '../src/wire/read-message.js';
import { plainAnswer } from '../src/wire/write-response.js';
import { makeRequest, parseAnswer } from './support.js';

/** A transaction whose answers are kept with the seconds at which they were sent, of a client that is known to be there. */
function begin(
  method: string,
  transport: 'udp' | 'tcp' = 'udp',
  known = ['127.0.0.1:5099'],
  headers: string[] = [],
) {
  const sent: [number, number][] = [];
  const octetsSent: number[] = [];
  const proven = new ProvenAddresses();
  for (const remote of known) proven.add(remote);
  const start = Date.now();
  const raw = readMessage(Buffer.from(makeRequest(method, { headers })), true);
  const request =
    raw &&
    IncomingRequest.read(raw, {
      address: '127.0.0.1',
      port: 5099,
      transport,
      local: undefined,
      send: (octets) => {
        sent.push([(Date.now() - start) / 1000, parseAnswer(octets.toString()).status]);
        octetsSent.push(octets.length);
      },
    });
  if (request === undefined) throw new Error('the request is none');
  const transaction = new Transaction(request, 'tag', proven);
  const total = (): number => octetsSent.reduce((sum, octets) => sum + octets, 0);
  return { request, transaction, sent, proven, total };
}

describe('timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(timers, 'now').mockImplementation(() => Date.now());
  });

  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each([200, 486])('repeats a %d with growing pauses, for 32 seconds', (status) => {
    const { transaction, sent } = begin('INVITE');
    transaction.answer(plainAnswer(status, ''));
    jest.advanceTimersByTime(100_000);
    expect(sent.map(([at]) => at)).toEqual([0, 0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 31.5]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('repeats nothing but a 2xx over TCP, and no answer to other methods', () => {
    const refused = begin('INVITE', 'tcp');
    refused.transaction.answer(plainAnswer(486, ''));
    const other = begin('MESSAGE');
    other.transaction.answer(plainAnswer(200, ''));
    jest.advanceTimersByTime(100_000);
    expect([refused.sent.length, other.sent.length]).toEqual([1, 1]);
  });

  it('says 100 after 200 ms unless something else was said', () => {
    const { transaction, sent } = begin('INVITE');
    transaction.tryLater();
    jest.advanceTimersByTime(199);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(sent).toEqual([[0.2, 100]]);
    const quick = begin('INVITE');
    quick.transaction.tryLater();
    quick.transaction.answer(plainAnswer(486, ''));
    quick.transaction.confirm();
    jest.advanceTimersByTime(1000);
    expect(quick.sent.map(([, status]) => status)).toEqual([486]);
  });

  it('forgets what is over, and nothing that still waits for its answer', () => {
    const table = new TransactionTable();
    const done = begin('MESSAGE');
    const waiting = begin('INVITE');
    for (const { request, transaction } of [done, waiting]) {
      table.add(request.transactionKey(), request.branch, transaction);
    }
    done.transaction.answer(plainAnswer(200, ''));
    table.settle(done.transaction);
    jest.advanceTimersByTime(31_000);
    const again: string[] = [];
    const source = { ...done.request.source, send: (octets: Buffer) => void again.push(octets.toString()) };
    table.answerAgain(done.request.transactionKey(), { size: 1000, source }, done.proven);
    expect(again.map((text) => parseAnswer(text).status)).toEqual([200]);
    jest.advanceTimersByTime(20_000);
    expect(table.size).toBe(1);
    expect(table.find(waiting.request.transactionKey(), waiting.request.branch)).toBe(waiting.transaction);
    waiting.transaction.answer(plainAnswer(486, ''));
    table.settle(waiting.transaction);
    jest.advanceTimersByTime(80_000);
    expect([table.size, jest.getTimerCount()]).toEqual([0, 0]);
    expect(table.findByDialog(waiting.request.dialogKey)).toBeUndefined();
  });

  it('keeps the newest 16,384 transactions', () => {
    const table = new TransactionTable();
    const [first, second] = Array.from({ length: 16_385 }, () => {
      const { request, transaction } = begin('INVITE');
      table.add(request.transactionKey(), request.branch, transaction);
      return request;
    });
    expect(table.size).toBe(16_384);
    if (first === undefined || second === undefined) throw new Error('there are no requests');
    expect(table.find(first.transactionKey(), first.branch)).toBeUndefined();
    expect(table.findByDialog(first.dialogKey)).toBeUndefined();
    expect(table.find(second.transactionKey(), second.branch)).toBeDefined();
    table.clear();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes no ACK before there is an answer', () => {
    const { transaction, sent } = begin('INVITE');
    transaction.tryLater();
    transaction.confirm();
    jest.advanceTimersByTime(1000);
    expect(sent).toEqual([[0.2, 100]]);
  });

  it('keeps at most 64 MiB of answers', () => {
    const table = new TransactionTable();
    for (let n = 0; n < 1100; n += 1) {
      const { request, transaction } = begin('MESSAGE');
      table.add(request.transactionKey(), request.branch, transaction);
      transaction.answer({ ...plainAnswer(200, ''), body: Buffer.alloc(64_000) });
      table.settle(transaction);
    }
    expect(table.size).toBeLessThan(1060);
    expect(table.size).toBeGreaterThan(1000);
    table.clear();
    expect([table.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('sends an answer of what was forgotten once', () => {
    const { transaction, sent } = begin('INVITE');
    transaction.end();
    transaction.answer(plainAnswer(486, ''));
    jest.advanceTimersByTime(10_000);
    expect(sent).toEqual([[0, 486]]);
  });

  const SDP = { ...plainAnswer(200, 'OK'), body: Buffer.alloc(300) };

  it('repeats nothing but a 2xx to an address that has shown nothing, and that within three times what came', () => {
    const refused = begin('INVITE', 'udp', []);
    refused.transaction.answer(plainAnswer(401, ''));
    const taken = begin('INVITE', 'udp', ['127.0.0.1:5098', '127.0.0.2:5099']);
    taken.transaction.answer(SDP);
    jest.advanceTimersByTime(100_000);
    expect(refused.sent).toEqual([[0, 401]]);
    expect(taken.sent).toEqual(
      [
        [0, 200],
        [0.5, 200],
      ].slice(0, taken.sent.length),
    );
    expect(taken.total()).toBeLessThanOrEqual(3 * taken.request.size);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('repeats a refusal that follows a provisional answer: the client sends its INVITE no more', () => {
    const { transaction, sent, total, request } = begin('INVITE', 'udp', [], ['X: '.padEnd(600, 'x')]);
    transaction.provide(plainAnswer(180, ''));
    transaction.answer(plainAnswer(486, ''));
    jest.advanceTimersByTime(100_000);
    expect(sent.slice(0, 3).map(([, status]) => status)).toEqual([180, 486, 486]);
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.length).toBeLessThan(12);
    expect(total()).toBeLessThanOrEqual(3 * request.size);
  });

  it('goes on once the address has shown that it receives', () => {
    const { transaction, sent, proven } = begin('INVITE', 'udp', []);
    transaction.answer(plainAnswer(486, ''));
    jest.advanceTimersByTime(5000);
    proven.add('127.0.0.1:5099');
    jest.advanceTimersByTime(5000);
    expect(sent.map(([at]) => at)).toEqual([0, 7.5]);
  });

  it('leaves provisional answers out that are too much, and sends the final one', () => {
    const { transaction, sent } = begin('INVITE', 'udp', []);
    for (let count = 0; count < 10; count += 1) transaction.provide({ ...SDP, status: 183 });
    transaction.answer(SDP);
    const [last] = sent.slice(-1);
    expect(last).toEqual([0, 200]);
    expect(sent.length).toBeLessThan(4);
  });

  it('sends an unknown address 1,300 octets, or three times what came, and else says that it is too much', () => {
    const answerWith = (octets: number, known: string[], headers: string[] = []): number => {
      const { transaction } = begin('MESSAGE', 'udp', known, headers);
      return transaction.answer({ ...plainAnswer(200, 'OK'), body: Buffer.alloc(octets) }).status;
    };
    expect([answerWith(1000, []), answerWith(1300, []), answerWith(1300, ['127.0.0.1:5099'])]).toEqual([
      200, 500, 200,
    ]);
    expect(answerWith(3000, [], ['X: '.padEnd(1000, 'x')])).toBe(200);
    expect(begin('MESSAGE', 'tcp', []).transaction.answer({ ...SDP, body: Buffer.alloc(9000) }).status).toBe(
      200,
    );
  });
});
