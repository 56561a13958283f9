import { Type, type ContractDeclaration } from '@backlot/core/plugin';

/** What HTTP is held to. */
export const CONTRACTS: ContractDeclaration = {
  formats: 'OpenAPI 3.0 and 3.1, Swagger 2.0',
  async load(source) {
    const { loadHttpContract } = await import('./http-contract.js');
    return loadHttpContract(source);
  },
};

/** How a request is answered that no mock matches. */
export const UnmatchedSchema = Type.Union([Type.Literal('error'), Type.Literal('made')], {
  default: 'error',
  description:
    'How a request is answered that no mock matches: with an `error`, status 404, or with an answer that is `made` of the `contract`.',
});
