import type { ContractDeclaration } from '@backlot/core/plugin';

/** What GraphQL is held to. */
export const CONTRACTS: ContractDeclaration = {
  formats: 'schemas in SDL',
  besideUpstream: true,
  async load(source) {
    const { loadGraphqlContract } = await import('./graphql-contract.js');
    return loadGraphqlContract(source);
  },
};
