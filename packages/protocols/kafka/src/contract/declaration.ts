import type { ContractDeclaration } from '@backlot/core/plugin';

/** What Kafka is held to. */
export const CONTRACTS: ContractDeclaration = {
  formats: 'AsyncAPI 2 and 3',
  async load(source) {
    const { loadMessageContract } = await import('@backlot/contracts');
    const { FORM } = await import('./form.js');
    return loadMessageContract(source, FORM);
  },
};
