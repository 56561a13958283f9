import { describe, expect, it } from '@jest/globals';
import type { IncomingRequest } from '../src/incoming-request.js';
import { TransactionTable } from '../src/transactions/transaction-table.js';
import { Transaction } from '../src/transactions/transaction.js';
import { plainAnswer } from '../src/wire/write-response.js';

/** A transaction that has its final answer. */
function answered(text: string): Transaction {
  const parts = { place: 0, last: Buffer.from(text), expires: Number.MAX_VALUE, isInvite: false };
  return { ...parts, dialogKey: undefined, end: () => undefined } as unknown as Transaction;
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
      table.answerAgain(`key ${index}`, (octets) => {
        expect(octets.toString()).toBe(`the answer ${index}`);
        buffers.add(octets.buffer);
      });
    }
    table.clear();
    expect(buffers.size).toBeGreaterThan(0);
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(40_000);
  });

  it('holds as little of the answers to INVITEs, which are sent again', () => {
    const table = new TransactionTable();
    const buffers = new Set<ArrayBufferLike>();
    const send = (octets: Buffer): void => {
      expect(octets.toString()).toMatch(/^SIP\/2\.0 486 Busy Here\r\n/);
      buffers.add(octets.buffer);
    };
    for (let index = 0; index < 500; index += 1) {
      const source = { address: '127.0.0.1', port: 1, transport: 'tcp', send: () => undefined };
      const fields = { vias: '', from: 'a', to: 'b', toTag: '', callId: `c-${index}`, cseq: '1 INVITE' };
      const request = { ...fields, method: 'INVITE', uri: 'sip:b', source, dialogKey: `key ${index}` };
      const transaction = new Transaction(request as unknown as IncomingRequest, `tag-${index}`);
      table.add(`key ${index}`, index, transaction);
      transaction.answer(plainAnswer(486, 'Busy Here'));
      table.settle(transaction);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
      table.answerAgain(`key ${index}`, send);
    }
    table.clear();
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(100_000);
  });
});
