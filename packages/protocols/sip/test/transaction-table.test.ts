import { describe, expect, it } from '@jest/globals';
import { ProvenAddresses } from '@backlot/kit';
import type { IncomingRequest, Source } from '../src/incoming-request.js';
import { TransactionTable } from '../src/transactions/transaction-table.js';
import { Transaction } from '../src/transactions/transaction.js';
import { plainAnswer } from '../src/wire/write-response.js';

/** A transaction that has its final answer. */
function answered(text: string): Transaction {
  const parts = { place: 0, last: Buffer.from(text), expires: Number.MAX_VALUE, isInvite: false, credit: 0 };
  return { ...parts, dialogKey: undefined, end: () => undefined } as unknown as Transaction;
}

/** Where a request comes from. */
function from(send: (octets: Buffer) => void): Source {
  return { address: '192.0.2.1', port: 5060, transport: 'udp', local: undefined, send };
}

describe('the table of transactions', () => {
  it('holds little more memory than the answers have bytes', () => {
    const table = new TransactionTable();
    const buffers = new Set<ArrayBufferLike>();
    for (let index = 0; index < 1000; index += 1) {
      const transaction = answered(`the answer ${index}`);
      table.add(`key ${index}`, index, transaction);
      table.settle(transaction);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
      const source = from((octets) => {
        expect(octets.toString()).toBe(`the answer ${index}`);
        buffers.add(octets.buffer);
      });
      table.answerAgain(`key ${index}`, { size: 100, source }, new ProvenAddresses());
    }
    table.clear();
    expect(buffers.size).toBeGreaterThan(0);
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(40_000);
  });

  it('answers requests that come again with three times their octets at most, until their address is proven', () => {
    const table = new TransactionTable();
    const proven = new ProvenAddresses();
    const transaction = answered('x'.repeat(1000));
    table.add('key', 1, transaction);
    table.settle(transaction);
    let sent = 0;
    const source = from((octets) => (sent += octets.length));
    const ask = (): number => {
      table.answerAgain('key', { size: 100, source }, proven);
      return sent;
    };
    expect([ask(), ask(), ask(), ask(), ask()]).toEqual([0, 0, 0, 1000, 1000]);
    for (let count = 0; count < 100; count += 1) ask();
    expect(sent).toBeLessThanOrEqual(3 * 105 * 100);
    expect(sent).toBeGreaterThan(3 * 105 * 100 - 1000);
    proven.add('192.0.2.1:5060');
    const before = sent;
    expect([ask(), ask(), ask()]).toEqual([1, 2, 3].map((times) => before + 1000 * times));
    table.clear();
  });

  it('holds as little of the answers to INVITEs, which are sent again', () => {
    const table = new TransactionTable();
    const buffers = new Set<ArrayBufferLike>();
    const send = (octets: Buffer): void => {
      expect(octets.toString()).toMatch(/^SIP\/2\.0 486 Busy Here\r\n/);
      buffers.add(octets.buffer);
    };
    for (let index = 0; index < 500; index += 1) {
      const source = {
        address: '127.0.0.1',
        port: 1,
        transport: 'tcp',
        local: undefined,
        send: () => undefined,
      } as const;
      const fields = {
        size: 100,
        vias: '',
        from: 'a',
        to: 'b',
        toTag: '',
        callId: `c-${index}`,
        cseq: '1 INVITE',
      };
      const request = { ...fields, method: 'INVITE', uri: 'sip:b', source, dialogKey: `key ${index}` };
      const transaction = new Transaction(
        request as unknown as IncomingRequest,
        `tag-${index}`,
        new ProvenAddresses(),
      );
      table.add(`key ${index}`, index, transaction);
      transaction.answer(plainAnswer(486, 'Busy Here'));
      table.settle(transaction);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
      table.answerAgain(`key ${index}`, { size: 100, source: { ...source, send } }, new ProvenAddresses());
    }
    table.clear();
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(100_000);
  });
});
