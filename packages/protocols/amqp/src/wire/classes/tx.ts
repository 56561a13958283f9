import { defineMethod } from '../method.js';

/** Class tx (90; AMQP 0-9-1 reference, 1.9). */
export const tx = {
  select: defineMethod(90, 10, 'tx.select', {}),
  selectOk: defineMethod(90, 11, 'tx.select-ok', {}),
  commit: defineMethod(90, 20, 'tx.commit', {}),
  commitOk: defineMethod(90, 21, 'tx.commit-ok', {}),
  rollback: defineMethod(90, 30, 'tx.rollback', {}),
  rollbackOk: defineMethod(90, 31, 'tx.rollback-ok', {}),
} as const;
