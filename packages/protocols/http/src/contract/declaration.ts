import type { ContractDeclaration } from '@backlot/core/plugin';

/** What HTTP is held to. */
export const CONTRACTS: ContractDeclaration = {
  formats: 'OpenAPI 3.0 and 3.1, Swagger 2.0',
  besideUpstream: true,
  async load(source) {
    const { loadHttpContract } = await import('./http-contract.js');
    return loadHttpContract(source);
  },
};
