import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { timers } from '@backlot/kit';
import { IncomingRequest } from '../src/incoming-request.js';
import { TransactionTable } from '../src/transactions/transaction-table.js';
import { Transaction } from '../src/transactions/transaction.js';
import { readMessage } from '../src/wire/read-message.js';
import { plainAnswer } from '../src/wire/write-response.js';
import { makeRequest, parseAnswer } from './support.js';

/** A transaction whose answers are kept with the seconds at which they were sent. */
function begin(method: string, transport: 'udp' | 'tcp' = 'udp') {
  const sent: [number, number][] = [];
  const start = Date.now();
  const raw = readMessage(Buffer.from(makeRequest(method)), true);
  const request =
    raw &&
    IncomingRequest.read(raw, {
      address: '127.0.0.1',
      port: 5099,
      transport,
      local: undefined,
      send: (octets) => void sent.push([(Date.now() - start) / 1000, parseAnswer(octets.toString()).status]),
    });
  if (request === undefined) throw new Error('the request is none');
  const transaction = new Transaction(request, 'tag');
  return { request, transaction, sent };
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
    table.answerAgain(done.request.transactionKey(), (octets) => again.push(octets.toString()));
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
});
