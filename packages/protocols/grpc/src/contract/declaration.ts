import type { ContractDeclaration } from '@backlot/core/plugin';

/** What gRPC is held to. */
export const CONTRACTS: ContractDeclaration = {
  formats: '`.proto` files, descriptor sets and images',
  besideUpstream: true,
  async load(source) {
    const { loadGrpcContract } = await import('./grpc-contract.js');
    return loadGrpcContract(source);
  },
};
