export { compileAuth } from './compile.js';
export { newConnectionAuth, type ConnectionAuth } from './ntlm/connection.js';
export { AuthSchema, type AuthDefinition } from './schema.js';
export type { AuthInput, AuthResult, CompiledAuth, HttpChallenge } from './types.js';
