export { embed } from './embed.mjs';
export { paced, paceOf } from './pace.mjs';
export { inputOf, replyTo } from './reply.mjs';
export { sampleOf } from './sample.mjs';
export { countTokens, tokensOf } from './tokens.mjs';
