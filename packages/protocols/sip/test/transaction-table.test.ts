import { describe, expect, it } from '@jest/globals';
import { TransactionTable } from '../src/transactions/transaction-table.js';
import type { Transaction } from '../src/transactions/transaction.js';

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
});
