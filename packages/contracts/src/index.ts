export {
  loadMessageContract,
  MessageContract,
  type MessageRefusal,
  type SentMessage,
} from './asyncapi/contract.js';
export type { MessageForm, MockMessage, Place } from './asyncapi/message-form.js';
export { loadSource, loadText, parseSource, type Source } from './sources/load-source.js';
export { parseTree, type ParsedTree } from './sources/tree.js';
export type {
  AnswerFindings,
  ApiAnswer,
  ApiRequest,
  MadeAnswer,
  RequestFindings,
} from './openapi/messages.js';
export { OpenApiContract } from './openapi/contract.js';
export { requestsOf, type ApiRequests } from './openapi/document.js';
export { ANY } from './openapi/routes.js';
export { References, type Found } from './schema/references.js';
export { Sampler } from './schema/sampler.js';
export { SchemaChecks, UNCHECKED, type SchemaFault } from './schema/checks.js';
export { MOST_BYTES } from './shared/most-bytes.js';
export { Chance } from './shared/chance.js';
export {
  delayOf,
  integerOf,
  isTree,
  listOf,
  memberOf,
  pointTo,
  textOf,
  treeOf,
  treesOf,
  withoutAbsent,
  type Tree,
} from './shared/values.js';
